# SPDX-License-Identifier: Apache-2.0
"""Parameters of endpoints: one database session per request, committed here; the caller; the time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, cast

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session

from nalm_server.auth.sign_in import cookies
from nalm_server.auth.sign_in.service import by_cookie
from nalm_server.auth.tokens.callers import by_token
from nalm_server.auth.tokens.principal import ANONYMOUS, Principal
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.errors import ForbiddenError, UnauthorizedError
from nalm_server.db.context import Context

bearer = HTTPBearer(auto_error=False, description="A token made by nalm-server, shown once.")


async def get_context(request: Request) -> Context:
    """A coroutine, like all parameters that read nothing: a plain function would use a thread each time."""
    return cast(Context, request.app.state.context)


def get_session(context: Annotated[Context, Depends(get_context)]) -> Iterator[Session]:
    with context.sessions() as session:
        yield session
        session.commit()


def get_read_session(context: Annotated[Context, Depends(get_context)]) -> Iterator[Session]:
    with context.read_sessions() as session:
        yield session


async def get_now(context: Annotated[Context, Depends(get_context)]) -> datetime:
    return context.clock()


# scope="function": commits before the answer is sent, so that no answer reports unstored data.
Db = Annotated[Session, Depends(get_session, scope="function")]
ReadDb = Annotated[Session, Depends(get_read_session, scope="function")]
Ctx = Annotated[Context, Depends(get_context)]
Now = Annotated[datetime, Depends(get_now)]
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


def get_caller(request: Request, context: Ctx, credentials: Credentials) -> Principal:
    """The caller, anonymous without credentials; rejects a wrong token, ignores an expired cookie."""
    if credentials is not None:
        return by_token(context, credentials.credentials)
    cookie = request.cookies.get(cookies.name_of(request, context.settings))
    signed_in = by_cookie(context, cookie) if cookie else None
    if cookie is None or signed_in is None:
        return ANONYMOUS
    cookies.require_csrf(request, cookie)
    return signed_in


Caller = Annotated[Principal, Depends(get_caller)]


async def get_agent(caller: Caller) -> Principal:
    """The caller, if it is an agent."""
    if caller.anonymous:
        raise UnauthorizedError("This needs an agent's token in the header `Authorization: Bearer TOKEN`.")
    if caller.scope is not Scope.AGENT:
        raise ForbiddenError("Only agents may do this.")
    return caller


Agent = Annotated[Principal, Depends(get_agent)]
