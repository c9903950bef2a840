# SPDX-License-Identifier: Apache-2.0
"""Jobs that several pull requests share: these have the same head and the same base."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.git.refs import repository as refs
from nalm_server.git.refs.models import PullRequestRow
from nalm_server.jobs import service
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobState


def requests_of(session: Session, job: JobRow) -> list[int]:
    """The numbers of the job's pull request and of other open ones that share it."""
    if job.pull_request is None:
        return []
    open_ones = refs.open_with_heads(session, job.project_id, [job.head_sha])
    others = {row.number for row in open_ones if row.base_sha == job.base_sha}
    return sorted({job.pull_request} | others)


def pass_on(session: Session, drops: Sequence[tuple[JobRow, str]], now: datetime) -> list[tuple[JobRow, str]]:
    """Gives jobs of pull requests to another open one that shares them, and returns those without one.

    drops: jobs of one project, each with the reason why its pull request no longer needs it. The caller holds
    their locks, and has stored the state of their pull requests.
    """
    if not drops:
        return []
    heads = {job.head_sha for job, _ in drops}
    open_ones = refs.open_with_heads(session, drops[0][0].project_id, heads)
    left = []
    for job, why in drops:
        pair = (job.head_sha, job.base_sha)
        sharing = (row for row in open_ones if (row.head_sha, row.base_sha) == pair)
        other = next((row for row in sharing if row.number != job.pull_request), None)
        if other is None:
            left.append((job, why))
        else:
            _give(session, job, other, f"{why}, pull request {other.number} has the same commits", now)
    return left


def _give(session: Session, job: JobRow, request: PullRequestRow, why: str, now: datetime) -> None:
    """A job that is under way keeps the thresholds and the origin with which it was leased."""
    job.pull_request = request.number
    if job.state != JobState.QUEUED:
        service.touch(session, job, now)
        return
    job.branch = request.base_branch or job.branch
    job.fork = request.fork if job.fork is not None else None
    service.settled(session, job, now, why, None)
