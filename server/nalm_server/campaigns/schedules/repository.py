# SPDX-License-Identifier: Apache-2.0
"""SQL of schedules."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from nalm_server.campaigns.schedules.models import ScheduleRow
from nalm_server.db.claims import locked


def add(session: Session, row: ScheduleRow) -> ScheduleRow:
    session.add(row)
    session.flush()
    return row


def get(session: Session, schedule_id: int) -> ScheduleRow | None:
    return session.get(ScheduleRow, schedule_id)


def count(session: Session, project_id: int) -> int:
    query = select(func.count()).select_from(ScheduleRow).where(ScheduleRow.project_id == project_id)
    return session.scalar(query) or 0


def of_project(session: Session, project_id: int) -> list[ScheduleRow]:
    """By name."""
    query = select(ScheduleRow).where(ScheduleRow.project_id == project_id)
    return list(session.scalars(query.order_by(ScheduleRow.name)))


def lock_named(session: Session, project_id: int, name: str) -> ScheduleRow | None:
    """The present row, locked until the commit."""
    query = select(ScheduleRow).where(ScheduleRow.project_id == project_id, ScheduleRow.name == name)
    return session.scalars(locked(query)).one_or_none()


def due(session: Session, now: datetime) -> list[int]:
    """Numbers, longest due first."""
    query = select(ScheduleRow.id).where(ScheduleRow.enabled, ScheduleRow.next_at <= now)
    return list(session.scalars(query.order_by(ScheduleRow.next_at, ScheduleRow.id)))


def lock_free(session: Session, schedule_id: int) -> ScheduleRow | None:
    """The row, locked until the commit. None: there is none, or another worker has it."""
    query = select(ScheduleRow).where(ScheduleRow.id == schedule_id)
    return session.scalars(locked(query, wait=False)).one_or_none()


def remove(session: Session, row: ScheduleRow) -> None:
    session.delete(row)
    session.flush()
