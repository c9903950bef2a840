# SPDX-License-Identifier: Apache-2.0
"""Leases jobs: which job is next, and what happens to a job whose lease expires."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from nalm_server.base.errors import FencedOffError
from nalm_server.base.settings import Settings
from nalm_server.db.claims import Claim
from nalm_server.jobs import queue_repository as queue
from nalm_server.jobs import retries, service
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.queue_repository import Asker
from nalm_server.jobs.schemas import HELD, JobState

TURNS = 20
"""Maximum number of projects searched for one request, in the order of their turns."""
LOST_AT_ONCE = 100
BACK_AGAIN = timedelta(seconds=60)
"""Length of the lease of an agent that returns late."""


def take_next(session: Session, settings: Settings, asker: Asker, now: datetime) -> JobRow | None:
    """Leases the next job that the asker may take; None if there is none."""
    take_back_lost(session, settings, now)
    for turn in queue.turns(session, asker, now, TURNS):
        job = queue.first(session, asker, turn, now)
        if job is not None:
            _give(session, job, asker.host, now, settings)
            return job
    left = queue.first_left(session, asker, now) if asker.left_to_it else None
    if left is not None:
        _give(session, left, asker.host, now, settings)
    return left


def _give(session: Session, job: JobRow, host: str, now: datetime, settings: Settings) -> None:
    job.fence += 1
    lease(settings).take(job, now)
    job.leased_at = now
    job.host = host
    job.step = job.detail = job.fraction = job.log_tail = job.message = None
    job.not_before = job.avoid_host = job.avoid_until = None
    service.move(session, job, JobState.LEASED, now, f"leased to {host}", who=host)
    session.flush()


def lease(settings: Settings) -> Claim:
    """An agent's claim of a job."""
    return Claim(JobRow.lease_until, timedelta(seconds=settings.lease_seconds), JobRow.attempts)


def longest_lease(settings: Settings) -> timedelta:
    return max(timedelta(seconds=settings.lease_seconds), BACK_AGAIN)


def take_back_lost(session: Session, settings: Settings, now: datetime) -> int:
    """Queues jobs with expired leases, or fails them after too many attempts. Returns their number."""
    lost = queue.lost(session, now, longest_lease(settings), LOST_AT_ONCE)
    for job in lost:
        if retries.policy(settings).used_up(job.attempts):
            _set_aside(session, job, now)
        else:
            service.move(session, job, JobState.QUEUED, now, f"the lease of {job.host} expired")
            lease(settings).release(job)
    session.flush()
    return len(lost)


def _set_aside(session: Session, job: JobRow, now: datetime) -> None:
    """Fails a job that has used up its attempts: it may be what crashes its agents."""
    job.fence += 1
    job.message = f"Leased {job.attempts} times without a result; the last lease, of {job.host}, expired."
    service.move(session, job, JobState.FAILED, now, job.message)


def require_holder(session: Session, job: JobRow, fence: int, now: datetime) -> None:
    """Raises FencedOffError unless this is the newest lease.

    An agent that was silent for too long keeps its job if no other host has leased it since: its work is not
    repeated.
    """
    waits = job.state == JobState.QUEUED and job.held is not None
    if job.fence != fence or waits or job.state not in (*HELD, JobState.QUEUED):
        raise FencedOffError(
            f"Job {job.id} is {job.state} and its fence is {job.fence}, not {fence}: the lease was lost. "
            "Stop working on it and ask for the next one."
        )
    if job.state == JobState.QUEUED:
        job.lease_until = now + BACK_AGAIN
        reason = f"{job.host} is back before another host took it"
        service.move(session, job, JobState.LEASED, now, reason, who=job.host)
