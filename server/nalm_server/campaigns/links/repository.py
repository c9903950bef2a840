# SPDX-License-Identifier: Apache-2.0
"""SQL of links over distances: the measured line, and the time that runs take."""

from __future__ import annotations

from statistics import median

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from nalm_server.git.commits.models import CommitRow
from nalm_server.results.models import RunRow

LAST_RUNS = 20


def default_line(session: Session, project_id: int) -> list[str]:
    """The default branch along the first parent, oldest first."""
    query = select(CommitRow.sha).where(CommitRow.project_id == project_id, CommitRow.listed)
    return list(session.scalars(query.order_by(CommitRow.position, CommitRow.id)))


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
