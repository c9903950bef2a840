# SPDX-License-Identifier: Apache-2.0
"""Jobs: how they are queued and how their state changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from nalm_core.report.trials.kinds import RunKind, split_name
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as project_rows
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_role
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import NotFoundError
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs import approvals, ports, repository, superseding
from nalm_server.jobs import branch_repository as branches
from nalm_server.jobs.agents.needs import Needs
from nalm_server.jobs.approvals import Origin
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.schemas import OPEN, PRIORITY, RELEASE, JobReason, JobState
from nalm_server.jobs.states import require_allowed


def enqueue(
    session: Session,
    commit: CommitRow,
    base_sha: str,
    *,
    reason: JobReason,
    why: str,
    now: datetime,
    origin: Origin | None = None,
    pull_request: int | None = None,
    branch: str | None = None,
    requested_by: str | None = None,
    scenarios: list[str] | None = None,
    budget_seconds: float | None = None,
    campaign: CampaignRow | None = None,
    only_host: str | None = None,
    not_host: str | None = None,
    needs: str | None = None,
) -> JobRow:
    """Queues the measurement of the commit against base; only once for the same reason.

    origin: where the commit was just seen; None: as recorded. branch: whose thresholds apply; None: the
    one of the pair's or the commit's earlier jobs. A fork's commit is queued but not leased until it is
    approved. The caller holds the project's lock.
    """
    fork = (origin or approvals.origin(session, commit)).fork
    latest_of = _latest_of(session, commit, reason, why, branch)
    if latest_of is not None:
        known = repository.find_for_head(session, commit.id, latest_of)
        if known is not None and _left_to_newer(session, commit, known, latest_of):
            return known
        if known is None:
            base_sha = superseding.older_pushes(session, commit, latest_of, now) or base_sha
            known = repository.find_for_commit(session, commit.id, base_sha, reason)
    else:
        known = _known(
            session, commit, base_sha, reason, scenarios=scenarios, branch=branch, only_host=only_host
        )
    if known is not None:
        _requested_again(session, known, now, why=why, fork=fork, pull_request=pull_request, who=requested_by)
        if reason is JobReason.PERSON:
            _joined(session, known, now, why, requested_by)
        if reason is JobReason.PUSH and why.startswith(RELEASE):
            _released(session, known, why, now)
        return known
    job = _new(commit, base_sha, reason, fork, now)
    job.pull_request, job.requested_by, job.scenarios = pull_request, requested_by, scenarios
    job.branch = branch or branches.of_pair(session, commit, base_sha)
    job.budget_seconds, job.campaign = budget_seconds, campaign
    job.only_host, job.not_host, job.needs = only_host, not_host, needs or _needs(scenarios)
    _queue(session, [(job, why)], now)
    return job


def _needs(scenarios: list[str] | None) -> str | None:
    """What a host must have for these histories, as far as their names say it."""
    under_load = any(split_name(name)[1] is not RunKind.CYCLES for name in scenarios or [])
    return Needs(rates=True).text() if under_load else None


@dataclass(frozen=True)
class PullRequestHead:
    """A head to measure for a pull request."""

    commit: CommitRow
    base_sha: str
    why: str
    fork: str | None
    pull_request: int | None
    branch: str | None = None
    """The target of the pull request."""


def enqueue_pull_requests(session: Session, heads: Sequence[PullRequestHead], now: datetime) -> list[JobRow]:
    """As enqueue for each, in the same order, with as many statements as for one. No two have the same
    commit.

    The caller holds the project's lock.
    """
    known = repository.newest_for_commits(session, [head.commit.id for head in heads], JobReason.PULL_REQUEST)
    jobs, new = [], []
    for head in heads:
        job = known.get((head.commit.id, head.base_sha))
        if job is None:
            job = _new(head.commit, head.base_sha, JobReason.PULL_REQUEST, head.fork, now)
            job.pull_request, job.branch = head.pull_request, head.branch
            new.append((job, head.why))
        else:
            _requested_again(
                session, job, now, why=head.why, fork=head.fork, pull_request=head.pull_request, who=None
            )
        jobs.append(job)
    _queue(session, new, now)
    return jobs


def _new(commit: CommitRow, base_sha: str, reason: JobReason, fork: str | None, now: datetime) -> JobRow:
    return JobRow(
        project_id=commit.project_id,
        commit_id=commit.id,
        base_sha=base_sha,
        head_sha=commit.sha,
        reason=reason,
        state=JobState.QUEUED,
        fork=fork,
        priority=PRIORITY[reason],
        attempts=0,
        fence=0,
        created_at=now,
    )


def _queue(session: Session, new: Sequence[tuple[JobRow, str]], now: datetime) -> None:
    """New jobs of one project, each with its reason."""
    if not new:
        return
    jobs = [job for job, _ in new]
    _hold_or_release(session, jobs)
    _touch_all(session, jobs, now)
    repository.add_all(session, jobs)
    for job, why in new:
        repository.add_transition(session, job.id, JobState.QUEUED, now, why, who=job.requested_by)
    ports.jobs_moved(session, jobs, now)


def _latest_of(
    session: Session, commit: CommitRow, reason: JobReason, why: str, branch: str | None
) -> str | None:
    """The branch of which only the latest push is measured. None: no such push; a release is none."""
    if reason is not JobReason.PUSH or why.startswith(RELEASE):
        return None
    project = project_rows.find_by_id(session, commit.project_id)
    if project is None or not project.latest_only:
        return None
    return branch or project.default_branch


def _left_to_newer(session: Session, commit: CommitRow, job: JobRow, branch: str) -> bool:
    """The push is delivered once more after a newer one superseded it, whose job measures its change, too."""
    return job.state == JobState.SUPERSEDED and repository.covers_push(session, commit, branch)


def _known(
    session: Session,
    commit: CommitRow,
    base_sha: str,
    reason: JobReason,
    *,
    scenarios: list[str] | None,
    branch: str | None,
    only_host: str | None,
) -> JobRow | None:
    if reason in (
        JobReason.BISECT,
        JobReason.CONFIRM,
        JobReason.EXPERIMENT,
        JobReason.SUSPICION,
        JobReason.CONTROL,
        JobReason.REFINE,
    ):
        return None
    if reason is JobReason.PERSON:
        under_way = repository.open_for_anybody(session, commit.id, base_sha)
        fitting = (job for job in under_way if job.scenarios == scenarios and branch in (None, job.branch))
        return next(fitting, None)
    if reason in (JobReason.SCHEDULE, JobReason.BACKFILL, JobReason.LINK):
        return repository.same(session, commit.id, base_sha, reason, scenarios=scenarios, only_host=only_host)
    return repository.find_for_commit(session, commit.id, base_sha, reason)


def _requested_again(
    session: Session,
    job: JobRow,
    now: datetime,
    *,
    why: str,
    fork: str | None,
    pull_request: int | None,
    who: str | None,
) -> None:
    """Queues a superseded job again, releases one that waits for approval if the project's own repository has
    its commit now, and shows one that is over in the pull request's comment."""
    if job.state == JobState.SUPERSEDED:
        begin_again(job)
        job.fork = fork
        job.pull_request = pull_request or job.pull_request
        move(session, job, JobState.QUEUED, now, f"requested again: {why}", who=who)
    elif job.state == JobState.QUEUED and fork is None and job.fork is not None:
        job.fork = None
        settled(session, job, now, f"the project's repository has it: {why}", who)
    elif job.state not in OPEN and pull_request is not None:
        ports.already_measured(session, job, pull_request, now)


