# SPDX-License-Identifier: Apache-2.0
"""SQL of branches: whose thresholds apply to a measurement that no push and no pull request requested."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.git.commits import repository as commits
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.refs.models import BranchRow
from nalm_server.jobs.models import JobRow


def of_pair(session: Session, commit: CommitRow, base_sha: str) -> str | None:
    """The branch of the newest job that measured the commit against this base; else the commit's."""
    return _of_newest_job(session, commit.id, base_sha) or of_commit(session, commit)


def of_line(session: Session, project_id: int, tip: str) -> str | None:
    """The branch of commits that lead to `tip`. None: unknown."""
    commit = commits.find(session, project_id, tip)
    return of_commit(session, commit) if commit is not None else _with_tip(session, project_id, tip)


def of_commit(session: Session, commit: CommitRow) -> str | None:
    """The default branch, for a commit of its first-parent line; else the branch of the commit's newest job,
    or the watched branch whose tip it is. None: unknown."""
    if commit.listed:
        return projects.get(session, commit.project_id).default_branch
    return _of_newest_job(session, commit.id) or _with_tip(session, commit.project_id, commit.sha)


def _of_newest_job(session: Session, commit_id: int, base_sha: str | None = None) -> str | None:
    query = select(JobRow.branch).where(JobRow.commit_id == commit_id, JobRow.branch.is_not(None))
    if base_sha is not None:
        query = query.where(JobRow.base_sha == base_sha)
    return session.scalar(query.order_by(JobRow.id.desc()).limit(1))


def _with_tip(session: Session, project_id: int, sha: str) -> str | None:
    """The first by name, if several have it."""
    query = select(BranchRow.name).where(
        BranchRow.project_id == project_id, BranchRow.sha == sha, BranchRow.deleted_at.is_(None)
    )
    return session.scalar(query.order_by(BranchRow.name).limit(1))
