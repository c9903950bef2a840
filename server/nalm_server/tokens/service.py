# SPDX-License-Identifier: Apache-2.0
"""Tokens: 256 random bits, shown once, stored as SHA-256 (a random key of that size needs no slow hash)."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy.orm import Session

from nalm_server.errors import ForbiddenError, UnauthorizedError
from nalm_server.tokens import repository

MARK = "nalm_"
"""Begins each token, so that secret scanners can know one."""


class Scope(StrEnum):
    ADMIN = "admin"
    """Adds projects."""
    UPLOAD = "upload"
    """Uploads reports of one project."""
    AGENT = "agent"
    """Takes jobs and uploads their reports."""


@dataclass(frozen=True)
class Principal:
    """Who calls: the holder of a token, an agent, or a signed-in account.

    project_id: the only project a token is for, None: any. scope None: no token.
    """

    scope: Scope | None
    project_id: int | None
    name: str
    agent_id: int | None = None
    """The registered agent that calls with its own credentials."""
    account_id: int | None = None
    """The person signed in, or the owner of a token that may do at most what its owner may."""
    administrator: bool = False
    """The account is one of the whole server's administrators."""

    @property
    def anonymous(self) -> bool:
        return self.scope is None and self.account_id is None and self.agent_id is None


ANONYMOUS = Principal(None, None, "anonymous")


def new_secret() -> str:
    """256 random bits as text."""
    return MARK + secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def issue(session: Session, scope: Scope, name: str, now: datetime, project_id: int | None = None) -> str:
    """A new token, of which only the digest is kept."""
    token = new_secret()
    repository.add(session, digest_of(token), scope=scope, name=name, now=now, project_id=project_id)
    return token


def authenticate(session: Session, token: str, scopes: tuple[Scope, ...]) -> Principal:
    """Who has this token. Raises UnauthorizedError for an unknown or revoked one, ForbiddenError for one for
    something else. Looked up by digest: timing tells nothing of the token."""
    row = repository.find(session, digest_of(token))
    if row is None or row.revoked_at is not None:
        raise UnauthorizedError("This token is unknown or revoked: make one with `nalm-server token new`.")
    if row.scope not in scopes:
        raise ForbiddenError(f"This token is for {row.scope}; this needs one for {' or '.join(scopes)}.")
    return Principal(Scope(row.scope), row.project_id, row.name)
