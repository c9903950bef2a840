# SPDX-License-Identifier: Apache-2.0
"""SQL of deliveries."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session, defer

from nalm_server.hooks.models import DeliveryRow
from nalm_server.hooks.schemas import DeliveryStatus


def find(session: Session, project_id: int, forge: str, delivery: str) -> DeliveryRow | None:
    return session.scalars(
        select(DeliveryRow).where(
            DeliveryRow.project_id == project_id,
            DeliveryRow.forge == forge,
            DeliveryRow.delivery == delivery,
        )
    ).one_or_none()


def add(session: Session, row: DeliveryRow) -> DeliveryRow:
    session.add(row)
    session.flush()
    return row


def lock(session: Session, number: int) -> DeliveryRow | None:
    return session.scalars(
        select(DeliveryRow)
        .where(DeliveryRow.id == number)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one_or_none()


def lock_due(session: Session, now: datetime) -> DeliveryRow | None:
    """The delivery that waits longest and that nobody else is taking."""
    return session.scalars(
        select(DeliveryRow)
        .where(DeliveryRow.status == DeliveryStatus.RECEIVED, DeliveryRow.next_at <= now)
        .order_by(DeliveryRow.next_at, DeliveryRow.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).one_or_none()


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
