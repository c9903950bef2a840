# SPDX-License-Identifier: Apache-2.0
"""SQL of sessions."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from nalm_server.auth.accounts.models import AccountRow
from nalm_server.auth.sign_in.models import SessionRow


def add(session: Session, row: SessionRow) -> SessionRow:
    session.add(row)
    session.flush()
    return row


def find(session: Session, digest: str) -> tuple[SessionRow, AccountRow] | None:
    found = session.execute(
        select(SessionRow, AccountRow)
        .join(AccountRow, AccountRow.id == SessionRow.account_id)
        .where(SessionRow.digest == digest)
    ).first()
    return (found[0], found[1]) if found else None


def get(session: Session, session_id: int) -> SessionRow | None:
    return session.get(SessionRow, session_id)


def seen(session: Session, session_id: int, now: datetime) -> None:
    session.execute(update(SessionRow).where(SessionRow.id == session_id).values(seen_at=now))


def end(session: Session, session_id: int) -> None:
    session.execute(delete(SessionRow).where(SessionRow.id == session_id))


def end_all(session: Session, account_id: int, *, but: int | None = None) -> None:
    """Ends all sessions of the account, except `but`."""
    session.execute(
        delete(SessionRow).where(SessionRow.account_id == account_id, SessionRow.id != (but or 0))
    )


def end_expired(session: Session, account_id: int, now: datetime) -> None:
    session.execute(
        delete(SessionRow).where(SessionRow.account_id == account_id, SessionRow.expires_at <= now)
    )
