# SPDX-License-Identifier: Apache-2.0
"""Weeks of the default branch, each with its overall change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from nalm_core.findings.overall_change import (
    OverallChange,
    Pair,
    overall_change,
    overall_text,
    scenario_changes,
)
from sqlalchemy.orm import Session

from nalm_server.alerts.weeks import repository
from nalm_server.alerts.weeks.calendar import WEEK, name_of, parse, start_of
from nalm_server.alerts.weeks.repository import Span
from nalm_server.alerts.weeks.schemas import Week, WeekCommit, WeekDetail, Weeks
from nalm_server.base.errors import NotFoundError
from nalm_server.git.commits import service as commit_service
from nalm_server.git.commits.models import CommitRow


def list_weeks(session: Session, project_id: int, limit: int, before: str | None) -> Weeks:
    """`limit` calendar weeks from the newest one with a commit; those without a commit are left out."""
    latest = repository.newest(session, project_id, _start(before) if before is not None else None)
    if latest is None:
        return Weeks(weeks=[], before=None)
    end = start_of(latest) + WEEK
    span = Span(project_id, end - limit * WEEK, end)
    pairs = repository.pairs(session, span)
    by_week: dict[datetime, list[CommitRow]] = defaultdict(list)
    for commit, at in repository.commits(session, span):
        by_week[start_of(at)].append(commit)
    earlier = repository.newest(session, project_id, span.start) is not None
    return Weeks(
        weeks=[_week(start, by_week[start], pairs) for start in sorted(by_week, reverse=True)],
        before=name_of(span.start) if earlier else None,
    )


def get_week(session: Session, project_id: int, name: str) -> WeekDetail:
    start = _start(name)
    span = Span(project_id, start, start + WEEK)
    rows = [commit for commit, _ in repository.commits(session, span)]
    if not rows:
        raise NotFoundError(f"No commit of the default branch is from {name}: see `weeks`.")
    pairs = repository.pairs(session, span)
    return WeekDetail(
        **dict(_week(start, rows, pairs)),
        changes=[_commit(row, pairs.get(row.id, [])) for row in rows],
        scenarios=scenario_changes(_together(rows, pairs)),
    )


def week_at(session: Session, project_id: int, now: datetime) -> OverallChange:
    """The overall change of the week of this time."""
    start = start_of(now)
    span = Span(project_id, start, start + WEEK)
    rows = [commit for commit, _ in repository.commits(session, span)]
    return overall_change(_together(rows, repository.pairs(session, span)))


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


def _week(start: datetime, rows: Sequence[CommitRow], pairs: dict[int, list[Pair]]) -> Week:
    return Week(
        week=name_of(start),
        start=start.date(),
        commits=len(rows),
        measured=sum(row.id in pairs for row in rows),
        overall=overall_change(_together(rows, pairs)),
    )


def _together(rows: Sequence[CommitRow], pairs: dict[int, list[Pair]]) -> list[Pair]:
    return [pair for row in rows for pair in pairs.get(row.id, [])]


def _commit(row: CommitRow, pairs: Sequence[Pair]) -> WeekCommit:
    return WeekCommit(**dict(commit_service.ref(row)), overall=overall_change(pairs) if pairs else None)
