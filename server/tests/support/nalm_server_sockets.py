# SPDX-License-Identifier: Apache-2.0
"""Real HTTP on loopback for tests of what the server calls: it answers as told and keeps what it was sent."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    """The connection is closed instead of an answer."""


Answer = Callable[[Seen], Reply]


@dataclass
class Loopback:
    url: str
    port: int
    seen: list[Seen]


@contextmanager
def serving(answer: Answer) -> Iterator[Loopback]:
    """A server on a free port of 127.0.0.1 until the end of the block."""
    seen: list[Seen] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            headers = {name.lower(): value for name, value in self.headers.items()}
            one = Seen(self.command, self.path, headers, self.rfile.read(length))
            seen.append(one)
            reply = answer(one)
            self.close_connection = True
            if reply.cut:
                return
            self.send_response(reply.status)
            # Said, not only done: a client that goes on with the connection now and then meets its end.
            always = {"Content-Length": str(len(reply.body)), "Connection": "close"}
            for name, value in (always | reply.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    port = server.server_address[1]
    try:
        yield Loopback(f"http://127.0.0.1:{port}", port, seen)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
