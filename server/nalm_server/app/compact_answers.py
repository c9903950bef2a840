# SPDX-License-Identifier: Apache-2.0
"""Answers to readers in few bytes: compressed, and only when they changed since the client's last request.

Only the routes below. A compressed answer may reveal a secret by its length if it holds the secret beside
text that somebody else chose (the attack BREACH). So answers with tokens, secrets, sessions or logs are
always sent as they are.
"""

from __future__ import annotations

import zlib
from hashlib import sha256

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nalm_server.base.answer_cache import AnswerCache
from nalm_server.base.api_router import PREFIX

OF_PROJECT = (
    *("", "/commits", "/commits/search", "/commits/{sha}", "/revisions", "/branches", "/tags"),
    *("/lines", "/lines/columns", "/scenarios", "/scenarios/{scenario}/history", "/metrics"),
    *("/scenarios/{scenario}/functions", "/change-points", "/alerts", "/alerts/facets", "/mutes"),
    *("/compare", "/compare/code", "/compare/source", "/compare/measured", "/compare/all"),
    *("/features", "/features/{name}/history", "/ncpp", "/weeks", "/weeks/{week}", "/detection-quality"),
)
OTHERS = (
    *("/projects", "/overview", "/metrics-catalogue", "/alerts/{alert_id}", "/openapi.json"),
    *("/runs/{run_id}", "/runs/{run_id}/code", "/runs/{run_id}/source", "/runs/{run_id}/report"),
    *("/runs/{run_id}/counts", "/runs/{run_id}/rates"),
)
ROUTES = frozenset(
    [
        *(f"{PREFIX}/projects/{{project}}{path}" for path in OF_PROJECT),
        *(f"{PREFIX}{path}" for path in OTHERS),
    ]
)
LEAST_BYTES = 1_000
"""Shorter answers fit one packet anyway."""
IN_THREAD_BYTES = 100_000
"""Longer ones are compressed in a thread, so that other requests go on."""
LEVEL = 5
GZIP = 16 + zlib.MAX_WBITS
MOST_KEPT_BYTES = 16 * 2**20
"""Of long answers that are kept compressed."""
REVALIDATED = "private, no-cache"
"""The client may keep the answer, and asks each time whether it still holds: then rights are checked, too."""


_long_ones = AnswerCache(MOST_KEPT_BYTES)


class CompactMiddleware:
    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        await self.app(scope, receive, _Answer(scope, send).send)


class _Answer:
    """Holds the start of an answer back until its body is known."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope, self._send = scope, send
        self._start: Message | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if message["status"] == 200 and getattr(self._scope.get("route"), "path", None) in ROUTES:
                self._start = message
                return
        elif self._start is not None and message["type"] == "http.response.body":
            start, self._start = self._start, None
            if not message.get("more_body"):
                await self._whole(start, message)
                return
            await self._send(start)
        await self._send(message)

    async def _whole(self, start: Message, body: Message) -> None:
        content: bytes = body.get("body", b"")
        requested = Headers(scope=self._scope)
        headers = MutableHeaders(scope=start)
        tag = f'W/"{sha256(content).hexdigest()[:32]}"'
        headers["ETag"] = tag
        headers["Cache-Control"] = REVALIDATED
        headers["Vary"] = "Accept-Encoding, Authorization, Cookie"
        if tag in (one.strip() for one in requested.get("if-none-match", "").split(",")):
            start["status"] = 304
            del headers["Content-Length"]
            content = b""
        elif len(content) >= LEAST_BYTES and accepts(requested.get("accept-encoding", ""), "gzip"):
            if len(content) >= IN_THREAD_BYTES:
                content = await run_in_threadpool(compressed_once, tag, content)
            else:
                content = compressed(content)
            headers["Content-Encoding"] = "gzip"
            headers["Content-Length"] = str(len(content))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": content})


def compressed_once(tag: str, content: bytes) -> bytes:
    """Kept by its digest: it takes longer than the rest of the answer of a long history."""
    return _long_ones.get(tag, lambda: compressed(content))


def compressed(content: bytes) -> bytes:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, GZIP)
    return packer.compress(content) + packer.flush()


def accepts(accept_encoding: str, coding: str) -> bool:
    """Whether a client accepts the content coding by name (RFC 9110, section 12.5.3)."""
    for one in accept_encoding.lower().split(","):
        name, _, weight = one.partition(";")
        if name.strip() == coding:
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
