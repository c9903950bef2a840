# SPDX-License-Identifier: Apache-2.0
"""SQL of deliveries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, literal_column, select, text, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, defer

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.db.claims import Claim, locked, over
from nalm_server.git.branch_filters.models import WatchRow
from nalm_server.webhooks.models import DeliveryRow
from nalm_server.webhooks.schemas import DeliveryStatus

RECEIVED: ColumnElement[str] = literal_column(f"'{DeliveryStatus.RECEIVED}'")
"""No parameter: the database must see that the query is about the rows that an index holds."""


HELD = timedelta(seconds=60)
CLAIM = Claim(DeliveryRow.next_at, HELD, DeliveryRow.attempts)


class Due(NamedTuple):
    now: datetime
    longest_wait: timedelta
    """That a delivery is ever put off, or held."""


class Signer(NamedTuple):
    """A project's secrets, sealed."""

    project_id: int
    secret: bytes
    previous: bytes | None
    previous_until: datetime | None


def signers(session: Session, named: str | None, limit: int) -> list[Signer]:
    """The project of this name; without one, projects up to the limit."""
    query = (
        select(ProjectRow.id, ProjectRow.webhook_secret, WatchRow.previous_secret, WatchRow.previous_until)
        .outerjoin(WatchRow, WatchRow.project_id == ProjectRow.id)
        .order_by(ProjectRow.id)
        .limit(limit)
    )
    if named is not None:
        query = query.where(ProjectRow.name == named)
    return [Signer(*row) for row in session.execute(query)]


def lock_known(session: Session, project_id: int, forge: str, delivery: str) -> DeliveryRow:
    return session.scalars(
        select(DeliveryRow)
        .where(
            DeliveryRow.project_id == project_id,
            DeliveryRow.forge == forge,
            DeliveryRow.delivery == delivery,
        )
        .with_for_update(key_share=True)
    ).one()


def add(session: Session, values: dict[str, Any]) -> int | None:
    """Its number. None: it is there already, or somebody who stores it at this moment was first."""
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    statement = (
        insert(DeliveryRow)
        .values(values)
        .on_conflict_do_nothing(index_elements=("project_id", "forge", "delivery"))
    )
    return session.scalars(statement.returning(DeliveryRow.id)).one_or_none()


def lock_all(session: Session, numbers: Collection[int]) -> Sequence[DeliveryRow]:
    """Those that exist, held until the commit."""
    query = select(DeliveryRow).where(DeliveryRow.id.in_(numbers)).order_by(DeliveryRow.id)
    return session.scalars(locked(query)).all()


def longest_waiting(session: Session, due: Due) -> tuple[int, int] | None:
    """(project, attempts) of the delivery that waits longest."""
    found = session.execute(
        select(DeliveryRow.project_id, DeliveryRow.attempts)
        .where(_is_due(due))
        .order_by(DeliveryRow.next_at, DeliveryRow.id)
        .limit(1)
    ).one_or_none()
    return (found[0], found[1]) if found is not None else None


def lock_due(session: Session, due: Due, project_id: int, attempts: int, limit: int) -> Sequence[DeliveryRow]:
    """Those tried so often, in the order in which they came. The caller holds the project's lock."""
    waiting = (
        select(DeliveryRow)
        .where(DeliveryRow.project_id == project_id, DeliveryRow.attempts == attempts, _is_due(due))
        .order_by(DeliveryRow.id)
        .limit(limit)
    )
    return session.scalars(locked(waiting)).all()


def overtaking(session: Session, rows: Sequence[DeliveryRow]) -> list[DeliveryRow]:
    """Of deliveries of one project that are done, those about which an older one may still wait."""
    subjects = {row.about for row in rows if row.about is not None}
    if not subjects:
        return []
    waiting = session.scalars(
        select(DeliveryRow.about)
        .where(
            DeliveryRow.project_id == rows[0].project_id,
            DeliveryRow.about.in_(subjects),
            DeliveryRow.id < max(row.id for row in rows),
            DeliveryRow.status == RECEIVED,
        )
        .distinct()
    ).all()
    return [row for row in rows if row.about in waiting]


def overtake(session: Session, row: DeliveryRow, reason: str, now: datetime) -> None:
    """What came before it about the same is not worked on any more, whoever has it in hand."""
    session.execute(
        update(DeliveryRow)
        .where(
            DeliveryRow.project_id == row.project_id,
            DeliveryRow.about == row.about,
            DeliveryRow.id < row.id,
            DeliveryRow.status == RECEIVED,
        )
        .values(status=DeliveryStatus.IGNORED, reason=reason, worked_at=now, next_at=None)
        .execution_options(synchronize_session=False)
    )


def _is_due(due: Due) -> ColumnElement[bool]:
    return and_(DeliveryRow.status == RECEIVED, over(DeliveryRow.next_at, due.now, due.longest_wait))


def hold(session: Session, claims: Sequence[tuple[int, int]], now: datetime) -> None:
    """(delivery, attempt): claimed for longer; nothing happens if somebody has taken it, or it is done."""
    ours = tuple_(DeliveryRow.id, DeliveryRow.attempts).in_(claims)
    session.execute(CLAIM.renewed(update(DeliveryRow).where(ours, DeliveryRow.status == RECEIVED), now))


def commit_without_waiting(session: Session) -> None:
    """The transaction's end does not wait for PostgreSQL's disk. A crash may undo the last ones as a whole:
    then their deliveries are still to be worked on. What is written on top of them waits for them, too."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SET LOCAL synchronous_commit = off"))


def page(
    session: Session, project_id: int, status: DeliveryStatus | None, before: int | None, limit: int
) -> list[tuple[DeliveryRow, bool]]:
    """Newest first, each with whether its body is kept; the bodies stay where they are."""
    query = select(DeliveryRow, DeliveryRow.body.is_not(None)).where(DeliveryRow.project_id == project_id)
    if status is not None:
        query = query.where(DeliveryRow.status == status)
    if before is not None:
        query = query.where(DeliveryRow.id < before)
    query = query.order_by(DeliveryRow.id.desc()).limit(limit).options(defer(DeliveryRow.body))
    return [(row, kept) for row, kept in session.execute(query)]


def forget_bodies(session: Session, received_before: datetime) -> None:
    """Of deliveries that were worked on."""
    session.execute(
        update(DeliveryRow)
        .where(
            DeliveryRow.received_at < received_before,
            DeliveryRow.body.is_not(None),
            DeliveryRow.status != DeliveryStatus.RECEIVED,
        )
        .values(body=None)
        .execution_options(synchronize_session=False)
    )
