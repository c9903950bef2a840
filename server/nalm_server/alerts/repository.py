# SPDX-License-Identifier: Apache-2.0
"""SQL of alerts."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.alerts.models import AlertRow


def add_alert(session: Session, row: AlertRow) -> AlertRow:
    session.add(row)
    session.flush()
    return row


def of_project(session: Session, project_id: int, state: str | None = None) -> list[AlertRow]:
    """Newest first."""
    query = select(AlertRow).where(AlertRow.project_id == project_id)
    if state is not None:
        query = query.where(AlertRow.state == state)
    return list(session.scalars(query.order_by(AlertRow.id.desc())))
