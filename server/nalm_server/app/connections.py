# SPDX-License-Identifier: Apache-2.0
"""Connections of clients: uvicorn's protocol, with time limits for clients that send or read nothing."""

from __future__ import annotations

import asyncio
import json
import resource

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_SECONDS = 10.0
"""Time limit for a request's line and headers, from the connection or from their first byte."""
HEAD_BYTES = 64 << 10
STALL_SECONDS = 30.0
"""A client that reads nothing of its answer for this long is disconnected."""
OTHER_FILES = 256
"""File descriptors that the process needs for other purposes than connections of clients."""


def _plain(status: str, name: str, message: str, *headers: str) -> bytes:
    body = json.dumps({"error": {"name": name, "message": message, "request_id": "", "details": []}}).encode()
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, *headers, "Connection: close", "", ""]).encode() + body


FULL = _plain(
    "503 Service Unavailable", "busy", "The server has no free connection. Try again.", "Retry-After: 2"
)
HEAD_TOO_LARGE = _plain(
    "431 Request Header Fields Too Large",
    "too_large",
    f"The request's headers are larger than {HEAD_BYTES} bytes.",
)


def most_connections(requested: int) -> int:
    """The requested number, or as many as the limit of open files allows after it was raised."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return requested if hard == resource.RLIM_INFINITY else max(1, min(requested, hard - OTHER_FILES))


class Connection(HttpToolsProtocol):
    """`limit_concurrency` of uvicorn's configuration is one more than the maximum of connections: uvicorn
    itself, which answers in another form, never reaches it."""

    _head: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _in_body = False
    """True also after the answer, while the rest of the body has to come in HEAD_SECONDS."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.limit_concurrency is not None and len(self.connections) >= self.limit_concurrency:
            self.connections.discard(self)
            transport.write(FULL)
            transport.close()
            return
        self._await_head()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete:
            self._await_head()
        self._head_bytes += len(data)
        super().data_received(data)
        in_head = self._head is not None and not self._in_body
        if in_head and self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
            self.transport.write(HEAD_TOO_LARGE)
            self._close()

    def on_headers_complete(self) -> None:
        self._head_is_there()
        self._in_body = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_body = False
        self._head_bytes = 0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stall = self._stall or self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stall is not None and not self.transport.is_closing():
            self._stall.cancel()
            self._stall = None

    def timeout_keep_alive_handler(self) -> None:
        self._close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_there()
        if self._stall is not None:
            self._stall.cancel()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        if self._head is None:
            self._head_bytes = 0
            self._head = self.loop.call_later(HEAD_SECONDS, self._close)

    def _head_is_there(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _close(self) -> None:
        """Sends what was written before, as long as the client reads it."""
        self.transport.close()
        self._stall = self._stall or self.loop.call_later(STALL_SECONDS, self.transport.abort)
