# SPDX-License-Identifier: Apache-2.0
"""What people do with a job: cancel, retry, boost, approve, reject. Each action is in the audit log."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.roles import Role
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.service import Principal
from nalm_server.base.errors import ConflictError
from nalm_server.jobs import approvals, ports, presentation, service
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN, PRIORITY, JobDetail, JobReason, JobState


def _locked(session: Session, caller: Principal, job_id: int) -> JobRow:
    # Checks the role before it locks: a caller without it must not block others.
    service.require_seen(session, caller, job_id, Role.DEVELOPER)
    return service.require_locked(session, job_id)


def _done(
    session: Session, caller: Principal, verb: str, job: JobRow, *, now: datetime, why: str
) -> JobDetail:
    record(
        session,
        caller,
        f"job.{verb}",
        f"job {job.id}",
        now,
        project_id=job.project_id,
        detail=why or None,
    )
    session.flush()
    return presentation.get_job(session, job.id, now)


def _by(done: str, caller: Principal, why: str) -> str:
    return f"{done} by {caller.name}" + (f": {why}" if why else "")


def cancel(session: Session, caller: Principal, job_id: int, why: str, now: datetime) -> JobDetail:
    """Cancels a job; its agent learns of it at its next heartbeat. Repeating it changes nothing."""
    job = _locked(session, caller, job_id)
    if job.state == JobState.CANCELLED:
        return presentation.get_job(session, job.id, now)
    cancel_locked(session, job, _by("cancelled", caller, why), now, caller.name)
    return _done(session, caller, "cancel", job, now=now, why=why)


def cancel_locked(session: Session, job: JobRow, reason: str, now: datetime, who: str | None) -> None:
    """The caller holds the job's lock."""
    if job.state not in OPEN:
        raise ConflictError(f"Job {job.id} is over: it is {job.state}.")
    job.fence += 1
    service.move(session, job, JobState.CANCELLED, now, reason, who=who)


def cancel_if_open(session: Session, job: JobRow, reason: str, now: datetime, who: str | None) -> None:
    """As cancel_locked; does nothing if the job has ended meanwhile."""
    if job.state in OPEN:
        cancel_locked(session, job, reason, now, who)


def retry(session: Session, caller: Principal, job_id: int, why: str, now: datetime) -> JobDetail:
    """Queues a job again that ended without a valid result; its attempts start from 0."""
    seen = service.require_seen(session, caller, job_id, Role.DEVELOPER)
    projects.lock(session, seen.project_id)
    job = service.require_locked(session, job_id)
    if job.state in OPEN:
        raise ConflictError(f"Job {job.id} is {job.state}: there is nothing to retry yet.")
    if job.state == JobState.INVALID:
        ports.results_of(job).detach_from_job(session, job.id)
    job.fence += 1
    service.begin_again(job)
    reason = _by("retried", caller, why)
    service.move(session, job, JobState.QUEUED, now, reason, who=caller.name)
    return _done(session, caller, "retry", job, now=now, why=why)


def boost(session: Session, caller: Principal, job_id: int, why: str, now: datetime) -> JobDetail:
    """Gives a job the priority of a person's request."""
    job = _locked(session, caller, job_id)
    if job.state != JobState.QUEUED:
        raise ConflictError(f"Job {job.id} is {job.state}: only a queued one can go sooner.")
    job.priority = PRIORITY[JobReason.PERSON]
    service.touch(session, job, now)
    return _done(session, caller, "boost", job, now=now, why=why)


def approve(session: Session, caller: Principal, job_id: int, why: str, now: datetime) -> JobDetail:
    """Approves the commit of a job: releases all jobs of this commit of this repository."""
    seen = service.require_seen(session, caller, job_id, Role.DEVELOPER)
    projects.lock(session, seen.project_id)
    job = _held(service.require_locked(session, job_id))
    for one in approvals.grant(session, job, caller.name, now):
        service.settled(session, one, now, _by("approved", caller, why), caller.name)
    of = f"{job.head_sha} of {job.fork}"
    return _done(session, caller, "approve", job, now=now, why=f"{of}: {why}" if why else of)


def reject(session: Session, caller: Principal, job_id: int, why: str, now: datetime) -> JobDetail:
    """Cancels a job that waits for approval."""
    job = _held(_locked(session, caller, job_id))
    cancel_locked(session, job, _by("rejected", caller, why), now, caller.name)
    return _done(session, caller, "reject", job, now=now, why=why)


def _held(job: JobRow) -> JobRow:
    if job.state != JobState.QUEUED or job.held is None:
        raise ConflictError(f"Job {job.id} is {job.state} and does not wait for approval.")
    return job
