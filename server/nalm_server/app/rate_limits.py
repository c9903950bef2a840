# SPDX-License-Identifier: Apache-2.0
"""Limits a caller's requests per minute: generously, against runaway loops and floods.

Counts in this process: several processes allow a multiple. Forges and agents have limits of their own, so
that neither can use up the other's.
"""

from __future__ import annotations

import hashlib
import time

from limits import RateLimitItemPerMinute, strategies
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from nalm_server.base.errors import TooManyError
from nalm_server.base.refusals import refuse
from nalm_server.base.settings import Settings
from nalm_server.base.window_counts import WindowCounts

ADDRESS_FACTOR = 10
"""Many callers may share an address; one caller may have many tokens. Both are limited."""


class RateMiddleware:
    """Answers 429 with Retry-After above the limit. A limit of 0 means none."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._counts = strategies.FixedWindowRateLimiter(WindowCounts())
        self._limits = {
            "hooks": settings.rate_hooks,
            "agent": settings.rate_agents,
            "api": settings.rate_api,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            wait = self._wait_seconds(scope)
            if wait is not None:
                error = TooManyError(f"Too many requests: try again in {wait} s.", wait)
                await refuse(scope, receive, send, error)
                return
        await self.app(scope, receive, send)

    def _wait_seconds(self, scope: Scope) -> int | None:
        """Seconds to wait; None: allowed."""
        kind = _kind(scope["path"])
        if self._limits[kind] == 0:
            return None
        address = scope["client"][0] if scope.get("client") else ""
        token = Headers(scope=scope).get("authorization")
        limit = RateLimitItemPerMinute(self._limits[kind])
        keys = [(limit, (kind, "address", address))]
        if token is not None:
            digest = hashlib.sha256(token.encode()).hexdigest()
            wide = RateLimitItemPerMinute(self._limits[kind] * ADDRESS_FACTOR)
            keys = [(limit, (kind, "token", digest)), (wide, (kind, "tokens of", address))]
        for item, key in keys:
            if not self._counts.hit(item, *key):
                return max(1, int(self._counts.get_window_stats(item, *key).reset_time - time.time()) + 1)
        return None


def _kind(path: str) -> str:
    name = path.removeprefix("/api/v1/").partition("/")[0]
    return name if name in ("hooks", "agent") else "api"
