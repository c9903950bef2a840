# SPDX-License-Identifier: Apache-2.0
"""Supersedes obsolete jobs. A job in progress continues, unless its pull request moved."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.git.commits import repository as commit_rows
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs import repository, service, shared
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobState


def of_pull_request(
    session: Session, project_id: int, pull_request: int, *, head: str | None, why: str, now: datetime
) -> list[int]:
    """Supersedes the pull request's open jobs, of this head or of any, except those that a person requested,
    and those that another pull request shares."""
    found = repository.open_of_pull_requests(session, project_id, [pull_request])
    old = [job for job in found if head in (None, job.head_sha)]
    drops = [(job, why) for job in old if job.requested_by is None]
    return drop_all(session, shared.pass_on(session, drops, now), now)


def dropped(session: Session, project_id: int, shas: list[str], why: str, now: datetime) -> list[int]:
    """Supersedes queued jobs of pushes of commits that no branch has any more: not those that people
    requested, nor those of releases, whose tags stay."""
    queued = repository.queued_of(session, project_id, shas=shas)
    return drop_all(session, [(job, why) for job in queued], now)


def older_pushes(session: Session, commit: CommitRow, branch: str, now: datetime) -> str | None:
    """Supersedes queued pushes of older commits to the branch. Returns the base of the oldest, also of those
    that an earlier delivery of this push superseded, so that every change is measured once."""
    why = f"{short(commit.sha)} is newer, and this project measures only the latest"
    before = repository.superseded_for(session, commit.project_id, branch, why)
    queued = repository.queued_of(session, commit.project_id, branch=branch)
    older = [job for job in queued if job.commit_id != commit.id and _is_older(session, job, commit)]
    drop_all(session, [(job, why) for job in older], now)
    every = [*before, *older]
    return every[0].base_sha if every else None


def campaign_closed(session: Session, campaign_id: int, why: str, now: datetime) -> list[int]:
    """Supersedes the campaign's queued jobs."""
    numbers = repository.open_of_campaign(session, campaign_id)
    locked = [service.require_locked(session, number) for number in numbers]
    return drop_all(session, [(job, why) for job in locked if job.state == JobState.QUEUED], now)


def _is_older(session: Session, job: JobRow, commit: CommitRow) -> bool:
    other = commit_rows.find_by_id(session, job.commit_id)
    return other is not None and other.position < commit.position


def drop_all(session: Session, drops: Sequence[tuple[JobRow, str]], now: datetime) -> list[int]:
    """Supersedes jobs of one project, each with its reason, in any state; returns their numbers. The
    caller holds their locks."""
    for job, _ in drops:
        job.fence += 1
    service.move_all(session, drops, JobState.SUPERSEDED, now)
    return [job.id for job, _ in drops]
