# SPDX-License-Identifier: Apache-2.0
"""For every request: an id, a log line, security headers."""

from __future__ import annotations

import time
import uuid

import structlog
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nalm_server.ops.metrics.process import Requests

log = structlog.get_logger()

SECURITY_HEADERS = {
    # The page's component library sets style attributes; everything else must come from this server.
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
HSTS = {"Strict-Transport-Security": "max-age=31536000"}
"""Only if people reach the server by https: afterwards nothing else works."""
QUIET = ("/assets/", "/api/v1/health", "/metrics")
"""Paths without a log line for successes."""


class RequestMiddleware:
    """Gives each request an id (X-Request-Id, and in each log line), headers, and a log line."""

    def __init__(self, app: ASGIApp, *, https: bool = False, figures: Requests | None = None) -> None:
        self.app = app
        self.headers = SECURITY_HEADERS | (HSTS if https else {})
        self.figures = figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        started = time.perf_counter()

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Request-Id"] = request_id
                for name, value in self.headers.items():
                    headers[name] = value
                if scope["path"].startswith("/api/"):
                    headers.setdefault("Cache-Control", "no-store")
                status = message["status"]
                if status >= 400 or not scope["path"].startswith(QUIET):
                    log.info(
                        "request",
                        method=scope["method"],
                        path=scope["path"],
                        status=status,
                        ms=round((time.perf_counter() - started) * 1000, 1),
                    )
                if self.figures is not None:
                    self.figures.answered(
                        scope["method"], _route(scope), status, time.perf_counter() - started
                    )
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            await self.app(scope, receive, send_with_headers)


def _route(scope: Scope) -> str:
    """The route's path with names of parameters."""
    return getattr(scope.get("route"), "path", "none")
