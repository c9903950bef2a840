# SPDX-License-Identifier: Apache-2.0
"""Serves API and page over HTTP until SIGINT or SIGTERM."""

from __future__ import annotations

import errno
import gc
import socket
import sys
from collections.abc import Callable
from types import FrameType

import structlog
import uvicorn
from fastapi import FastAPI

from nalm_server.app.application import make_app
from nalm_server.app.connections import Connection, most_connections
from nalm_server.app.embedded.failure import StartError
from nalm_server.db.context import Context

log = structlog.get_logger()

BACKLOG = 512
SWITCH_SECONDS = 0.001
"""Longest time that a thread computes while the thread of the connections waits."""
COLLECT_AFTER = (10_000, 4, 20)
"""Thresholds of the garbage collector: allocations before a collection, then collections before one of the
next generation. All threads stop meanwhile: many short ones keep `/health/live` fast, few long ones do
not."""


def listen(host: str, port: int) -> socket.socket:
    """Binds before anything else happens, so that a taken port changes nothing."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise StartError(f"--host {host} is no address of this machine: {error.strerror}.") from error
    listening = socket.socket(family, kind)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise StartError(
                f"Port {port} of {host} is taken by another program: end it (`ss -ltnp 'sport = :{port}'` "
                "names it), or choose another one with --port."
            ) from error
        raise StartError(f"Port {port} of {host} cannot be served: {error.strerror}.") from error
    return listening


def url_of(host: str, listening: socket.socket) -> str:
    """The server's address for programs on this host."""
    port = listening.getsockname()[1]
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


class _Server(uvicorn.Server):
    """Reports when it answers requests; ends without leaving requests waiting."""

    def __init__(self, app: FastAPI, config: uvicorn.Config, url: str, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._app = app
        self._url = url
        self._ready = ready

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._app.state.ending = True  # answers waiting lease requests now
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        log.info("serving", url=self._url)
        self._ready()


def serve(context: Context, listening: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    """Calls `ready` once requests are answered. The socket is bound already."""
    host, port = listening.getsockname()[:2]
    app = make_app(context)
    config = uvicorn.Config(
        app,
        http=Connection,
        limit_concurrency=most_connections(context.settings.connections) + 1,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the application does it, for the proxies in the settings
        timeout_graceful_shutdown=5,
        lifespan="off",
    )
    sys.setswitchinterval(SWITCH_SECONDS)
    _spare_the_collector()
    _Server(app, config, f"http://{host}:{port}", ready).run(sockets=[listening])


def _spare_the_collector() -> None:
    """Excludes all present objects from garbage collection: they live until the end."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
