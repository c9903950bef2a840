# SPDX-License-Identifier: Apache-2.0
"""GET, POST and DELETE /session, PUT /session/password."""

from __future__ import annotations

from fastapi import Request, Response

from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.auth.sign_in import cookies, devices, service
from nalm_server.auth.sign_in.schemas import ByLink, ByPassword, PasswordChange, SignedIn
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented

router = api_router("session", "/session")


@router.get("", responses=documented())
def get_session(request: Request, session: ReadDb, context: Ctx, caller: Caller) -> SignedIn:
    """Shows who calls, their roles, and the token that writes with a cookie must carry."""
    cookie = request.cookies.get(cookies.name_of(request, context.settings))
    csrf = cookies.csrf_of(cookie) if cookie and caller.session_id is not None else None
    return service.who(session, caller, csrf)


@router.post("", responses=documented(413))
def sign_in(given: ByPassword | ByLink, request: Request, response: Response, context: Ctx) -> SignedIn:
    """Signs in by name and password, or by a one-time link. 429: too many refused attempts."""
    cookies.require_same_site(request)
    address = request.client.host if request.client else ""
    known = request.cookies.get(cookies.name_of(request, context.settings, devices.COOKIE))
    made = service.sign_in(context, given, address, known)
    cookies.put_session(request, response, context.settings, made)
    with context.read_sessions() as session:
        return service.who(session, made.caller, cookies.csrf_of(made.cookie))


@router.delete("", status_code=204, responses=documented())
def sign_out(
    request: Request, response: Response, *, session: Db, context: Ctx, now: Now, caller: Caller
) -> None:
    """Ends the session. Repeating it changes nothing."""
    service.sign_out(session, caller, now)
    cookies.drop(request, response, context.settings)


@router.put("/password", status_code=204, responses=documented(413))
def change_password(change: PasswordChange, context: Ctx, caller: Caller) -> None:
    """Sets a new password and ends all other sessions of the account."""
    service.change_password(context, caller, change)
