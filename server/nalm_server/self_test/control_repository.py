# SPDX-License-Identifier: Apache-2.0
"""SQL of controls: which projects are due, and what to measure."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from nalm_core.report.outcome import VALID
from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session, aliased

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN, JobReason
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow


class EqualPair(NamedTuple):
    """Two commits whose code is equal."""

    commit_id: int
    base_sha: str


def projects_with_controls(session: Session) -> list[int]:
    """Projects with at least one control a day."""
    query = select(ProjectRow.id).where(ProjectRow.controls_per_day > 0).order_by(ProjectRow.id)
    return list(session.scalars(query))


def last_at(session: Session, project_id: int) -> datetime | None:
    """Time at which the newest control was queued; without one, of the project's first measurement."""
    control = select(func.max(JobRow.created_at)).where(
        JobRow.project_id == project_id, JobRow.reason == JobReason.CONTROL
    )
    first = select(func.min(RunRow.received_at)).where(
        RunRow.project_id == project_id, RunRow.import_id.is_(None)
    )
    return session.scalar(control) or session.scalar(first)


def is_open(session: Session, project_id: int) -> bool:
    """A control is queued or in progress."""
    query = exists().where(
        JobRow.project_id == project_id, JobRow.reason == JobReason.CONTROL, JobRow.state.in_(OPEN)
    )
    return bool(session.scalar(select(query)))


def unchanged(session: Session, project_id: int, since: datetime) -> EqualPair | None:
    """The newest commit of the default branch with code equal to its base's, unless it was measured as
    control."""
    control = aliased(JobRow)
    done = exists().where(control.commit_id == RunRow.commit_id, control.reason == JobReason.CONTROL)
    query = (
        select(RunRow.commit_id, RunRow.base_sha)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .where(
            RunRow.project_id == project_id,
            RunRow.received_at >= since,
            VerdictRow.unchanged,
            VerdictRow.display == "same",
            CommitRow.listed,
            RunRow.base_sha.is_not(None),
            RunRow.base_sha != RunRow.head_sha,
            ~done,
        )
        .order_by(RunRow.received_at.desc(), RunRow.id.desc())
        .limit(1)
    )
    found = session.execute(query).one_or_none()
    return EqualPair(found[0], str(found[1])) if found is not None else None


def newest(session: Session, project_id: int) -> EqualPair | None:
    """The newest measured commit of the default branch, against itself."""
    query = (
        select(CommitRow.id, CommitRow.sha)
        .join(RunRow, RunRow.commit_id == CommitRow.id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(CommitRow.project_id == project_id, CommitRow.listed, VerdictRow.outcome.in_(VALID))
        .order_by(CommitRow.position.desc())
        .limit(1)
    )
    found = session.execute(query).one_or_none()
    return EqualPair._make(found) if found is not None else None


def scenarios_at(session: Session, commit_id: int) -> list[str]:
    """Scenarios measured at the commit, by name."""
    query = (
        select(ScenarioRow.name)
        .join(RunRow, RunRow.scenario_id == ScenarioRow.id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(RunRow.commit_id == commit_id, VerdictRow.outcome.in_(VALID))
        .distinct()
        .order_by(ScenarioRow.name)
    )
    return list(session.scalars(query))
