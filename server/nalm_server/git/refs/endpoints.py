# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/branches, /tags, /pull-requests."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.git.refs import service
from nalm_server.git.refs.schemas import Branch, PullRequest, PullRequestState, Tag

router = api_router("refs", "/projects/{project}")
Limit = Annotated[int, Query(ge=1, le=500)]


@router.get("/branches", responses=documented(401, 403, 404))
def list_branches(project: ProjectName, session: ReadDb, caller: Caller) -> list[Branch]:
    """Lists the watched branches with their tips, by name."""
    return service.list_branches(session, caller, project)


@router.get("/tags", responses=documented(401, 403, 404))
def list_tags(project: ProjectName, session: ReadDb, caller: Caller, limit: Limit = 100) -> list[Tag]:
    """Lists releases, newest first."""
    return service.list_tags(session, caller, project, limit)


@router.get("/pull-requests", responses=documented(401, 403, 404))
def list_pull_requests(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    state: PullRequestState | None = None,
    limit: Limit = 100,
) -> list[PullRequest]:
    """Lists pull and merge requests, last changed first."""
    return service.list_pull_requests(session, caller, project, state, limit)
