# SPDX-License-Identifier: Apache-2.0
"""SQL of deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session, defer

from nalm_server.hooks.models import DeliveryRow
from nalm_server.hooks.schemas import DeliveryStatus
from nalm_server.projects.models import ProjectRow
from nalm_server.watches.models import WatchRow


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


def lock(session: Session, number: int) -> DeliveryRow | None:
    return session.scalars(
        select(DeliveryRow)
        .where(DeliveryRow.id == number)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one_or_none()


def lock_due(session: Session, now: datetime) -> DeliveryRow | None:
    """The delivery that waits longest and that nobody else is taking."""
    return session.scalars(
        select(DeliveryRow)
        .where(DeliveryRow.status == DeliveryStatus.RECEIVED, DeliveryRow.next_at <= now)
        .order_by(DeliveryRow.next_at, DeliveryRow.id)
        .limit(1)
        .with_for_update(key_share=True, skip_locked=True)
    ).one_or_none()


def hold(session: Session, number: int, attempt: int, until: datetime) -> None:
    """Nobody else takes it before; nothing happens if somebody has, or it is done."""
    session.execute(
        update(DeliveryRow)
        .where(
            DeliveryRow.id == number,
            DeliveryRow.attempts == attempt,
            DeliveryRow.status == DeliveryStatus.RECEIVED,
        )
        .values(next_at=until)
        .execution_options(synchronize_session=False)
    )


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
