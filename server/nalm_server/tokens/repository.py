# SPDX-License-Identifier: Apache-2.0
"""SQL of tokens."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from nalm_server.tokens.models import TokenRow


def add(session: Session, row: TokenRow) -> TokenRow:
    session.add(row)
    session.flush()
    return row


def find(session: Session, digest: str) -> TokenRow | None:
    return session.scalars(select(TokenRow).where(TokenRow.digest == digest)).one_or_none()


def get(session: Session, token_id: int) -> TokenRow | None:
    return session.get(TokenRow, token_id)


def list_all(session: Session) -> list[TokenRow]:
    return list(session.scalars(select(TokenRow).order_by(TokenRow.id)))


def of_account(session: Session, account_id: int) -> list[TokenRow]:
    return list(
        session.scalars(select(TokenRow).where(TokenRow.account_id == account_id).order_by(TokenRow.id))
    )


def of_project(session: Session, project_id: int) -> list[TokenRow]:
    return list(
        session.scalars(select(TokenRow).where(TokenRow.project_id == project_id).order_by(TokenRow.id))
    )


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
