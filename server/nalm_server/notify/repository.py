# SPDX-License-Identifier: Apache-2.0
"""SQL of notifications."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Insert, Select, case, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from nalm_server.db.claims import Claim, locked, over
from nalm_server.notify.backoff import LONGEST_REQUESTED_SECONDS
from nalm_server.notify.integrations.models import IntegrationRow
from nalm_server.notify.models import NotificationRow
from nalm_server.notify.schemas import NotificationKind, NotificationState

LONGEST_PAUSE = timedelta(seconds=LONGEST_REQUESTED_SECONDS)
LEASE = timedelta(minutes=10)
"""Longer than any send: a comment may be searched over all its pages."""
CLAIM = Claim(NotificationRow.lease_until, LEASE, NotificationRow.tries)

WAITING, SENDING = NotificationState.WAITING, NotificationState.SENDING


def add_once(session: Session, values: dict[str, Any]) -> bool:
    """Adds it unless the integration has one of this kind and subject. True: it was added."""
    return session.scalar(_insert(session).values(values).returning(NotificationRow.id)) is not None


def _insert(session: Session) -> Any:
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    insert: Insert = dialect.insert(NotificationRow).on_conflict_do_nothing(
        index_elements=["integration_id", "kind", "subject"]
    )
    return insert


def want_again(
    session: Session, integration_id: int, kind: NotificationKind, subject: str, now: datetime
) -> None:
    """Marks a change to send; a sender of the previous state sees it when done."""
    session.execute(
        update(NotificationRow)
        .where(
            NotificationRow.integration_id == integration_id,
            NotificationRow.kind == kind,
            NotificationRow.subject == subject,
        )
        .values(
            requested=NotificationRow.requested + 1,
            tries=case((NotificationRow.state == SENDING, NotificationRow.tries), else_=0),
            state=case((NotificationRow.state == SENDING, SENDING.value), else_=WAITING.value),
            next_try_at=now,
            updated_at=now,
        ),
        execution_options={"synchronize_session": False},
    )


def _due(now: datetime) -> Select[NotificationRow]:
    return (
        select(NotificationRow)
        .join(IntegrationRow, IntegrationRow.id == NotificationRow.integration_id)
        .where(
            IntegrationRow.enabled,
            or_(IntegrationRow.paused_until.is_(None), over(IntegrationRow.paused_until, now, LONGEST_PAUSE)),
            NotificationRow.state == WAITING,
            over(NotificationRow.next_try_at, now, LONGEST_PAUSE),
        )
        .order_by(NotificationRow.next_try_at, NotificationRow.id)
        .limit(1)
    )


def claim(session: Session, now: datetime) -> NotificationRow | None:
    """Claims the one that has waited longest for this sender."""
    row = session.scalars(locked(_due(now), wait=False, of=NotificationRow)).one_or_none()
    if row is not None:
        CLAIM.take(row, now)
        row.state, row.updated_at = SENDING, now
        session.flush()
    return row


def lock(session: Session, number: int) -> NotificationRow | None:
    query = select(NotificationRow).where(NotificationRow.id == number)
    return session.scalars(locked(query)).one_or_none()


def abandoned(session: Session, now: datetime) -> list[NotificationRow]:
    """Those whose sender's claim expired."""
    query = select(NotificationRow).where(NotificationRow.state == SENDING, CLAIM.expired(now))
    return list(session.scalars(locked(query, wait=False)))


def page(
    session: Session, project_id: int, states: Sequence[str] | None, limit: int, below: int | None
) -> list[tuple[NotificationRow, str]]:
    """Newest first, each with its integration's name."""
    query = (
        select(NotificationRow, IntegrationRow.name)
        .join(IntegrationRow, IntegrationRow.id == NotificationRow.integration_id)
        .where(NotificationRow.project_id == project_id)
    )
    if states:
        query = query.where(NotificationRow.state.in_(states))
    if below is not None:
        query = query.where(NotificationRow.id < below)
    rows = session.execute(query.order_by(NotificationRow.id.desc()).limit(limit))
    return [(row, name) for row, name in rows]


def find(session: Session, project_id: int, number: int) -> NotificationRow | None:
    query = select(NotificationRow).where(
        NotificationRow.project_id == project_id, NotificationRow.id == number
    )
    return session.scalars(locked(query)).one_or_none()
