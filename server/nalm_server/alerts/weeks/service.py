# SPDX-License-Identifier: Apache-2.0
"""Weeks of the default branch, each with its overall change."""

from __future__ import annotations

from datetime import datetime

from nalm_core.findings.overall_change import OverallChange, overall_change, overall_text
from sqlalchemy.orm import Session

from nalm_server.alerts.weeks import figures, repository, week_repository
from nalm_server.alerts.weeks.calendar import WEEK, name_of, parse, start_of
from nalm_server.alerts.weeks.figures import WeekFigures
from nalm_server.alerts.weeks.schemas import Week, WeekCommit, WeekDetail, Weeks
from nalm_server.base.errors import NotFoundError
from nalm_server.git.commits import service as commit_service
from nalm_server.git.commits.models import CommitRow


def list_weeks(session: Session, project_id: int, limit: int, before: str | None, now: datetime) -> Weeks:
    """`limit` calendar weeks from the newest one with a commit; those without a commit are left out. Weeks to
    come, which only a wrong clock has, hide none of these."""
    found: list[Week] = []
    first: datetime | None = None
    for row in week_repository.newest_first(session, project_id, _start(before) if before else None):
        one = figures.current(session, row)
        if not one.commits:
            continue
        if first is None and row.start <= now:
            first = row.start - (limit - 1) * WEEK
        if first is not None and row.start < first:
            return Weeks(weeks=found, before=name_of(first))
        found.append(_week(row.start, one))
    return Weeks(weeks=found, before=None)


def get_week(session: Session, project_id: int, name: str) -> WeekDetail:
    start = _start(name)
    week = week_repository.find(session, project_id, start)
    rows = figures.commits(session, week) if week is not None else []
    if week is None or not rows:
        raise NotFoundError(f"No commit of the default branch is from {name}: see `weeks`.")
    found, parts = figures.with_parts(session, week, rows)
    return WeekDetail(
        **dict(_week(start, found)),
        changes=[_commit(row, parts.commits.get(row.id)) for row in rows],
        scenarios=parts.scenarios,
    )


def week_at(session: Session, project_id: int, now: datetime) -> OverallChange:
    """The overall change of the week of this time."""
    row = week_repository.find(session, project_id, start_of(now))
    return figures.current(session, row).overall if row is not None else overall_change([])


def text_of_commit(session: Session, commit_id: int, base_sha: str | None) -> str | None:
    """The overall change of a pair of commits in one line. None with fewer than two scenarios: their verdict
    says it."""
    pairs = repository.pairs_of(session, commit_id, base_sha)
    return overall_text(overall_change(pairs)) if len(pairs) > 1 else None


def _start(name: str) -> datetime:
    try:
        return parse(name)
    except ValueError as error:
        raise NotFoundError(f"There is no week {name}: {error}.") from error


def _week(start: datetime, found: WeekFigures) -> Week:
    return Week(week=name_of(start), start=start.date(), **dict(found))


def _commit(row: CommitRow, overall: OverallChange | None) -> WeekCommit:
    return WeekCommit(**dict(commit_service.ref(row)), overall=overall)
