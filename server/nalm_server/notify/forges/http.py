# SPDX-License-Identifier: Apache-2.0
"""Requests to a forge's API: addresses, tokens and the meaning of answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from nalm_server.notify.failure import Next, SendError, of_answer, of_exception

PAGES = 10
PAGE_SIZE = 100


class Api:
    """JSON over the guarded client. Every operation of a forge may be repeated, so a request with a lost
    answer is simply retried."""

    def __init__(self, client: httpx.Client, base: str, headers: Mapping[str, str]) -> None:
        self._client = client
        self._base = base.rstrip("/")
        self._headers = headers
        self._where = httpx.URL(base).host

    def call(self, method: str, path: str, body: Any = None, **params: Any) -> Any:
        """The answer's JSON. Raises SendError."""
        return self._answered(method, path, body, params)[0]

    def pages(self, path: str, **params: Any) -> Iterator[dict[str, Any]]:
        """Items of a list, over its first pages: each links to the next one (RFC 8288), if there is one."""
        for page in range(1, PAGES + 1):
            items, links = self._answered("GET", path, None, {"page": page, **params})
            if not isinstance(items, list):
                raise SendError(
                    f"{self._where} answered with no list: is this its API's address?", Next.NEVER
                )
            yield from items
            if "next" not in links:
                return

    def _answered(self, method: str, path: str, body: Any, params: dict[str, Any]) -> tuple[Any, Any]:
        """(JSON, links by relation)."""
        answer = self._send(method, path, body, params)
        if (error := of_answer(answer, self._where)) is not None:
            raise error
        try:
            return answer.json() if answer.content else None, answer.links
        except ValueError as error:
            raise SendError(
                f"{self._where} answered with no JSON: is this its API's address?", Next.NEVER
            ) from error

    def _send(self, method: str, path: str, body: Any, params: dict[str, Any]) -> httpx.Response:
        try:
            return self._client.request(
                method, self._base + path, json=body, params=params or None, headers=dict(self._headers)
            )
        except Exception as error:
            failed = of_exception(error, self._where)
            after = Next.AGAIN if failed.after is Next.UNSURE else failed.after
            raise SendError(str(failed), after, pause_seconds=failed.pause_seconds) from error
