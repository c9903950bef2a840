# SPDX-License-Identifier: Apache-2.0
"""SQL of data that lists show with a project."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, ScalarSelect, Select, func, select
from sqlalchemy.orm import Session

from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import OPEN as OPEN_ALERTS
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.branch_filters.models import RepositorySettingsRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import HELD, OPEN
from nalm_server.results.models import RunRow, VerdictRow


class Overview(NamedTuple):
    """A project with the related data of lists."""

    name: str
    repository: str
    default_branch: str
    public: bool
    reference_sha: str | None
    commits: int
    jobs_open: int
    alerts_open: int
    job_moved_at: datetime | None
    report_received_at: datetime | None
    repository_error: str | None
    last_run: int | None
    """Number of the judged run of the newest commit."""


def held_jobs(session: Session, project_id: int) -> int:
    """Number of its jobs that hosts have now."""
    query = select(func.count()).where(JobRow.project_id == project_id, JobRow.state.in_(HELD))
    return session.scalars(query).one()


def overviews(session: Session, condition: ColumnElement[bool]) -> list[Overview]:
    """Projects that meet the condition, by name. One query with index probes for each project."""
    commits = select(func.count()).where(CommitRow.project_id == ProjectRow.id, CommitRow.listed)
    jobs = select(func.count()).where(JobRow.project_id == ProjectRow.id, JobRow.state.in_(OPEN))
    alerts = select(func.count()).where(
        AlertRow.project_id == ProjectRow.id, AlertRow.state.in_(OPEN_ALERTS), AlertRow.muted.is_(False)
    )
    moved = select(func.max(JobRow.updated_at)).where(JobRow.project_id == ProjectRow.id)
    received = select(func.max(RunRow.received_at)).where(RunRow.project_id == ProjectRow.id)
    trouble = select(RepositorySettingsRow.reconcile_error).where(
        RepositorySettingsRow.project_id == ProjectRow.id
    )
    subqueries = (
        _of_project(one) for one in (commits, jobs, alerts, moved, received, trouble, _furthest_run())
    )
    query = select(
        ProjectRow.name,
        ProjectRow.repository,
        ProjectRow.default_branch,
        ProjectRow.public,
        ProjectRow.reference_sha,
        *subqueries,
    )
    found = session.execute(query.where(condition).order_by(ProjectRow.name))
    return [Overview._make(row) for row in found.all()]


def _furthest_run() -> Select[int]:
    """The newest judged run of the newest measured commit, searched back from the last commit."""
    return (
        select(RunRow.id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(CommitRow.project_id == ProjectRow.id)
        .order_by(CommitRow.position.desc(), RunRow.received_at.desc(), RunRow.id.desc())
        .limit(1)
    )


def _of_project(query: Select[Any]) -> ScalarSelect[Any]:
    return query.correlate(ProjectRow).scalar_subquery()
