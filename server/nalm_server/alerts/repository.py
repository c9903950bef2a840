# SPDX-License-Identifier: Apache-2.0
"""SQL of change points and alerts."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.alerts.models import AlertRow, ChangePointRow


def add_alert(session: Session, row: AlertRow) -> AlertRow:
    session.add(row)
    session.flush()
    return row


def add_change_point(session: Session, row: ChangePointRow) -> ChangePointRow:
    session.add(row)
    session.flush()
    return row


def of_series(session: Session, series_id: int) -> list[ChangePointRow]:
    query = select(ChangePointRow).where(ChangePointRow.series_id == series_id)
    return list(session.scalars(query.order_by(ChangePointRow.id)))


def of_project(session: Session, project_id: int, state: str | None = None) -> list[AlertRow]:
    """Newest first."""
    query = select(AlertRow).where(AlertRow.project_id == project_id)
    if state is not None:
        query = query.where(AlertRow.state == state)
    return list(session.scalars(query.order_by(AlertRow.id.desc())))
