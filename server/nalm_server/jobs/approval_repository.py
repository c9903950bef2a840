# SPDX-License-Identifier: Apache-2.0
"""SQL of approvals, and of the repositories in which commits were seen."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import and_, or_, select, tuple_
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.branch_filters.filters import ForkPullRequests
from nalm_server.git.branch_filters.models import RepositorySettingsRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.refs.models import BranchRow, PullRequestRow, TagRow
from nalm_server.jobs.models import ApprovalRow, JobRow
from nalm_server.jobs.schemas import OPEN, JobReason

SEEN = (JobReason.PUSH, JobReason.PULL_REQUEST, JobReason.SCHEDULE)
"""Reasons of jobs whose commit is known to be in a repository: the project's own if there is no fork."""


Commit = tuple[str, str]
"""SHA and fork."""


def rule(session: Session, project_id: int, sha: str, fork: str) -> tuple[ForkPullRequests, bool]:
    """The project's policy for forks, and whether this commit of this fork is approved."""
    policy, approved = rules(session, project_id, {(sha, fork)})
    return policy, (sha, fork) in approved


def rules(
    session: Session, project_id: int, commits: Collection[Commit]
) -> tuple[ForkPullRequests, set[Commit]]:
    """The project's policy for forks, and which of the commits are approved."""
    of_project = select(RepositorySettingsRow.fork_pull_requests).where(
        RepositorySettingsRow.project_id == project_id
    )
    granted = and_(
        ApprovalRow.project_id == project_id, tuple_(ApprovalRow.sha, ApprovalRow.fork).in_(commits)
    )
    # One row even without approvals, and approvals even without a policy.
    query = (
        select(of_project.scalar_subquery(), ApprovalRow.sha, ApprovalRow.fork)
        .select_from(ProjectRow)
        .outerjoin(ApprovalRow, granted)
        .where(ProjectRow.id == project_id)
    )
    found = session.execute(query).all()
    policy = found[0][0] if found else None
    approved = {(sha, fork) for _, sha, fork in found if sha is not None}
    return ForkPullRequests(policy) if policy is not None else ForkPullRequests.APPROVE, approved


def find(session: Session, project_id: int, sha: str, fork: str) -> ApprovalRow | None:
    return session.scalars(
        select(ApprovalRow).where(
            ApprovalRow.project_id == project_id, ApprovalRow.sha == sha, ApprovalRow.fork == fork
        )
    ).one_or_none()


def add(session: Session, row: ApprovalRow) -> None:
    session.add(row)
    session.flush()


def open_of_forks(
    session: Session, project_id: int, *, sha: str | None = None, fork: str | None = None
) -> list[JobRow]:
    """Open jobs of forks' commits, or of this commit of this fork; locked until the commit."""
    query = select(JobRow).where(
        JobRow.project_id == project_id, JobRow.state.in_(OPEN), JobRow.fork.is_not(None)
    )
    if sha is not None:
        query = query.where(JobRow.head_sha == sha, JobRow.fork == fork)
    return list(
        session.scalars(
            query.order_by(JobRow.id)
            .with_for_update(key_share=True)
            .execution_options(populate_existing=True)
        )
    )


def is_own(session: Session, commit: CommitRow) -> bool:
    """True if the project's repository is known to have the commit. An upload proves nothing: anyone's commit
    can be uploaded."""
    measured = (
        select(JobRow.id)
        .where(JobRow.commit_id == commit.id, JobRow.fork.is_(None), JobRow.reason.in_(SEEN))
        .limit(1)
    )
    branch = select(BranchRow.id).where(
        BranchRow.project_id == commit.project_id, BranchRow.sha == commit.sha
    )
    tag = select(TagRow.id).where(TagRow.project_id == commit.project_id, TagRow.sha == commit.sha)
    return bool(session.scalar(select(or_(measured.exists(), branch.exists(), tag.exists()))))


def newest_fork(session: Session, project_id: int, sha: str) -> str | None:
    """The fork whose pull request last had the commit as its head. None: there is none."""
    of_request = select(PullRequestRow.fork).where(
        PullRequestRow.project_id == project_id,
        PullRequestRow.head_sha == sha,
        PullRequestRow.fork.is_not(None),
    )
    newest = session.scalar(of_request.order_by(PullRequestRow.updated_at.desc()).limit(1))
    if newest is not None:
        return newest
    of_job = (
        select(JobRow.fork)
        .join(CommitRow, CommitRow.id == JobRow.commit_id)
        .where(CommitRow.project_id == project_id, CommitRow.sha == sha, JobRow.fork.is_not(None))
    )
    return session.scalar(of_job.order_by(JobRow.id.desc()).limit(1))
