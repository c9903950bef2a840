# SPDX-License-Identifier: Apache-2.0
"""SQL of links over distances: the measured line, and the time that runs take."""

from __future__ import annotations

from datetime import datetime
from statistics import median

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import WITHOUT_RESULT, JobReason
from nalm_server.results.models import RunRow

LAST_RUNS = 20


def default_line(session: Session, project_id: int) -> list[str]:
    """The default branch along the first parent, oldest first."""
    query = select(CommitRow.sha).where(CommitRow.project_id == project_id, CommitRow.listed)
    return list(session.scalars(query.order_by(CommitRow.position, CommitRow.id)))


def failed_pairs(session: Session, project_id: int, since: datetime) -> set[tuple[str, str]]:
    """(base, head) of comparisons over distances that ended without a result since then."""
    query = select(JobRow.base_sha, JobRow.head_sha).where(
        JobRow.project_id == project_id,
        JobRow.reason == JobReason.LINK,
        JobRow.state.in_(WITHOUT_RESULT),
        JobRow.updated_at >= since,
    )
    return {(base, head) for base, head in session.execute(query)}


def seconds_of_run(session: Session, scenario_id: int) -> float | None:
    """Median over the scenario's last measured runs."""
    return _seconds(session, RunRow.scenario_id == scenario_id)


def seconds_of_runs(session: Session, project_id: int) -> float | None:
    """Median over the project's last measured runs."""
    return _seconds(session, RunRow.project_id == project_id)


def _seconds(session: Session, of: ColumnElement[bool]) -> float | None:
    found = session.execute(
        select(RunRow.started_at, RunRow.finished_at)
        .where(of, RunRow.status == "measured", RunRow.import_id.is_(None))
        .order_by(RunRow.id.desc())
        .limit(LAST_RUNS)
    ).all()
    return median((end - begin).total_seconds() for begin, end in found) if found else None
