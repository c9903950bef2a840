# SPDX-License-Identifier: Apache-2.0
"""Tokens: 256 random bits, shown once, stored as SHA-256 (a random key of that size needs no slow hash)."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.auth.accounts import repository as account_rows
from nalm_server.auth.tokens import repository
from nalm_server.auth.tokens.models import TokenRow
from nalm_server.auth.tokens.principal import ANONYMOUS, Principal
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.base.errors import UnauthorizedError

__all__ = ["ANONYMOUS", "Principal", "Scope", "authenticate", "digest_of", "issue", "new_secret"]

MARK = "nalm_"
"""Prefix of each token, by which secret scanners recognise it."""
USE_NOTED_EVERY = timedelta(hours=1)


def new_secret() -> str:
    """256 random bits as text."""
    return MARK + secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def issue(
    session: Session,
    scope: Scope,
    name: str,
    now: datetime,
    project_id: int | None = None,
    *,
    account_id: int | None = None,
    expires_at: datetime | None = None,
) -> str:
    """A new token, of which only the digest is stored."""
    token = new_secret()
    repository.add(
        session,
        TokenRow(
            digest=digest_of(token),
            scope=scope,
            name=name,
            project_id=project_id,
            account_id=account_id,
            created_at=now,
            expires_at=expires_at,
        ),
    )
    return token


def authenticate(session: Session, token: str, now: datetime) -> tuple[Principal, TokenRow]:
    """The holder of this token. Raises UnauthorizedError for a token that is unknown, revoked or expired, or
    whose owner is gone. The lookup is by digest, so its timing reveals nothing of the token."""
    row = repository.find(session, digest_of(token))
    if row is None or row.revoked_at is not None:
        raise UnauthorizedError("This token is unknown or revoked: make a new one.")
    if row.expires_at is not None and row.expires_at <= now:
        raise UnauthorizedError(f"This token expired on {row.expires_at:%Y-%m-%d}: make a new one.")
    owner = account_rows.get(session, row.account_id) if row.account_id is not None else None
    if owner is not None and owner.disabled_at is not None:
        raise UnauthorizedError("This token's owner may no longer sign in.")
    caller = Principal(
        Scope(row.scope),
        row.project_id,
        f"{owner.name} ({row.name})" if owner else row.name,
        agent_id=row.agent_id,
        account_id=row.account_id,
        administrator=owner is not None and owner.administrator,
    )
    return caller, row


def use_is_news(row: TokenRow, now: datetime) -> bool:
    """True if last_used_at, which is coarse, needs an update."""
    return row.last_used_at is None or now - row.last_used_at >= USE_NOTED_EVERY
