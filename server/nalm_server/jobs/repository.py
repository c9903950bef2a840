# SPDX-License-Identifier: Apache-2.0
"""SQL of jobs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, ScalarSelect, exists, func, select
from sqlalchemy.orm import Session, aliased, defer, joinedload

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.repository import readable
from nalm_server.auth.tokens.principal import Principal
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs import queue_repository as queue
from nalm_server.jobs.models import CHANGES, ApprovalRow, CampaignRow, JobRow, TransitionRow
from nalm_server.jobs.schemas import OPEN, RELEASE, WITHOUT_RESULT, JobOrder, JobReason, JobState

BESIDE = (
    JobReason.CONFIRM,
    JobReason.EXPERIMENT,
    JobReason.SUSPICION,
    JobReason.CONTROL,
    JobReason.LINK,
    JobReason.REFINE,
)
"""Reasons of jobs that say nothing about a commit: they serve an alert, a suspicion, the cost model, the
self test or a linked history."""
NOT_FOR_COMMIT = (JobReason.BISECT, *BESIDE)
"""The same, with the candidates of a bisection, which are compared with a distant commit."""

WITH_CAMPAIGN = joinedload(JobRow.campaign).load_only(CampaignRow.kind, CampaignRow.number)
"""Loads only which campaign it is, in lists: a campaign's result may be large."""


@dataclass(frozen=True)
class Beside:
    """What other tables have of a job."""

    project: str
    subject: str | None
    author: str | None
    queued_for: str | None
    approved_at: datetime | None
    approved_by: str | None


def add_all(session: Session, rows: Sequence[JobRow]) -> None:
    session.add_all(rows)
    session.flush()


def add_transition(
    session: Session, job_id: int, state: JobState, at: datetime, reason: str, *, who: str | None
) -> None:
    session.add(TransitionRow(job_id=job_id, state=state, at=at, reason=reason, who=who))


def next_changes(session: Session, count: int) -> list[int]:
    """Numbers above those of every change visible to this transaction, in ascending order."""
    if session.get_bind().dialect.name == "postgresql":
        each = func.generate_series(1, count).table_valued("number")
        return sorted(session.scalars(select(CHANGES.next_value()).select_from(each)))
    newest = session.scalar(select(func.max(JobRow.updated_seq))) or 0
    return list(range(newest + 1, newest + 1 + count))


def find(session: Session, job_id: int) -> JobRow | None:
    """Loads its campaign, too."""
    return session.get(JobRow, job_id, options=[joinedload(JobRow.campaign)])


