# SPDX-License-Identifier: Apache-2.0
"""Requests to a nalm server: the meaning of its answers, and when to retry."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar

import httpx
from nalm_core.wire.backoff import Backoff

from nalm_agent.runtime.errors import UsageError

RETRY = Backoff(first_seconds=0.5, longest_seconds=30.0)
"""Pauses while the server or the broker is unreachable."""
BODY_CHARACTERS = 2000
"""Characters shown of an answer that is not the API's."""
_AWAY = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)

Answer = TypeVar("Answer")


class ServerAwayError(Exception):
    """The server is unreachable or reports an error of its own (5xx)."""

    pause_seconds = 0.0
    """Least pause before a retry."""
    hint = "check the address, and that nalm-server is running"
    """For commands that do not retry."""

    def __init__(
        self,
        message: str,
        *,
        sentence: str | None = None,
        answer: str | None = None,
        retry_after_seconds: float = 0.0,
    ) -> None:
        super().__init__(message)
        self.sentence = sentence or message
        """The message for a person who waits for the answer."""
        self.answer = answer
        """The server's answer; None if it is unreachable."""
        self.retry_after_seconds = retry_after_seconds
        """Retry-After of the server, limited."""


@dataclass(frozen=True)
class Refusal:
    """An error of the API. The answer of another program has neither name nor message."""

    name: str
    message: str
    details: str | None
    """The server's details, one line per JSON path; otherwise the start of the answer."""

    @property
    def text(self) -> str:
        """The server's message, or the text of its answer."""
        return self.message if self.name else self.details or ""


class HttpClient:
    """One server and one token."""

    def __init__(
        self,
        address: str,
        token: str | None,
        *,
        timeout_seconds: float,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.address = address.rstrip("/")
        self._http = httpx.Client(
            base_url=f"{self.address}/api/v1",
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=timeout_seconds,
            transport=transport,
        )

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Sends a request and returns the answer, which may be an error. Raises ServerAwayError."""
        try:
            answer = self._http.request(method, path, **options)
        except httpx.TransportError as error:
            raise ServerAwayError(
                f"{self.address} cannot be reached ({error})",
                sentence=f"{self.address} cannot be reached: {_reason(error)}",
            ) from error
        if answer.is_server_error or answer.status_code in _AWAY:
            raise ServerAwayError(
                f"{self.address} answers {answer.status_code}",
                answer=refusal(answer).text,
                retry_after_seconds=_retry_after(answer),
            )
        return answer


def retry(attempt: Callable[[], Answer], wait: Callable[[ServerAwayError, float], None]) -> Answer:
    """Retries an attempt until it succeeds. After ServerAwayError, `wait` pauses or raises to give up."""
    for pause in RETRY.pauses():
        try:
            return attempt()
        except ServerAwayError as error:
            wait(error, pause)
    raise AssertionError("pauses never end")


def refusal(answer: httpx.Response) -> Refusal:
    """The error in the body of an answer."""
    try:
        error: dict[str, Any] = answer.json()["error"]
        details = [f"{place['path']}: {place['message']}" for place in error.get("details", [])]
        return Refusal(str(error.get("name", "error")), str(error["message"]), "\n".join(details) or None)
    except (ValueError, KeyError, TypeError, AttributeError):
        return Refusal("", "refused", answer.text[:BODY_CHARACTERS] or None)


def require_address(address: str) -> str:
    """The address without a trailing slash. Raises UsageError if it is not an address."""
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL as error:
        raise UsageError(f"{address!r} is no address: {error}", hint="--server https://HOST") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise UsageError(f"{address!r} is no address of a server", hint="--server https://HOST")
    return address.rstrip("/")


def _retry_after(answer: httpx.Response) -> float:
    text = answer.headers.get("retry-after", "")
    return min(float(text), RETRY.longest_seconds) if text.isascii() and text.isdigit() else 0.0


def _reason(error: httpx.TransportError) -> str:
    """The system's error message without its number."""
    return re.sub(r"^\[Errno -?\d+\] ", "", str(error)) or type(error).__name__
