# SPDX-License-Identifier: Apache-2.0
"""SQL of data that lists show with a project."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, ScalarSelect, Select, case, func, select
from sqlalchemy.orm import Session

from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import OPEN as OPEN_ALERTS
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.branch_filters.models import RepositorySettingsRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.refs.models import BranchRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.queue_repository import QUEUED
from nalm_server.jobs.schemas import HELD, OPEN, JobState
from nalm_server.results.commit_runs_repository import about_commit
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
    branch_error: str | None
    configuration_error: str | None
    """Of the default branch's head; None for one that was pushed since."""
    waiting_job: int | None
    """The most urgent job that waits for a host."""
    failed_job: int | None
    """The newest that failed."""
    done_job: int | None
    """The newest that was measured."""
    last_commit: int | None
    """The newest measured commit."""
    pool: str
    configured: bool
    """Its nalm.toml is on the server."""


def held_jobs(session: Session, project_id: int) -> int:
    """Number of its jobs that hosts have now."""
    query = select(func.count()).where(JobRow.project_id == project_id, JobRow.state.in_(HELD))
    return session.scalars(query).one()


def overviews(session: Session, condition: ColumnElement[bool]) -> list[Overview]:
    """Projects that meet the condition, by name. One query with index probes for each project."""
    found = session.execute(_overviews().where(condition))
    return [Overview._make(row) for row in found.all()]


@lru_cache(maxsize=1)
def _overviews() -> Select[Any]:
    """Made once: that takes longer than to run it."""
    commits = select(func.count()).where(CommitRow.project_id == ProjectRow.id, CommitRow.listed)
    jobs = select(func.count()).where(JobRow.project_id == ProjectRow.id, JobRow.state.in_(OPEN))
    alerts = select(func.count()).where(
        AlertRow.project_id == ProjectRow.id, AlertRow.state.in_(OPEN_ALERTS), AlertRow.muted.is_(False)
    )
    moved = select(func.max(JobRow.updated_at)).where(JobRow.project_id == ProjectRow.id)
    received = select(func.max(RunRow.received_at)).where(RunRow.project_id == ProjectRow.id)
    settings = RepositorySettingsRow
    head = select(BranchRow.sha).where(
        BranchRow.project_id == ProjectRow.id,
        BranchRow.name == ProjectRow.default_branch,
        BranchRow.deleted_at.is_(None),
    )
    of_head = settings.configuration_sha == _of_project(head)
    waiting = _first_job(JobRow.state == QUEUED, JobRow.held.is_(None)).order_by(JobRow.priority, JobRow.id)
    failed = _first_job(JobRow.state == JobState.FAILED).order_by(JobRow.id.desc())
    done = _first_job(JobRow.state == JobState.DONE).order_by(JobRow.id.desc())
    query = select(
        ProjectRow.name,
        ProjectRow.repository,
        ProjectRow.default_branch,
        ProjectRow.public,
        ProjectRow.reference_sha,
        *(_of_project(one) for one in (commits, jobs, alerts, moved, received)),
        settings.reconcile_error,
        settings.branch_error,
        case((of_head, settings.configuration_error), else_=None),
        *(_of_project(one) for one in (waiting, failed, done, _last_commit())),
        ProjectRow.pool,
        ProjectRow.configuration.is_not(None),
    )
    return query.outerjoin(settings, settings.project_id == ProjectRow.id).order_by(ProjectRow.name)


def _first_job(*conditions: ColumnElement[bool]) -> Select[int]:
    return select(JobRow.id).where(JobRow.project_id == ProjectRow.id, *conditions).limit(1)


def jobs_by_id(session: Session, numbers: Collection[int]) -> dict[int, JobRow]:
    if not numbers:
        return {}
    return {row.id: row for row in session.scalars(select(JobRow).where(JobRow.id.in_(numbers)))}


def _last_commit() -> Select[int]:
    """The newest commit with a verdict, searched back from the last commit."""
    return (
        select(CommitRow.id)
        .join(RunRow, RunRow.commit_id == CommitRow.id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(CommitRow.project_id == ProjectRow.id, about_commit())
        .order_by(CommitRow.position.desc(), CommitRow.id.desc())
        .limit(1)
    )


def _of_project(query: Select[Any]) -> ScalarSelect[Any]:
    return query.correlate(ProjectRow).scalar_subquery()
