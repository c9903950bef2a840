# SPDX-License-Identifier: Apache-2.0
"""What happens to a job that its agent returns or could not measure."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum

from nalm_core.wire.backoff import Backoff
from sqlalchemy.orm import Session

from nalm_server.base.settings import Settings
from nalm_server.jobs import repository, service
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobState
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake

RETRY = Backoff(first_seconds=30.0, longest_seconds=15 * 60.0)
ELSEWHERE = timedelta(minutes=2)
"""How long other hosts have precedence over the one that gave the job up."""
RETURNED = Backoff(first_seconds=15.0, longest_seconds=ELSEWHERE.total_seconds())
"""Pauses before a job that the same host returns again and again."""
COUNTED = timedelta(minutes=20)
"""Time after which a return no longer counts."""


class Failure(StrEnum):
    """Why a job could not be measured."""

    BUILD = "build"
    """The commit does not build: a retry cannot help."""
    NF = "nf"
    """The NF does not run."""
    INFRASTRUCTURE = "infrastructure"
    """A fault of the host, the network or the agent: disk full, timeout, out of memory. Retried."""
    GENERATOR_BUSY = "generator_busy"
    """Somebody else uses the generator. Tried again later; not counted as an attempt."""


def policy(settings: Settings) -> Backoff:
    return replace(RETRY, tries=settings.job_attempts)


def again_or_failed(session: Session, settings: Settings, job: JobRow, now: datetime, reason: str) -> None:
    """After a failure of the infrastructure: queues the job again, for another host if there is one, until
    `job_attempts` are used up."""
    job.fence += 1
    job.generator_busy_since = None
    if policy(settings).used_up(job.attempts):
        job.message = f"Leased {job.attempts} times without a result; last on {job.host}: {reason}"
        service.move(session, job, JobState.FAILED, now, job.message, who=job.host)
        return
    pause = RETRY.pause(job.attempts)
    job.message = reason
    _queue_elsewhere(session, job, now, now + pause, f"tried again in {pause.seconds} s: {reason}")
    wake(session, Work.JOBS)


def again_when_free(session: Session, settings: Settings, job: JobRow, now: datetime, reason: str) -> None:
    """Queues a job again whose generator somebody else uses; not counted as an attempt. Each pause is as long
    as the job has waited so far, within those of RETRY. Fails it after `generator_busy_hours`."""
    job.fence += 1
    job.attempts -= 1
    since = job.generator_busy_since or now
    first_line = (reason.splitlines() or [""])[0]
    if now - since >= timedelta(hours=settings.generator_busy_hours):
        job.generator_busy_since = None
        job.message = f"Its generator was in use for {settings.generator_busy_hours:g} h: {first_line}"
        service.move(session, job, JobState.FAILED, now, job.message, who=job.host)
        return
    waited = (now - since).total_seconds()
    pause = timedelta(seconds=min(max(waited, RETRY.first_seconds), RETRY.longest_seconds))
    job.generator_busy_since, job.message, job.not_before = since, first_line, now + pause
    job.avoid_host = job.avoid_until = job.lease_until = None
    job.step = job.detail = job.fraction = None
    said = f"tried again in {pause.seconds} s: {first_line}"
    service.move(session, job, JobState.QUEUED, now, said, who=job.host)
    wake(session, Work.JOBS)


def give_back(session: Session, job: JobRow, now: datetime, reason: str) -> None:
    """Queues a job that its agent cannot continue, at once, and after a pause if the same host returned it
    before; not counted as an attempt."""
    job.fence += 1
    job.attempts -= 1
    returns = repository.count_queued_by(session, job.id, job.host, now - COUNTED) if job.host else 0
    at = now + RETURNED.pause(returns) if returns else now
    _queue_elsewhere(session, job, now, at, f"{job.host} returned it: {reason or 'no reason given'}")


def _queue_elsewhere(session: Session, job: JobRow, now: datetime, at: datetime, reason: str) -> None:
    job.not_before = at if at > now else None
    job.avoid_host, job.avoid_until = job.host, at + ELSEWHERE
    job.lease_until = None
    job.step = job.detail = job.fraction = None
    service.move(session, job, JobState.QUEUED, now, reason, who=job.host)
