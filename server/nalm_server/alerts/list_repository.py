# SPDX-License-Identifier: Apache-2.0
"""SQL of lists of alerts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from nalm_server.alerts.models import AlertMoveRow, AlertRow
from nalm_server.alerts.states import AlertState
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.commits.models import CommitRow

AFTER, FIXING, DRIFT_END = aliased(CommitRow), aliased(CommitRow), aliased(CommitRow)


@dataclass(frozen=True)
class ListedAlert:
    """An alert with the related data of lists."""

    alert: AlertRow
    commit: CommitRow
    project: str
    after_sha: str | None
    fixed_by_sha: str | None
    drift_end_sha: str | None


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
    until: datetime | None = None
    stage: str | None = None
    author: str | None = None
    """A part of the author's name."""
    text: str | None = None
    """Each word must occur in subject, author, stage or a scenario, or begin the SHA."""


def _listed() -> Select[AlertRow, CommitRow, str, str, str, str]:
    return (
        select(AlertRow, CommitRow, ProjectRow.name, AFTER.sha, FIXING.sha, DRIFT_END.sha)
        .join(CommitRow, CommitRow.id == AlertRow.commit_id)
        .join(ProjectRow, ProjectRow.id == AlertRow.project_id)
        .outerjoin(AFTER, AFTER.id == AlertRow.after_commit_id)
        .outerjoin(FIXING, FIXING.id == AlertRow.fixed_by_id)
        .outerjoin(DRIFT_END, DRIFT_END.id == AlertRow.drift_end_id)
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
    query = _listed().where(*_matching(project_ids, alert_filter))
    if order == "severity":
        query = query.order_by(AlertRow.severity.desc().nulls_last())
    query = query.order_by(AlertRow.id.desc()).limit(limit).offset(offset)
    return [ListedAlert(*row) for row in session.execute(query)]


def facets(session: Session, project_id: int, alert_filter: AlertFilter) -> dict[str, dict[str, int]]:
    """By property, the values of the alerts that match with their numbers, the most frequent first."""
    columns = {
        "states": AlertRow.state,
        "stages": AlertRow.stage,
        "authors": CommitRow.author,
        "assignees": AlertRow.assignee,
    }
    matching = _matching([project_id], alert_filter)
    found = {}
    for name, column in columns.items():
        number = func.count()
        counted = (
            select(column, number)
            .select_from(AlertRow)
            .join(CommitRow, CommitRow.id == AlertRow.commit_id)
            .where(*matching, column.is_not(None))
            .group_by(column)
            .order_by(number.desc(), column)
        )
        found[name] = {value: count for value, count in session.execute(counted) if value is not None}
    return found


def _matching(project_ids: Sequence[int], alert_filter: AlertFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [AlertRow.project_id.in_(project_ids)]
    if alert_filter.states is not None:
        conditions.append(AlertRow.state.in_(alert_filter.states))
    if alert_filter.assignee is not None:
        conditions.append(AlertRow.assignee == alert_filter.assignee)
    if alert_filter.since is not None:
        conditions.append(AlertRow.created_at >= alert_filter.since)
    if alert_filter.until is not None:
        conditions.append(AlertRow.created_at < alert_filter.until)
    if alert_filter.stage is not None:
        conditions.append(AlertRow.stage == alert_filter.stage)
    if alert_filter.author is not None:
        conditions.append(CommitRow.author.icontains(alert_filter.author, autoescape=True))
    if alert_filter.commit is not None:
        conditions.append(CommitRow.sha.startswith(alert_filter.commit, autoescape=True))
    if alert_filter.muted is not None:
        conditions.append(AlertRow.muted.is_(alert_filter.muted))
    if alert_filter.scenario is not None:
        conditions.append(_moved(AlertMoveRow.scenario == alert_filter.scenario))
    conditions += [_has(word) for word in (alert_filter.text or "").split()]
    return conditions


def _has(word: str) -> ColumnElement[bool]:
    return or_(
        CommitRow.sha.startswith(word.lower(), autoescape=True),
        CommitRow.subject.icontains(word, autoescape=True),
        CommitRow.author.icontains(word, autoescape=True),
        AlertRow.stage.icontains(word, autoescape=True),
        _moved(AlertMoveRow.scenario.icontains(word, autoescape=True)),
    )


def _moved(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(AlertMoveRow.alert_id == AlertRow.id, condition)


def of(session: Session, alert_ids: Sequence[int]) -> dict[int, ListedAlert]:
    """By id."""
    found = (ListedAlert(*row) for row in session.execute(_listed().where(AlertRow.id.in_(alert_ids))))
    return {one.alert.id: one for one in found}


def one(session: Session, alert_id: int) -> ListedAlert:
    return ListedAlert(*session.execute(_listed().where(AlertRow.id == alert_id)).one())
