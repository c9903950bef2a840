# SPDX-License-Identifier: Apache-2.0
"""SQL of tokens."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, select, true, update
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.accounts.models import AccountRow
from nalm_server.auth.tokens.models import TokenRow
from nalm_server.auth.tokens.schemas import Token
from nalm_server.auth.tokens.scopes import Scope

BY_DIGEST = select(TokenRow).where(TokenRow.digest == bindparam("digest"))
"""Of nearly every request: to build it each time takes a fifth of it."""


def add(session: Session, row: TokenRow) -> TokenRow:
    session.add(row)
    session.flush()
    return row


def find(session: Session, digest: str) -> TokenRow | None:
    return session.scalars(BY_DIGEST, {"digest": digest}).one_or_none()


def get(session: Session, token_id: int) -> TokenRow | None:
    return session.get(TokenRow, token_id)


def described(session: Session, condition: ColumnElement[bool]) -> list[Token]:
    """Tokens that meet the condition, newest first, with the names of project and owner."""
    found = session.execute(
        select(TokenRow, ProjectRow.name, AccountRow.name)
        .outerjoin(ProjectRow, ProjectRow.id == TokenRow.project_id)
        .outerjoin(AccountRow, AccountRow.id == TokenRow.account_id)
        .where(condition)
        .order_by(TokenRow.id.desc())
    )
    return [
        Token(
            id=row.id,
            name=row.name,
            scope=Scope(row.scope),
            project=project,
            owner=owner,
            created_at=row.created_at,
            expires_at=row.expires_at,
            last_used_at=row.last_used_at,
            revoked_at=row.revoked_at,
        )
        for row, project, owner in found
    ]


def list_all(session: Session) -> list[Token]:
    """Every token, oldest first."""
    return described(session, true())[::-1]


def used(session: Session, token_id: int, now: datetime) -> None:
    session.execute(update(TokenRow).where(TokenRow.id == token_id).values(last_used_at=now))


def revoke(session: Session, token_id: int, now: datetime) -> bool:
    """False: there is no such token, or it was revoked before."""
    changed = session.execute(
        update(TokenRow)
        .where(TokenRow.id == token_id, TokenRow.revoked_at.is_(None))
        .values(revoked_at=now)
        .returning(TokenRow.id)
    )
    return changed.first() is not None
