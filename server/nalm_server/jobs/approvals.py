# SPDX-License-Identifier: Apache-2.0
"""Commits of forks wait for a developer's approval: a build runs what the commit contains.

An approval is for one commit of one repository. The project's policy and the approvals decide whether a job
waits, each time the job is queued and whenever one of them changes. No other state is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.base.errors import ConflictError
from nalm_server.git.branch_filters.filters import ForkPullRequests
from nalm_server.git.commits import repository as commits
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs import approval_repository as repository
from nalm_server.jobs.models import ApprovalRow, JobRow
from nalm_server.jobs.schemas import JobState


@dataclass(frozen=True)
class Origin:
    """The repository in which a commit was seen."""

    fork: str | None
    """Name of the fork at its forge. None: the project's own repository."""


OWN = Origin(None)


def origin(session: Session, commit: CommitRow) -> Origin:
    """A commit of a fork's pull request belongs to the fork until the project's repository has it."""
    return origin_on_line(session, commit, commit.sha)


def origin_on_line(session: Session, commit: CommitRow, tip: str) -> Origin:
    """The origin of a commit that is measured as part of the line that leads to `tip`."""
    if repository.is_own(session, commit):
        return OWN
    forks = (repository.newest_fork(session, commit.project_id, sha) for sha in (commit.sha, tip))
    return Origin(next((fork for fork in forks if fork is not None), None))


def hold(session: Session, job: JobRow) -> str | None:
    """Why the job waits for approval. None: it does not."""
    return holds(session, [job])[0]


def holds(session: Session, jobs: Sequence[JobRow]) -> list[str | None]:
    """As `hold`, for jobs of one project, in their order."""
    commits = {(job.head_sha, job.fork) for job in jobs if job.fork is not None}
    if not commits:
        return [None] * len(jobs)
    policy, approved = repository.rules(session, jobs[0].project_id, commits)
    return [_hold(job, policy, approved=(job.head_sha, job.fork) in approved) for job in jobs]


def _hold(job: JobRow, policy: ForkPullRequests, *, approved: bool) -> str | None:
    if job.fork is None:
        return None
    of = f"pull request {job.pull_request}" if job.pull_request is not None else short(job.head_sha)
    if policy is ForkPullRequests.NEVER:
        return f"{of} comes from a fork, and the project measures no forks"
    if policy is ForkPullRequests.ALWAYS or approved:
        return None
    return f"{of} comes from a fork: a developer must approve it"


def grant(session: Session, job: JobRow, who: str, now: datetime) -> list[JobRow]:
    """Approves the job's commit and returns the jobs released, among them this one. They are locked until the
    commit. The caller holds the project's lock."""
    assert job.fork is not None
    policy, approved = repository.rule(session, job.project_id, job.head_sha, job.fork)
    if policy is ForkPullRequests.NEVER:
        raise ConflictError(
            f"Job {job.id}: {job.held}. A maintainer can change that: fork_pull_requests of the project."
        )
    if not approved:
        repository.add(
            session,
            ApprovalRow(
                project_id=job.project_id,
                sha=job.head_sha,
                fork=job.fork,
                approved_at=now,
                approved_by=who[:128],
            ),
        )
    same = repository.open_of_forks(session, job.project_id, sha=job.head_sha, fork=job.fork)
    return [one for one in same if one.state == JobState.QUEUED and one.held is not None]


def require_base(session: Session, project_id: int, sha: str) -> None:
    """Raises ConflictError for a fork's commit that is not approved: a base is built and run, too."""
    commit = commits.find(session, project_id, sha)
    fork = origin(session, commit).fork if commit is not None else None
    if fork is None:
        return
    policy, approved = repository.rule(session, project_id, sha, fork)
    if policy is ForkPullRequests.NEVER or not (approved or policy is ForkPullRequests.ALWAYS):
        raise ConflictError(
            f"{short(sha)} comes from a fork and is not approved: it cannot be a base. "
            "Approve its own job first, or request one."
        )


def policy_changed(session: Session, project_id: int) -> list[JobRow]:
    """Queued jobs that must wait now, or no longer. The caller holds the project's lock.

    Leased jobs are locked as well, so that none is queued meanwhile under the old policy.
    """
    open_jobs = repository.open_of_forks(session, project_id)
    return [job for job in open_jobs if job.state == JobState.QUEUED and job.held != hold(session, job)]
