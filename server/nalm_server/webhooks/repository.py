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
from nalm_server.git.branch_filters.models import RepositorySettingsRow
from nalm_server.webhooks.models import DeliveryRow
from nalm_server.webhooks.schemas import DeliveryStatus

RECEIVED: ColumnElement[str] = literal_column(f"'{DeliveryStatus.RECEIVED}'")
"""A literal, not a parameter, so that the planner can use the partial index."""


HELD = timedelta(seconds=60)
CLAIM = Claim(DeliveryRow.next_at, HELD, DeliveryRow.attempts)


class Due(NamedTuple):
    now: datetime
    longest_wait: timedelta
    """Longest time for which a delivery is put off or claimed."""


class Signer(NamedTuple):
    """A project's secrets, encrypted."""

    project_id: int
    secret: bytes
    previous: bytes | None
    previous_until: datetime | None


def signers(session: Session, named: str | None, limit: int) -> list[Signer]:
    """The project of this name; without a name, projects up to the limit."""
    query = (
        select(
            ProjectRow.id,
            ProjectRow.webhook_secret,
            RepositorySettingsRow.previous_secret,
            RepositorySettingsRow.previous_until,
        )
        .outerjoin(RepositorySettingsRow, RepositorySettingsRow.project_id == ProjectRow.id)
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
    """Returns the number. None: it is stored already, or another transaction is storing it."""
    insert = postgresql.insert if session.get_bind().dialect.name == "postgresql" else sqlite.insert
    statement = (
        insert(DeliveryRow)
        .values(values)
        .on_conflict_do_nothing(index_elements=("project_id", "forge", "delivery"))
    )
    return session.scalars(statement.returning(DeliveryRow.id)).one_or_none()


def lock_all(session: Session, numbers: Collection[int]) -> Sequence[DeliveryRow]:
    """Locks the existing ones until the commit."""
    query = select(DeliveryRow).where(DeliveryRow.id.in_(numbers)).order_by(DeliveryRow.id)
    return session.scalars(locked(query)).all()


def longest_waiting(session: Session, due: Due) -> tuple[int, int] | None:
    """(project, attempts) of the delivery that has waited longest."""
    found = session.execute(
        select(DeliveryRow.project_id, DeliveryRow.attempts)
        .where(_is_due(due))
        .order_by(DeliveryRow.next_at, DeliveryRow.id)
        .limit(1)
    ).one_or_none()
    return (found[0], found[1]) if found is not None else None


def lock_due(session: Session, due: Due, project_id: int, attempts: int, limit: int) -> Sequence[DeliveryRow]:
    """Due deliveries with this number of attempts, oldest first. The caller holds the project's lock."""
    waiting = (
        select(DeliveryRow)
        .where(DeliveryRow.project_id == project_id, DeliveryRow.attempts == attempts, _is_due(due))
        .order_by(DeliveryRow.id)
        .limit(limit)
    )
    return session.scalars(locked(waiting)).all()


def overtaking(session: Session, rows: Sequence[DeliveryRow]) -> list[DeliveryRow]:
    """Those of the project's processed deliveries whose subject may have an older delivery waiting."""
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
    """Ends earlier deliveries of the same subject, even if another worker has claimed them."""
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
    """Renews claims, as (delivery, attempt); skips deliveries that are done or claimed by another worker."""
    ours = tuple_(DeliveryRow.id, DeliveryRow.attempts).in_(claims)
    session.execute(CLAIM.renewed(update(DeliveryRow).where(ours, DeliveryRow.status == RECEIVED), now))


def commit_without_waiting(session: Session) -> None:
    """The commit does not wait for PostgreSQL's disk. A crash may undo the last transactions as a whole;
    their deliveries are then processed again. A later commit that depends on them waits for them, too."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SET LOCAL synchronous_commit = off"))


def page(
    session: Session, project_id: int, status: DeliveryStatus | None, before: int | None, limit: int
) -> list[tuple[DeliveryRow, bool]]:
    """Newest first, each with a flag whether its body is stored; the bodies are not loaded."""
    query = select(DeliveryRow, DeliveryRow.body.is_not(None)).where(DeliveryRow.project_id == project_id)
    if status is not None:
        query = query.where(DeliveryRow.status == status)
    if before is not None:
        query = query.where(DeliveryRow.id < before)
    query = query.order_by(DeliveryRow.id.desc()).limit(limit).options(defer(DeliveryRow.body))
    return [(row, kept) for row, kept in session.execute(query)]


def forget_bodies(session: Session, received_before: datetime) -> None:
    """Removes the bodies of processed deliveries."""
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
