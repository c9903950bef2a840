# SPDX-License-Identifier: Apache-2.0
"""Leases. The database decides which host works on which job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from nalm_core.text.amounts import amount
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.tokens.service import Principal
from nalm_server.base.settings import Settings
from nalm_server.db.context import Context
from nalm_server.jobs import leasing, ports, retries
from nalm_server.jobs import queue_repository as queue
from nalm_server.jobs import repository as jobs
from nalm_server.jobs import service as job_service
from nalm_server.jobs.agents import handover, identity, matching, repository
from nalm_server.jobs.agents.api_version import require_fit, why_unfit
from nalm_server.jobs.agents.schemas import (
    Finish,
    Finished,
    Lease,
    LeasedExperiment,
    LeaseRequest,
    Progress,
    Release,
    Renewed,
)
from nalm_server.jobs.hosts.recording import record_health
from nalm_server.jobs.hosts.schemas import HostState
from nalm_server.jobs.hosts.states import state_of
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.queue_repository import Asker
from nalm_server.jobs.retries import Failure
from nalm_server.jobs.schemas import JobReason, JobState

STEPS = {
    "building": JobState.BUILDING,
    "measuring": JobState.MEASURING,
    "uploading": JobState.UPLOADING,
}


@dataclass(frozen=True)
class NotNow:
    """The host gets no job, and why."""

    reason: str


def host_seen(context: Context, caller: Principal, lease_request: LeaseRequest) -> None:
    """Records what the host reports of itself. Raises ForbiddenError if the caller may not act for it, and
    UpgradeRequiredError for an agent of an unsupported version."""
    unfit = why_unfit(lease_request.api, lease_request.version)
    now = context.clock()
    with context.sessions() as session:
        host = identity.asking(session, caller, lease_request, now)
        host.version, host.last_seen_at, host.unfit = lease_request.version, now, unfit
        host.capabilities = lease_request.capabilities.model_dump() if lease_request.capabilities else None
        if lease_request.health is not None:
            record_health(session, host, lease_request.health, now, lease_request.clock)
        session.commit()
    require_fit(unfit)


def lease_once(context: Context, lease_request: LeaseRequest) -> Lease | NotNow | None:
    """Looks for a job once. Opens a write transaction only if there may be one."""
    now = context.clock()
    with context.read_sessions() as session:
        host = repository.find(session, lease_request.host)
        if host is None:
            return NotNow("this host is no longer known")
        state, reason = state_of(host, now)
        if state not in (HostState.ONLINE, HostState.OFFLINE):  # offline: it may have waited here
            return NotNow(f"{state}: {reason}")
        asker = Asker(lease_request.host, matching.matches(session, host))
        if not queue.anything(session, asker, now, leasing.longest_lease(context.settings)):
            asker = replace(asker, left_to_it=matching.left_to(session, host, asker, now))
            if not asker.left_to_it:
                return None
    with context.sessions() as session:
        lease = _lease(session, context.settings, asker, now)
        session.commit()
    return lease


def _lease(session: Session, settings: Settings, asker: Asker, now: datetime) -> Lease | None:
    job = leasing.take_next(session, settings, asker, now)
    if job is None:
        return None
    project = projects.get(session, job.project_id)
    return Lease(
        job_id=job.id,
        fence=job.fence,
        project=project.name,
        repository=project.repository,
        base_sha=job.base_sha,
        head_sha=job.head_sha,
        reason=job.reason,
        branch=job.branch,
        scenarios=job.scenarios,
        budget_seconds=job.budget_seconds,
        margin=job.margin,
        lease_seconds=settings.lease_seconds,
        measured=ports.results_of(job).scenarios_of_job(session, job.id),
        configuration=project.configuration,
        control=job.reason == JobReason.CONTROL,
        experiment=_experiment(session, job),
        report_bytes=settings.report_bytes,
    )


def _experiment(session: Session, job: JobRow) -> LeasedExperiment | None:
    found = ports.experiment.call(session, job)
    return None if found is None else LeasedExperiment.model_validate(found)


def progress(
    session: Session, settings: Settings, caller: Principal, job_id: int, report: Progress, *, now: datetime
) -> Renewed:
    job = job_service.require_locked(session, job_id)
    identity.require_own(session, caller, job)
    leasing.require_holder(session, job, report.fence, now)
    leasing.lease(settings).hold(job, now)
    identity.working(session, job, report.health, now)
    job.step, job.detail, job.fraction = report.step, report.detail, report.fraction
    if report.log_tail is not None:
        job.log_tail = report.log_tail
    state = STEPS.get(report.step.split(" ", 1)[0].rstrip(":"), JobState(job.state))
    if state is JobState.MEASURING:
        job.generator_busy_since = None
    if state != job.state:
        job_service.move(session, job, state, now, report.step, who=job.host)
    else:
        job_service.touch(session, job, now)
    return Renewed(state=state, lease_seconds=settings.lease_seconds)


def finish(
    session: Session, settings: Settings, caller: Principal, job_id: int, report: Finish, *, now: datetime
) -> Finished:
    if report.under_load is not None and (found := jobs.find(session, job_id)) is not None:
        projects.lock(session, found.project_id)  # before the job's, as those who cancel do
    job = job_service.require_locked(session, job_id)
    identity.require_own(session, caller, job)
    if job.fence == report.fence and job.state in (JobState.DONE, JobState.FAILED, JobState.INVALID):
        return Finished(state=JobState(job.state))
    leasing.require_holder(session, job, report.fence, now)
    if report.outcome == "failed" and report.kind is Failure.INFRASTRUCTURE:
        retries.again_or_failed(
            session, settings, job, now, report.message or "the host could not measure it"
        )
    elif report.outcome == "failed" and report.kind is Failure.GENERATOR_BUSY:
        retries.again_when_free(session, settings, job, now, report.message or "the generator is in use")
    elif not handover.passed_on(session, job, report, now):
        if report.under_load is not None:
            ports.under_load.call(session, job, report.under_load)
        _end(session, job, report, now)
    return Finished(state=JobState(job.state))


def _end(session: Session, job: JobRow, report: Finish, now: datetime) -> None:
    valid = ports.results_of(job).valid_of_job(session, job.id)
    if report.outcome == "failed":
        state, reason = JobState.FAILED, report.message or "the agent could not measure it"
    elif not valid:
        state, reason = JobState.FAILED, "the agent reported it as done, but uploaded no report"
    elif not any(valid):
        state, reason = JobState.INVALID, "no run was valid"
    else:
        state, reason = JobState.DONE, report.message or f"{amount(len(valid), 'run')} taken"
    job.message = report.message or (reason if state is not JobState.DONE else None)
    job.step = job.detail = None
    job.fraction = 1.0 if state is JobState.DONE else job.fraction
    job_service.move(session, job, state, now, reason, who=job.host)


def release(session: Session, caller: Principal, job_id: int, report: Release, now: datetime) -> Finished:
    """Returns the job to the queue at once. Raises FencedOffError if it is over or leased to another host."""
    job = job_service.require_locked(session, job_id)
    identity.require_own(session, caller, job)
    leasing.require_holder(session, job, report.fence, now)
    retries.give_back(session, job, now, report.reason)
    return Finished(state=JobState(job.state))