def lock(session: Session, job_id: int) -> JobRow | None:
    """The present row, locked until the commit."""
    return session.scalars(
        select(JobRow)
        .where(JobRow.id == job_id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one_or_none()


def find_for_commit(session: Session, commit_id: int, base_sha: str, reason: str) -> JobRow | None:
    return session.scalars(
        select(JobRow)
        .where(JobRow.commit_id == commit_id, JobRow.base_sha == base_sha, JobRow.reason == reason)
        .order_by(JobRow.id.desc())
        .limit(1)
    ).one_or_none()


def newest_for_commits(
    session: Session, commit_ids: Sequence[int], reason: str
) -> dict[tuple[int, str], JobRow]:
    """By commit and base."""
    query = select(JobRow).where(JobRow.commit_id.in_(commit_ids), JobRow.reason == reason)
    return {(row.commit_id, row.base_sha): row for row in session.scalars(query.order_by(JobRow.id))}


def same(
    session: Session,
    commit_id: int,
    base_sha: str,
    reason: str,
    *,
    scenarios: list[str] | None,
    only_host: str | None,
) -> JobRow | None:
    """The newest with this reason, the same scenarios and the same intended host, unless it ended without a
    result."""
    found = session.scalars(
        select(JobRow)
        .where(
            JobRow.commit_id == commit_id,
            JobRow.base_sha == base_sha,
            JobRow.reason == reason,
            JobRow.state.not_in(WITHOUT_RESULT),
            JobRow.only_host.is_(None) if only_host is None else JobRow.only_host == only_host,
        )
        .order_by(JobRow.id.desc())
    )
    return next((row for row in found if row.scenarios == scenarios), None)


def find_for_head(session: Session, commit_id: int, branch: str) -> JobRow | None:
    """The newest of a push to the branch, with any base."""
    return session.scalars(
        select(JobRow)
        .where(JobRow.commit_id == commit_id, *_pushed_to(branch))
        .order_by(JobRow.id.desc())
        .limit(1)
    ).one_or_none()


def _pushed_to(branch: str) -> tuple[ColumnElement[bool], ...]:
    """Conditions: made by a push to the branch, not by a release. Without a branch it is the default one."""
    default = select(ProjectRow.default_branch).where(ProjectRow.id == JobRow.project_id)
    named = func.coalesce(JobRow.branch, default.correlate(JobRow).scalar_subquery())
    return JobRow.reason == JobReason.PUSH, _first_reason().not_like(f"{RELEASE}%"), named == branch


def is_of_release(session: Session, job_id: int) -> bool:
    """A release made the job, or has the same commits as the push that made it."""
    return bool(session.scalar(select(_of_release()).where(JobRow.id == job_id)))


def _of_release() -> ColumnElement[bool]:
    """Condition, as is_of_release. The server wrote the reason: no host and no person did."""
    return exists().where(
        TransitionRow.job_id == JobRow.id,
        TransitionRow.who.is_(None),
        TransitionRow.reason.like(f"{RELEASE}%"),
    )


def open_for_anybody(session: Session, commit_id: int, base_sha: str) -> list[JobRow]:
    """Open jobs of the pair whose results are good for everyone: on any host, at the margin and for the time
    of nalm.toml, entered into the histories."""
    return list(
        session.scalars(
            select(JobRow)
            .where(JobRow.commit_id == commit_id, JobRow.base_sha == base_sha, JobRow.state.in_(OPEN))
            .where(JobRow.reason.not_in(NOT_FOR_COMMIT))
            .where(JobRow.margin.is_(None), JobRow.budget_seconds.is_(None))
            .where(JobRow.only_host.is_(None), JobRow.not_host.is_(None))
            .order_by(JobRow.id)
        )
    )


def open_of_pull_requests(session: Session, project_id: int, pull_requests: Collection[int]) -> list[JobRow]:
    """Locked until the commit."""
    return list(
        session.scalars(
            select(JobRow)
            .where(
                JobRow.project_id == project_id,
                JobRow.pull_request.in_(pull_requests),
                JobRow.state.in_(OPEN),
            )
            .order_by(JobRow.id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        )
    )


def queued_of(
    session: Session, project_id: int, *, branch: str | None = None, shas: Sequence[str] | None = None
) -> list[JobRow]:
    """Queued jobs of pushes, of no release and requested by nobody, oldest commit first, locked until the
    commit. branch: to this one; shas: of these commits."""
    query = (
        select(JobRow)
        .join(CommitRow, CommitRow.id == JobRow.commit_id)
        .where(JobRow.project_id == project_id, JobRow.state == JobState.QUEUED)
        .where(JobRow.reason == JobReason.PUSH, JobRow.requested_by.is_(None), ~_of_release())
    )
    if branch is not None:
        query = query.where(*_pushed_to(branch))
    if shas is not None:
        query = query.where(JobRow.head_sha.in_(shas))
    return list(
        session.scalars(
            query.order_by(CommitRow.position, JobRow.id)
            .with_for_update(key_share=True, of=JobRow)
            .execution_options(populate_existing=True)
        )
    )


def superseded_for(session: Session, project_id: int, branch: str, why: str) -> list[JobRow]:
    """Jobs of pushes to the branch that are superseded for this reason, oldest commit first."""
    reason = select(TransitionRow.reason).where(TransitionRow.job_id == JobRow.id)
    last = reason.order_by(TransitionRow.id.desc()).limit(1).correlate(JobRow).scalar_subquery()
    return list(
        session.scalars(
            select(JobRow)
            .join(CommitRow, CommitRow.id == JobRow.commit_id)
            .where(JobRow.project_id == project_id, JobRow.state == JobState.SUPERSEDED)
            .where(*_pushed_to(branch), last == why)
            .order_by(CommitRow.position, JobRow.id)
        )
    )


def covers_push(session: Session, commit: CommitRow, branch: str) -> bool:
    """An open job of a newer push to the branch measures the commit's change, too."""
    head, base = aliased(CommitRow), aliased(CommitRow)
    query = (
        select(JobRow.id)
        .join(head, head.id == JobRow.commit_id)
        .join(base, (base.project_id == JobRow.project_id) & (base.sha == JobRow.base_sha))
        .where(JobRow.project_id == commit.project_id, JobRow.state.in_(OPEN), *_pushed_to(branch))
        .where(base.position < commit.position, head.position > commit.position)
    )
    return session.scalar(query.limit(1)) is not None


def open_of_campaign(session: Session, campaign_id: int) -> list[int]:
    """Numbers of its open jobs."""
    query = select(JobRow.id).where(JobRow.campaign_id == campaign_id, JobRow.state.in_(OPEN))
    return list(session.scalars(query.order_by(JobRow.id)))


def newest_by_commit(session: Session, commit_ids: Sequence[int]) -> dict[int, JobRow]:
    """Without jobs that say nothing about the commit."""
    query = select(JobRow).where(JobRow.commit_id.in_(commit_ids), JobRow.reason.not_in(BESIDE))
    rows = session.scalars(query.order_by(JobRow.id))
    return {row.commit_id: row for row in rows}


def list_jobs(
    session: Session,
    caller: Principal,
    *,
    project_id: int | None,
    host: str | None,
    states: Sequence[JobState] | None,
    order: JobOrder,
    limit: int,
) -> list[tuple[JobRow, Beside]]:
    """Only of projects that the caller may read."""
    query = (
        select(
            JobRow,
            ProjectRow.name,
            CommitRow.subject,
            CommitRow.author,
            _first_reason(),
            ApprovalRow.approved_at,
            ApprovalRow.approved_by,
        )
        .join(ProjectRow, ProjectRow.id == JobRow.project_id)
        .join(CommitRow, CommitRow.id == JobRow.commit_id)
        .outerjoin(
            ApprovalRow,
            (ApprovalRow.project_id == JobRow.project_id)
            & (ApprovalRow.sha == JobRow.head_sha)
            & (ApprovalRow.fork == JobRow.fork),
        )
        .where(readable(caller))
    )
    if project_id is not None:
        query = query.where(JobRow.project_id == project_id)
    if host is not None:
        query = query.where(JobRow.host == host)
    if states:
        query = query.where(JobRow.state.in_(states))
    if order is JobOrder.QUEUE:
        ranked = queue.ranks()
        query = query.outerjoin(ranked, ranked.c.id == JobRow.id)
        query = query.order_by(ranked.c.place.is_(None), ranked.c.place, JobRow.id)
    else:
        query = query.order_by(JobRow.id.desc())
    first = query.limit(limit).options(defer(JobRow.log_tail), WITH_CAMPAIGN)
    return [
        (row, Beside(project, subject, author, why, at, by))
        for row, project, subject, author, why, at, by in session.execute(first)
    ]


def _first_reason() -> ScalarSelect[str]:
    """Reason of the job's first transition."""
    of_job = select(TransitionRow.reason).where(TransitionRow.job_id == JobRow.id)
    return of_job.order_by(TransitionRow.id).limit(1).correlate(JobRow).scalar_subquery()


def changed_since(
    session: Session, seq: int, limit: int, *only: ColumnElement[bool], with_log: bool = False
) -> list[tuple[JobRow, str]]:
    """Jobs that changed after `seq`, in that order, each with its project's name, under these conditions."""
    query = (
        select(JobRow, ProjectRow.name)
        .join(ProjectRow, ProjectRow.id == JobRow.project_id)
        .where(JobRow.updated_seq > seq, *only)
        .order_by(JobRow.updated_seq)
        .limit(limit)
        .options(WITH_CAMPAIGN)
    )
    if not with_log:
        query = query.options(defer(JobRow.log_tail))
    return [(row, name) for row, name in session.execute(query)]


def last_change(session: Session) -> int:
    return session.scalar(select(func.max(JobRow.updated_seq))) or 0


def transitions(session: Session, job_id: int) -> list[TransitionRow]:
    return list(
        session.scalars(
            select(TransitionRow).where(TransitionRow.job_id == job_id).order_by(TransitionRow.id)
        )
    )


def count_queued_by(session: Session, job_id: int, who: str, since: datetime) -> int:
    """Number of times since then that this account or host queued the job."""
    query = select(func.count()).where(
        TransitionRow.job_id == job_id,
        TransitionRow.state == JobState.QUEUED,
        TransitionRow.who == who,
        TransitionRow.at > since,
    )
    return session.scalar(query) or 0


def count_open(session: Session) -> int:
    return session.scalar(select(func.count()).select_from(JobRow).where(JobRow.state.in_(OPEN))) or 0
