# SPDX-License-Identifier: Apache-2.0
"""SQL of badges."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import OPEN
from nalm_server.alerts.weeks.badges.models import BadgeTokenRow


def token_of(session: Session, project_id: int) -> BadgeTokenRow | None:
    return session.get(BadgeTokenRow, project_id)


def add_token(session: Session, row: BadgeTokenRow) -> None:
    session.add(row)


def open_alerts(session: Session, project_id: int) -> dict[str, int]:
    """By kind, without muted ones."""
    query = (
        select(AlertRow.kind, func.count())
        .where(AlertRow.project_id == project_id, AlertRow.state.in_(OPEN), AlertRow.muted.is_(False))
        .group_by(AlertRow.kind)
    )
    return {str(kind): count for kind, count in session.execute(query)}
