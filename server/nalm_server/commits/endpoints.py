# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/commits."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from nalm_server.commits import service
from nalm_server.commits.schemas import Commit, CommitDetail
from nalm_server.deps import ReadDb
from nalm_server.errors import documented
from nalm_server.schemas import NAME, SHA_PREFIX, ProjectName, ShaPath

router = APIRouter(prefix="/projects/{project}/commits", tags=["commits"])


@router.get("", responses=documented(404))
def list_commits(
    project: ProjectName,
    session: ReadDb,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    before: Annotated[str | None, Query(pattern=SHA_PREFIX, description="Older than this.")] = None,
    scenario: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
) -> list[Commit]:
    """Commits of the default branch, newest first, with their job and verdicts."""
    return service.list_commits(session, project, limit=limit, before=before, scenario=scenario)


@router.get("/{sha}", responses=documented(404, 409))
def get_commit(project: ProjectName, sha: ShaPath, session: ReadDb) -> CommitDetail:
    """One commit with its runs."""
    return service.get_commit(session, project, sha)
