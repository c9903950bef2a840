# SPDX-License-Identifier: Apache-2.0
"""SQL of lists of alerts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Select, exists, select
from sqlalchemy.orm import Session, aliased

from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.alerts.states import AlertState
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.commits.models import CommitRow

AFTER, FIXING = aliased(CommitRow), aliased(CommitRow)


@dataclass(frozen=True)
class ListedAlert:
    """An alert with the related data of lists."""

    alert: AlertRow
    commit: CommitRow
    project: str
    after_sha: str | None
    fixed_by_sha: str | None


@dataclass(frozen=True)
class AlertFilter:
    """Conditions on alerts; None: any."""

    states: Sequence[AlertState] | None = None
    scenario: str | None = None
    assignee: str | None = None
    since: datetime | None = None
    commit: str | None = None
    """A prefix of a SHA."""
    muted: bool | None = None


def _listed() -> Select[AlertRow, CommitRow, str, str, str]:
    return (
        select(AlertRow, CommitRow, ProjectRow.name, AFTER.sha, FIXING.sha)
        .join(CommitRow, CommitRow.id == AlertRow.commit_id)
        .join(ProjectRow, ProjectRow.id == AlertRow.project_id)
        .outerjoin(AFTER, AFTER.id == AlertRow.after_commit_id)
        .outerjoin(FIXING, FIXING.id == AlertRow.fixed_by_id)
    )


def page(
    session: Session,
    project_ids: Sequence[int],
    alert_filter: AlertFilter,
    order: str,
    *,
    limit: int,
    offset: int = 0,
) -> list[ListedAlert]:
    """By severity, or newest first."""
    query = _listed().where(AlertRow.project_id.in_(project_ids))
    if alert_filter.states is not None:
        query = query.where(AlertRow.state.in_(alert_filter.states))
    if alert_filter.assignee is not None:
        query = query.where(AlertRow.assignee == alert_filter.assignee)
    if alert_filter.since is not None:
        query = query.where(AlertRow.created_at >= alert_filter.since)
    if alert_filter.commit is not None:
        query = query.where(CommitRow.sha.startswith(alert_filter.commit, autoescape=True))
    if alert_filter.muted is not None:
        query = query.where(AlertRow.muted.is_(alert_filter.muted))
    if alert_filter.scenario is not None:
        moved = exists().where(
            AlertMoveRow.alert_id == AlertRow.id, AlertMoveRow.scenario == alert_filter.scenario
        )
        query = query.where(moved)
    if order == "severity":
        query = query.order_by(AlertRow.severity.desc().nulls_last())
    query = query.order_by(AlertRow.id.desc()).limit(limit).offset(offset)
    return [ListedAlert(*row) for row in session.execute(query)]


def of(session: Session, alert_ids: Sequence[int]) -> dict[int, ListedAlert]:
    """By id."""
    found = (ListedAlert(*row) for row in session.execute(_listed().where(AlertRow.id.in_(alert_ids))))
    return {one.alert.id: one for one in found}


def one(session: Session, alert_id: int) -> ListedAlert:
    return ListedAlert(*session.execute(_listed().where(AlertRow.id == alert_id)).one())
