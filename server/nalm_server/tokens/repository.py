# SPDX-License-Identifier: Apache-2.0
"""SQL of tokens."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from nalm_server.tokens.models import TokenRow


def add(
    session: Session, digest: str, *, scope: str, name: str, now: datetime, project_id: int | None
) -> TokenRow:
    row = TokenRow(
        digest=digest, scope=scope, name=name, project_id=project_id, created_at=now, revoked_at=None
    )
    session.add(row)
    session.flush()
    return row


def find(session: Session, digest: str) -> TokenRow | None:
    return session.scalars(select(TokenRow).where(TokenRow.digest == digest)).one_or_none()


def list_all(session: Session) -> list[TokenRow]:
    return list(session.scalars(select(TokenRow).order_by(TokenRow.id)))


def revoke(session: Session, token_id: int, now: datetime) -> bool:
    """False: there is no such token, or it was revoked before."""
    changed = session.execute(
        update(TokenRow)
        .where(TokenRow.id == token_id, TokenRow.revoked_at.is_(None))
        .values(revoked_at=now)
        .returning(TokenRow.id)
    )
    return changed.first() is not None
