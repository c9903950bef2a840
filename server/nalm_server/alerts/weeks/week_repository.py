# SPDX-License-Identifier: Apache-2.0
"""SQL of the stored figures of weeks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, exists, insert, select, update
from sqlalchemy.orm import Session, aliased

from nalm_server.alerts.weeks.models import WeekRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.results.models import RunRow

MOST_KEYS = 500
"""Keys of one statement."""


def newest_first(session: Session, project_id: int, before: datetime | None) -> list[WeekRow]:
    query = select(WeekRow).where(WeekRow.project_id == project_id)
    query = query if before is None else query.where(WeekRow.start < before)
    return list(session.scalars(query.order_by(WeekRow.start.desc())))


def find(session: Session, project_id: int, start: datetime) -> WeekRow | None:
    return session.get(WeekRow, (project_id, start))


def since(session: Session, projects: Sequence[int], start: datetime) -> list[WeekRow]:
    """Weeks with figures of these projects from `start`, oldest first."""
    query = select(WeekRow).where(WeekRow.project_id.in_(projects), WeekRow.start >= start)
    return list(session.scalars(query.where(WeekRow.figures.is_not(None)).order_by(WeekRow.start)))


def stale(session: Session) -> list[WeekRow]:
    """Of all projects, newest first."""
    query = select(WeekRow).where(WeekRow.computed != WeekRow.changes)
    return list(session.scalars(query.order_by(WeekRow.start.desc(), WeekRow.project_id)))


def mark(session: Session, project_id: int, starts: Sequence[datetime]) -> None:
    """Adds weeks that there are not yet. The caller holds the project's lock."""
    if not starts:
        return
    known = set(
        session.scalars(
            update(WeekRow)
            .where(WeekRow.project_id == project_id, WeekRow.start.in_(starts))
            .values(changes=WeekRow.changes + 1)
            .returning(WeekRow.start)
            .execution_options(synchronize_session=False)
        )
    )
    missing = [
        {"project_id": project_id, "start": one, "changes": 1, "computed": 0, "figures": None}
        for one in starts
        if one not in known
    ]
    if missing:
        session.execute(insert(WeekRow), missing)


def store(session: Session, row: WeekRow, figures: dict[str, Any], parts: dict[str, Any]) -> None:
    """row: as it was before its figures were computed."""
    session.execute(
        update(WeekRow)
        .where(WeekRow.project_id == row.project_id, WeekRow.start == row.start)
        .values(computed=row.changes, figures=figures, parts=parts)
    )


def times_of_runs(session: Session, commit_ids: Sequence[int]) -> set[datetime]:
    """When the runs of these commits started."""
    return {at for _, _, at in measured(session, commit_ids)}


def measured(session: Session, commit_ids: Sequence[int]) -> list[tuple[int, int, datetime]]:
    """(commit, scenario, start) of the runs of these commits."""
    run = RunRow.__table__.c
    columns = select(run.commit_id, run.scenario_id, run.started_at)
    found = (session.execute(columns.where(some)) for some in _of(commit_ids))
    return [(commit_id, scenario_id, at) for rows in found for commit_id, scenario_id, at in rows]


def _of(commit_ids: Sequence[int]) -> list[ColumnElement[bool]]:
    """Conditions that together are true for the runs of these commits."""
    firsts = range(0, len(commit_ids), MOST_KEYS)
    return [RunRow.commit_id.in_(commit_ids[first : first + MOST_KEYS]) for first in firsts]


def measured_across(session: Session, commit: CommitRow, scenario_id: int) -> list[CommitRow]:
    """Later commits of which a run of the scenario has a base before `commit`."""
    of_commit = {"project": commit.project_id, "position": commit.position}
    return list(session.scalars(_measured_across(), of_commit | {"scenario": scenario_id}))


@cache
def _measured_across() -> Select[CommitRow]:
    """Made once, since each report asks it, and to make it takes longer than to execute it."""
    head, base, any_later = aliased(CommitRow), aliased(CommitRow), aliased(CommitRow)
    project = bindparam("project", type_=CommitRow.project_id.type)
    position = bindparam("position", type_=CommitRow.position.type)
    # By itself, so that the scenario's runs are not read for the newest commit.
    later = exists().where(any_later.project_id == project, any_later.position > position)
    return (
        select(head)
        .join(RunRow, RunRow.commit_id == head.id)
        .join(base, (base.project_id == head.project_id) & (base.sha == RunRow.base_sha))
        .where(head.project_id == project, head.position > position)
        .where(RunRow.scenario_id == bindparam("scenario"))
        .where(head.parent_sha.is_distinct_from(RunRow.base_sha), base.position < position, later)
        .distinct()
    )
