# SPDX-License-Identifier: Apache-2.0
"""SQL of accounts, identities and links."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import Session

from nalm_server.auth.accounts.models import AccountRow, IdentityRow, LinkRow


def add(session: Session, row: AccountRow) -> AccountRow:
    session.add(row)
    session.flush()
    return row


def find(session: Session, name: str) -> AccountRow | None:
    return session.scalars(select(AccountRow).where(AccountRow.name == name.lower())).one_or_none()


def get(session: Session, account_id: int) -> AccountRow | None:
    return session.get(AccountRow, account_id)


def list_all(session: Session) -> list[AccountRow]:
    return list(session.scalars(select(AccountRow).order_by(AccountRow.name)))


def count_administrators(session: Session, *, who_signed_in: bool) -> int:
    """Number of administrators that may sign in."""
    query = (
        select(func.count())
        .select_from(AccountRow)
        .where(AccountRow.administrator, AccountRow.disabled_at.is_(None))
    )
    if who_signed_in:
        query = query.where(AccountRow.signed_in_at.is_not(None))
    return session.scalar(query) or 0


def anyone_signed_in(session: Session) -> bool:
    """True if anyone has ever signed in."""
    return bool(session.scalar(select(exists().where(AccountRow.signed_in_at.is_not(None)))))


def add_link(session: Session, account_id: int, digest: str, expires_at: datetime) -> None:
    """The account's only link: earlier ones become invalid."""
    session.execute(delete(LinkRow).where(LinkRow.account_id == account_id))
    session.add(LinkRow(account_id=account_id, digest=digest, expires_at=expires_at))
    session.flush()


def take_link(session: Session, digest: str) -> tuple[int, datetime] | None:
    """Account and expiry of the link, which is deleted: of two concurrent uses, one gets it."""
    taken = session.execute(
        delete(LinkRow).where(LinkRow.digest == digest).returning(LinkRow.account_id, LinkRow.expires_at)
    ).first()
    return (taken.account_id, taken.expires_at) if taken else None


def find_identity(session: Session, issuer: str, subject: str) -> IdentityRow | None:
    return session.scalars(
        select(IdentityRow).where(IdentityRow.issuer == issuer, IdentityRow.subject == subject)
    ).one_or_none()


def add_identity(session: Session, row: IdentityRow) -> None:
    session.add(row)
    session.flush()
