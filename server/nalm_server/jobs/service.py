# SPDX-License-Identifier: Apache-2.0
"""Jobs: their states and how they change."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.commits.models import CommitRow
from nalm_server.errors import NotFoundError
from nalm_server.jobs import repository
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN, Job, JobDetail, JobReason, JobState, Transition
from nalm_server.projects import service as projects
from nalm_server.projects.repository import name_of as project_name
from nalm_server.runs import repository as runs


def enqueue(
    session: Session, commit: CommitRow, base_sha: str, *, reason: JobReason, why: str, now: datetime
) -> JobRow:
    """Queues the measurement of the commit against base; the same one, for the same reason, only once."""
    known = repository.find_for_commit(session, commit.id, base_sha, reason)
    if known is not None:
        return known
    job = repository.add(
        session,
        JobRow(
            project_id=commit.project_id,
            commit_id=commit.id,
            base_sha=base_sha,
            head_sha=commit.sha,
            reason=reason,
            state=JobState.QUEUED,
            attempts=0,
            fence=0,
            created_at=now,
            updated_at=now,
        ),
    )
    repository.add_transition(session, job.id, JobState.QUEUED, now, why)
    return job


def move(session: Session, job: JobRow, state: JobState, now: datetime, reason: str) -> None:
    """Changes the state, and says when and why."""
    job.state = state
    job.updated_at = now
    if state not in OPEN:
        job.finished_at = now
        job.lease_until = None
    repository.add_transition(session, job.id, state, now, reason)


def require_locked(session: Session, job_id: int) -> JobRow:
    job = repository.lock(session, job_id)
    if job is None:
        raise NotFoundError(f"There is no job {job_id}.")
    return job


def list_jobs(
    session: Session, *, project: str | None, states: Sequence[JobState] | None, limit: int
) -> list[Job]:
    project_id = projects.require(session, project).id if project else None
    return [_job(row, name) for row, name in repository.list_jobs(session, project_id, states, limit)]


def get_job(session: Session, job_id: int) -> JobDetail:
    row = repository.find(session, job_id)
    if row is None:
        raise NotFoundError(f"There is no job {job_id}.")
    return JobDetail(
        **dict(_job(row, project_name(session, row.project_id))),
        log_tail=row.log_tail,
        transitions=[Transition.model_validate(one) for one in repository.transitions(session, row.id)],
        run_ids=[run.run_id for run in runs.of_job(session, row.id)],
    )


def _job(row: JobRow, project: str) -> Job:
    fields = {name: getattr(row, name) for name in Job.model_fields if name != "project"}
    return Job(project=project, **fields)
