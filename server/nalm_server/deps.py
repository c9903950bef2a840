# SPDX-License-Identifier: Apache-2.0
"""What endpoints are handed: one database session per request, committed here; the caller; the time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Annotated, cast

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.orm import Session

from nalm_server.context import Context
from nalm_server.errors import UnauthorizedError
from nalm_server.tokens.service import ANONYMOUS, Principal, Scope, authenticate

bearer = HTTPBearer(auto_error=False, description="A token made by nalm-server, shown once.")


def get_context(request: Request) -> Context:
    return cast(Context, request.app.state.context)


def get_session(context: Annotated[Context, Depends(get_context)]) -> Iterator[Session]:
    with context.sessions() as session:
        yield session
        session.commit()


def get_read_session(context: Annotated[Context, Depends(get_context)]) -> Iterator[Session]:
    with context.read_sessions() as session:
        yield session


def get_now(context: Annotated[Context, Depends(get_context)]) -> datetime:
    return context.clock()


# scope="function": committed before the answer is sent, so that nobody is told of what is not stored.
Db = Annotated[Session, Depends(get_session, scope="function")]
ReadDb = Annotated[Session, Depends(get_read_session, scope="function")]
Ctx = Annotated[Context, Depends(get_context)]
Now = Annotated[datetime, Depends(get_now)]
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


def requires(*scopes: Scope) -> Callable[..., Principal]:
    """A dependency that answers with the caller when their token has one of the scopes."""

    def principal(context: Ctx, credentials: Credentials) -> Principal:
        if credentials is None:
            raise UnauthorizedError("This needs a token: send the header `Authorization: Bearer TOKEN`.")
        # A session of its own, closed at once: a request that waits for work must hold none.
        with context.read_sessions() as session:
            return authenticate(session, credentials.credentials, scopes)

    return principal


def get_caller(context: Ctx, credentials: Credentials) -> Principal:
    """Whoever calls, anonymous if they say nothing; a wrong token is refused."""
    if credentials is None:
        return ANONYMOUS
    with context.read_sessions() as session:
        return authenticate(session, credentials.credentials, tuple(Scope))


Caller = Annotated[Principal, Depends(get_caller)]
Admin = Annotated[Principal, Depends(requires(Scope.ADMIN))]
Agent = Annotated[Principal, Depends(requires(Scope.AGENT))]
Uploader = Annotated[Principal, Depends(requires(Scope.UPLOAD, Scope.AGENT))]
