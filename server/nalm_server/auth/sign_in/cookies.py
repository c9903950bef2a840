# SPDX-License-Identifier: Apache-2.0
"""The session's cookie, and its protection against other sites.

A browser sends the cookie with requests that other sites cause. SameSite=Lax prevents most of these, but not
requests from sibling domains; therefore writes with a cookie also carry a token in a header, which no other
site can read or set. The token is derived from the cookie, so nothing else is stored. Browsers do not send
bearer tokens by themselves, so these need no protection.
"""

from __future__ import annotations

import hashlib
import hmac
from urllib.parse import urlsplit

from fastapi import Request, Response

from nalm_server.auth.sign_in import devices
from nalm_server.auth.sign_in.service import NewSession
from nalm_server.base.errors import ForbiddenError
from nalm_server.base.settings import Settings

CSRF_HEADER = "X-CSRF-Token"
SAFE = ("GET", "HEAD", "OPTIONS")


def is_secure(request: Request, settings: Settings) -> bool:
    return request.url.scheme == "https" or settings.address.startswith("https:")


def name_of(request: Request, settings: Settings, what: str = "session") -> str:
    """With `__Host-`, no sibling domain and no plain HTTP can set one."""
    return f"__Host-nalm-{what}" if is_secure(request, settings) else f"nalm-{what}"


def put(
    request: Request,
    response: Response,
    settings: Settings,
    value: str,
    *,
    seconds: int,
    what: str = "session",
) -> None:
    response.set_cookie(
        name_of(request, settings, what),
        value,
        max_age=seconds,
        path="/",
        secure=is_secure(request, settings),
        httponly=True,
        samesite="lax",
    )


def put_session(request: Request, response: Response, settings: Settings, made: NewSession) -> None:
    """Sets the session's cookie, and the device cookie that identifies this browser at its next sign-in."""
    put(request, response, settings, made.cookie, seconds=settings.session_hours * 3600)
    put(request, response, settings, made.device, seconds=devices.SECONDS, what=devices.COOKIE)


def drop(request: Request, response: Response, settings: Settings, what: str = "session") -> None:
    put(request, response, settings, "", seconds=0, what=what)


def csrf_of(cookie: str) -> str:
    return hmac.new(cookie.encode(), b"csrf", hashlib.sha256).hexdigest()


def require_csrf(request: Request, cookie: str) -> None:
    """For callers with a cookie. Raises ForbiddenError for a write without the token."""
    if request.method in SAFE:
        return
    sent = request.headers.get(CSRF_HEADER, "")
    if not hmac.compare_digest(sent.encode(), csrf_of(cookie).encode()):
        raise ForbiddenError(f"The header {CSRF_HEADER} is missing or old: GET /api/v1/session has it.")


def require_same_site(request: Request) -> None:
    """For sign-in, before there is a cookie: another site must not sign a visitor in to a foreign account."""
    origin = request.headers.get("Origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("Host")
    if foreign or request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
        raise ForbiddenError("Sign in on this server's own page.")
