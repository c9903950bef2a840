# SPDX-License-Identifier: Apache-2.0
"""Addresses of the API that were renamed. The former ones are answered like the present ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from starlette.types import ASGIApp, Receive, Scope, Send

FORMER: Mapping[re.Pattern[str], str] = {
    re.compile(pattern): present
    for pattern, present in {
        r"^/api/v1/projects/([^/]+)/watching$": r"/api/v1/projects/\1/branch-filters",
        r"^/api/v1/projects/([^/]+)/quality(?=/|$)": r"/api/v1/projects/\1/detection-quality",
        r"^/api/v1/projects/([^/]+)/bisects$": r"/api/v1/projects/\1/bisections",
        r"^/api/v1/bisects(?=/)": "/api/v1/bisections",
        r"^/api/v1/me/watches(?=/|$)": "/api/v1/me/subscriptions",
    }.items()
}
"""Patterns of former addresses, and what replaces the match."""


def present_address(path: str) -> str:
    """The present address of a former one; any other address unchanged."""
    for pattern, present in FORMER.items():
        path, matches = pattern.subn(present, path)
        if matches:
            return path
    return path


class FormerAddressMiddleware:
    """Routes a request for a former address to the present one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = present_address(scope["path"])
            if path != scope["path"]:
                scope["path"], scope["raw_path"] = path, quote(path).encode()
        await self.app(scope, receive, send)
