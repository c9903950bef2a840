# SPDX-License-Identifier: Apache-2.0
"""SQL of alerts and what moved."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.alerts.models import AlertMoveRow, AlertRow, AlertStateRow
from nalm_server.alerts.states import AlertState
from nalm_server.commits.models import CommitRow
from nalm_server.judgement.models import ChangePointRow


def add_alert(session: Session, row: AlertRow) -> AlertRow:
    session.add(row)
    session.flush()
    return row


def of_commit(session: Session, commit_id: int) -> AlertRow | None:
    return session.scalars(select(AlertRow).where(AlertRow.commit_id == commit_id)).one_or_none()


def fixed_by(session: Session, commit_id: int) -> list[AlertRow]:
    return list(session.scalars(select(AlertRow).where(AlertRow.fixed_by_id == commit_id)))


def with_commits(session: Session, project_id: int) -> list[tuple[AlertRow, CommitRow]]:
    """Alerts that stand for something, each with its culprit, newest culprit first."""
    rows = session.execute(
        select(AlertRow, CommitRow)
        .join(CommitRow, CommitRow.id == AlertRow.commit_id)
        .where(AlertRow.project_id == project_id, AlertRow.state != AlertState.DISMISSED)
        .order_by(CommitRow.position.desc(), AlertRow.id.desc())
    )
    return [(alert, commit) for alert, commit in rows]


def moves(session: Session, alert_id: int) -> list[AlertMoveRow]:
    query = select(AlertMoveRow).where(AlertMoveRow.alert_id == alert_id)
    return list(session.scalars(query.order_by(AlertMoveRow.id)))


def moves_at(session: Session, commit_id: int) -> list[AlertMoveRow]:
    query = select(AlertMoveRow).where(AlertMoveRow.commit_id == commit_id)
    return list(session.scalars(query.order_by(AlertMoveRow.id)))


def add_state(session: Session, row: AlertStateRow) -> None:
    session.add(row)
    session.flush()


def states(session: Session, alert_id: int) -> list[AlertStateRow]:
    query = select(AlertStateRow).where(AlertStateRow.alert_id == alert_id)
    return list(session.scalars(query.order_by(AlertStateRow.id)))


def change_points(session: Session, numbers: Sequence[int]) -> list[ChangePointRow]:
    return list(session.scalars(select(ChangePointRow).where(ChangePointRow.id.in_(numbers))))


def parent_position(session: Session, commit: CommitRow) -> int:
    """Of its first parent; the one before its own while the parent is not known."""
    if commit.parent_sha is None:
        return commit.position - 1
    found = session.scalar(
        select(CommitRow.position).where(
            CommitRow.project_id == commit.project_id, CommitRow.sha == commit.parent_sha
        )
    )
    return commit.position - 1 if found is None else found
