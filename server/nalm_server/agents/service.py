# SPDX-License-Identifier: Apache-2.0
"""Leases: the database is the truth of who works on what."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.agents import repository
from nalm_server.agents.schemas import Finish, Finished, Lease, LeaseRequest, Progress, Renewed
from nalm_server.context import Context
from nalm_server.errors import FencedOffError
from nalm_server.jobs import repository as jobs
from nalm_server.jobs import service as job_service
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import HELD, JobState
from nalm_server.projects import repository as projects
from nalm_server.runs import repository as runs
from nalm_server.settings import Settings

STEPS = {
    "building": JobState.BUILDING,
    "measuring": JobState.MEASURING,
    "uploading": JobState.UPLOADING,
}


def host_seen(context: Context, wanted: LeaseRequest) -> None:
    with context.sessions() as session:
        repository.seen(session, wanted.host, wanted.host_class, context.clock())
        session.commit()


def lease_once(context: Context, wanted: LeaseRequest) -> Lease | None:
    """One look for work. Opens a writer's transaction only when there seems to be some."""
    with context.read_sessions() as session:
        if jobs.next_free(session, context.clock()) is None:
            return None
    with context.sessions() as session:
        lease = _lease(session, context.settings, wanted, context.clock())
        session.commit()
    return lease


def _lease(session: Session, settings: Settings, wanted: LeaseRequest, now: datetime) -> Lease | None:
    until = now + timedelta(seconds=settings.lease_seconds)
    while (job := jobs.next_free(session, now)) is not None:
        lost_by = job.host if job.state in HELD else None
        if job.attempts >= settings.job_attempts:
            _set_aside(session, job, now)
            continue
        if not jobs.take(session, job, wanted.host, now, until):
            continue
        reason = f"leased to {wanted.host}"
        if lost_by is not None:
            reason += f": {lost_by} had it and fell silent"
        jobs.add_transition(session, job.id, JobState.LEASED, now, reason)
        session.refresh(job)
        project = projects.lock(session, job.project_id)
        return Lease(
            job_id=job.id,
            fence=job.fence,
            project=project.name,
            repository=project.repository,
            base_sha=job.base_sha,
            head_sha=job.head_sha,
            reason=job.reason,
            lease_seconds=settings.lease_seconds,
        )
    return None


def _set_aside(session: Session, job: JobRow, now: datetime) -> None:
    """A job that takes every agent down with it must not go round for ever."""
    held = job_service.require_locked(session, job.id)
    held.fence += 1
    held.message = (
        f"Given out {held.attempts} times, and each time the agent fell silent; last on {held.host}."
    )
    job_service.move(session, held, JobState.FAILED, now, held.message)
    session.flush()


def _require_holder(job: JobRow, fence: int) -> None:
    if job.fence != fence or job.state not in HELD:
        raise FencedOffError(
            f"Job {job.id} is {job.state} and its fence is {job.fence}, not {fence}: the lease was lost. "
            "Stop working on it and ask for the next one."
        )


def progress(session: Session, settings: Settings, job_id: int, told: Progress, now: datetime) -> Renewed:
    job = job_service.require_locked(session, job_id)
    _require_holder(job, told.fence)
    job.lease_until = now + timedelta(seconds=settings.lease_seconds)
    job.updated_at = now
    job.step, job.detail, job.fraction = told.step, told.detail, told.fraction
    if told.log_tail is not None:
        job.log_tail = told.log_tail
    state = STEPS.get(told.step.split(" ", 1)[0].rstrip(":"), JobState(job.state))
    if state != job.state:
        job_service.move(session, job, state, now, told.step)
    return Renewed(state=state, lease_seconds=settings.lease_seconds)


def finish(session: Session, job_id: int, told: Finish, now: datetime) -> Finished:
    job = job_service.require_locked(session, job_id)
    if job.fence == told.fence and job.state in (JobState.DONE, JobState.FAILED, JobState.INVALID):
        return Finished(state=JobState(job.state))
    _require_holder(job, told.fence)
    outcomes = runs.outcomes_of_job(session, job.id)
    if told.outcome == "failed":
        state, reason = JobState.FAILED, told.message or "the agent could not measure it"
    elif not outcomes:
        state, reason = JobState.FAILED, "the agent called it done, but uploaded no report"
    elif set(outcomes) == {"invalid"}:
        state, reason = JobState.INVALID, "no run was valid"
    else:
        state, reason = JobState.DONE, told.message or f"{len(outcomes)} run(s) taken"
    job.message = told.message or (reason if state is not JobState.DONE else None)
    job.step = job.detail = None
    job.fraction = 1.0 if state is JobState.DONE else job.fraction
    job_service.move(session, job, state, now, reason)
    return Finished(state=state)