def begin_again(job: JobRow) -> None:
    """Forgets earlier attempts of a job that is queued again."""
    job.attempts = 0
    job.finished_at = job.message = job.not_before = job.avoid_host = job.avoid_until = None
    job.generator_busy_since = None


def _joined(session: Session, job: JobRow, now: datetime, why: str, who: str | None) -> None:
    """Makes an open job that of a person, too: it has the priority of a request, and it stays when its
    campaign, its pull request or its branch no longer needs it."""
    job.priority = min(job.priority, PRIORITY[JobReason.PERSON])
    if job.campaign is not None:
        job.campaign, job.reason, job.requested_by = None, JobReason.PERSON, who
    job.requested_by = job.requested_by or who
    touch(session, job, now)
    repository.add_transition(session, job.id, JobState(job.state), now, why, who=who)


def _released(session: Session, job: JobRow, why: str, now: datetime) -> None:
    """Records in a push's job that a release has the same commits: later pushes do not supersede it."""
    if job.state != JobState.DONE and not repository.is_of_release(session, job.id):
        touch(session, job, now)
        repository.add_transition(session, job.id, JobState(job.state), now, why, who=None)


def move(
    session: Session, job: JobRow, state: JobState, now: datetime, reason: str, *, who: str | None = None
) -> None:
    """Changes the state, with time, reason and actor. Raises ConflictError for an impossible change."""
    move_all(session, [(job, reason)], state, now, who=who)


