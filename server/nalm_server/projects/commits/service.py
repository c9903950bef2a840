# SPDX-License-Identifier: Apache-2.0
"""Commits as the API shows them."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import NotFoundError
from nalm_server.git.commits import repository, service
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.refs import repository as refs
from nalm_server.jobs import repository as jobs
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobBrief
from nalm_server.projects.commits.schemas import CommitDetail
from nalm_server.results import repository as runs
from nalm_server.results import verdicts


def list_commits(
    session: Session,
    project: ProjectRow,
    *,
    limit: int,
    before: str | None,
    scenario: str | None,
    branch: str | None = None,
) -> list[dict[str, Any]]:
    """schemas.Commit as plain values: they have thousands of verdicts."""
    rows = _page(session, project, branch, limit, before)
    ids = [row.id for row in rows]
    job_by_commit = jobs.newest_by_commit(session, ids)
    verdicts_by_commit = verdicts.newest_by_commit(session, ids, scenario)
    return [_commit(row, job_by_commit.get(row.id), verdicts_by_commit.get(row.id, [])) for row in rows]


def _page(
    session: Session, project: ProjectRow, branch: str | None, limit: int, before: str | None
) -> list[CommitRow]:
    """Newest first: the default branch by position, other branches along the first parent."""
    last = service.require(session, project.id, before) if before else None
    if branch is None or branch == project.default_branch:
        return repository.page(session, project.id, limit, last)
    found = refs.find_branch(session, project.id, branch)
    if found is None or found.deleted_at is not None:
        raise NotFoundError(f"No branch {branch!r} is watched: the project's settings say which are.")
    if last is None:
        return repository.line(session, project.id, found.sha, limit)
    return repository.line(session, project.id, last.parent_sha, limit) if last.parent_sha else []


def get_commit(session: Session, project: ProjectRow, sha: str) -> CommitDetail:
    row = service.require(session, project.id, sha)
    job = jobs.newest_by_commit(session, [row.id]).get(row.id)
    found = runs.of_commits(session, [row.id], None)
    commit = _commit(row, job, verdicts.newest_by_commit(session, [row.id], None).get(row.id, []))
    return CommitDetail(
        **commit,
        message=row.message,
        base_sha=job.base_sha if job else next((one.run.base_sha for one in found), row.parent_sha),
        runs=[verdicts.run_brief(one) for one in found],
    )


def _commit(row: CommitRow, job: JobRow | None, found: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        **dict(service.ref(row)),
        "parent_sha": row.parent_sha,
        "job": JobBrief.model_validate(job) if job else None,
        "skipped": row.skipped,
        "verdicts": found,
    }
