# SPDX-License-Identifier: Apache-2.0
"""Uploads run reports and trials to a server from anywhere. It takes each once, so sending again is safe."""

from __future__ import annotations

import gzip
import re
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, ValidationError

from nalm_agent.runtime.errors import ServerError, UsageError

REQUEST_SECONDS = 60.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
_AGAIN = (HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS)
_TOKEN = "give an upload token of this project in NALM_TOKEN or with --token-file"
_HINTS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: _TOKEN,
    HTTPStatus.FORBIDDEN: _TOKEN,
    HTTPStatus.NOT_FOUND: "is --server a nalm server, and [project] name in nalm.toml one of its projects?",
    HTTPStatus.CONFLICT: "a saved report must not be edited; measure again for a run of its own",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "the server's operator can raise NALM_REPORT_BYTES",
    HTTPStatus.UNPROCESSABLE_ENTITY: "commit before measuring; else, is the server older than this nalm?",
}


class Taken(BaseModel):
    """The server's answer."""

    run_id: str
    outcome: str
    summary: str
    new: bool


class TrialsTaken(BaseModel):
    """The server's answer to trials."""

    new: int
    known: int


Said = TypeVar("Said", bound=BaseModel)


class Uploader:
    """One server, one token, and the time until which an outage is waited out."""

    def __init__(
        self,
        address: str,
        token: str,
        timeout_seconds: float,
        say: Callable[[str], None],
        *,
        transport: httpx.BaseTransport | None = None,
        pause: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.address = address
        self._say, self._pause, self._clock = say, pause, clock
        self._ends = clock() + timeout_seconds
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._client = httpx.Client(headers=headers, timeout=REQUEST_SECONDS, transport=transport)

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def link(self, project: str, run_id: str) -> str:
        """The run's page."""
        return f"{self.address}/p/{quote(project, safe='')}/runs/{run_id}"

    def send(self, report: bytes) -> Taken:
        """Uploads a report. Raises UsageError if it is refused, ServerError if the server stays away."""
        return self._read(self._insist("/reports", gzip.compress(report), "gzip"), Taken)

    def trials(self, project: str, trials: bytes) -> TrialsTaken:
        """Sends trials, as JSON. Raises as `send`."""
        path = f"/projects/{quote(project, safe='')}/quality/trials"
        return self._read(self._insist(path, trials, "identity"), TrialsTaken)

    def _insist(self, path: str, body: bytes, encoding: str) -> httpx.Response:
        """An answer that is not about the server being away, however often that takes."""
        pause = FIRST_PAUSE_SECONDS
        headers = {"Content-Encoding": encoding}
        while True:
            try:
                answer = self._client.post(f"{self.address}/api/v1{path}", content=body, headers=headers)
            except httpx.TransportError as error:
                trouble, wait = f"cannot be reached: {why_away(error)}", pause
            else:
                if not answer.is_server_error and answer.status_code not in _AGAIN:
                    return answer
                trouble, wait = f"answers {answer.status_code}", max(pause, _asked_to_wait(answer))
            self._wait(wait, trouble)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _wait(self, seconds: float, trouble: str) -> None:
        if self._clock() + seconds > self._ends:
            raise ServerError(
                f"{self.address} {trouble}",
                hint="`nalm submit` can send the saved report later; --timeout sets how long to try",
            )
        self._say(f"{self.address} {trouble}; trying again in {seconds:g} s")
        self._pause(seconds)

    def _read(self, answer: httpx.Response, kind: type[Said]) -> Said:
        if answer.is_success:
            try:
                return kind.model_validate_json(answer.content)
            except ValidationError as error:
                raise UsageError(
                    f"{self.address} is no nalm server: its answer is not one", hint="check --server"
                ) from error
        if answer.is_redirect:
            to = answer.headers.get("location", "somewhere else")
            raise UsageError(f"{self.address} sends to {to}", hint="give that address with --server")
        message, details = error_of(answer)
        hint = _HINTS.get(answer.status_code, "see the server's log for this request")
        raise UsageError(f"{self.address}: {message} ({answer.status_code})", log=details, hint=hint)


def why_away(error: httpx.TransportError) -> str:
    """The system's words, without its number."""
    return re.sub(r"^\[Errno -?\d+\] ", "", str(error)) or type(error).__name__


def require_address(address: str) -> str:
    """The address without a slash at its end. Raises UsageError if it is none."""
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL as error:
        raise UsageError(f"{address!r} is no address: {error}", hint="--server https://HOST") from error
    if url.scheme not in ("http", "https") or not url.host:
        raise UsageError(f"{address!r} is no address of a server", hint="--server https://HOST")
    return address.rstrip("/")


def _asked_to_wait(answer: httpx.Response) -> float:
    """Seconds of a Retry-After, within reason."""
    text = answer.headers.get("retry-after", "")
    return min(float(text), LONGEST_PAUSE_SECONDS) if text.isascii() and text.isdigit() else 0.0


def error_of(answer: httpx.Response) -> tuple[str, str | None]:
    """The server's sentence, and where it found something, one line for each JSON path."""
    try:
        error: dict[str, Any] = answer.json()["error"]
        details = [f"{one['path']}: {one['message']}" for one in error.get("details", [])]
        return str(error["message"]), "\n".join(details) or None
    except (ValueError, KeyError, TypeError):
        return "refused", answer.text[:500] or None