def move_all(
    session: Session,
    moves: Sequence[tuple[JobRow, str]],
    state: JobState,
    now: datetime,
    *,
    who: str | None = None,
) -> None:
    """As move, for jobs of one project, each with its reason."""
    if not moves:
        return
    jobs = [job for job, _ in moves]
    for job in jobs:
        require_allowed(job.id, JobState(job.state), state)
        job.state = state
        if state not in OPEN:
            job.finished_at = now
            job.lease_until = None
    if state == JobState.QUEUED:
        _hold_or_release(session, jobs)
    _touch_all(session, jobs, now)
    for job, reason in moves:
        repository.add_transition(session, job.id, state, now, reason, who=who)
    ports.jobs_moved(session, jobs, now)


def _hold_or_release(session: Session, jobs: Sequence[JobRow]) -> None:
    for job, held in zip(jobs, approvals.holds(session, jobs), strict=True):
        job.held = held


def settled(session: Session, job: JobRow, now: datetime, reason: str, who: str | None) -> None:
    """Updates whether a queued job waits for approval, with a transition."""
    _hold_or_release(session, [job])
    touch(session, job, now)
    repository.add_transition(session, job.id, JobState.QUEUED, now, reason, who=who)
    ports.jobs_moved(session, [job], now)


def touch(session: Session, job: JobRow, now: datetime) -> None:
    """Marks the job as changed, for its followers."""
    _touch_all(session, [job], now)


def _touch_all(session: Session, jobs: Sequence[JobRow], now: datetime) -> None:
    for job, number in zip(jobs, repository.next_changes(session, len(jobs)), strict=True):
        job.updated_at, job.updated_seq = now, number


def supersede(
    session: Session,
    project_id: int,
    *,
    why: str,
    now: datetime,
    pull_request: int | None = None,
    head: str | None = None,
    shas: list[str] | None = None,
) -> list[int]:
    """Drops obsolete jobs and returns their numbers. Give one of:

    pull_request: its open jobs, even in progress, of this `head` or of any. shas: commits that a forced push
    dropped; only queued jobs.
    """
    if pull_request is not None:
        return superseding.of_pull_request(session, project_id, pull_request, head=head, why=why, now=now)
    return superseding.dropped(session, project_id, shas or [], why, now)


def no_job(job_id: int) -> str:
    """The same message for a missing job and for one of a project that the caller may not see."""
    return f"There is no job {job_id}."


def require(session: Session, job_id: int) -> JobRow:
    job = repository.find(session, job_id)
    if job is None:
        raise NotFoundError(no_job(job_id))
    return job


def require_seen(session: Session, caller: Principal, job_id: int, required: Role) -> JobRow:
    """The job, if the caller has the role in its project. Raises as access.require_role."""
    row = require(session, job_id)
    require_role(session, caller, row.project_id, required, missing=f"There is no job {job_id}.")
    return row


def require_locked(session: Session, job_id: int) -> JobRow:
    job = repository.lock(session, job_id)
    if job is None:
        raise NotFoundError(no_job(job_id))
    return job
