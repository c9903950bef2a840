# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/commits."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.json_response import as_json
from nalm_server.base.schemas import NAME, PRINTABLE, SHA_PREFIX, ProjectName, ShaPath
from nalm_server.projects.commits import listing, service
from nalm_server.projects.commits.schemas import Commit, CommitDetail, CommitPage
from nalm_server.results.schemas import Display

router = api_router("commits", "/projects/{project}/commits")


@router.get("", response_model=list[Commit], responses=documented(404))
def list_commits(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    before: Annotated[
        str | None, Query(pattern=SHA_PREFIX, description="Only commits older than this one.")
    ] = None,
    scenario: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
    branch: Annotated[
        str | None,
        Query(
            max_length=255, pattern=PRINTABLE, description="A watched branch; without it, the default one."
        ),
    ] = None,
) -> Response:
    """Lists commits of a branch along the first parent, newest first, with job and verdicts."""
    found = require_project(session, caller, project, Role.READER)
    return as_json(
        service.list_commits(session, found, limit=limit, before=before, scenario=scenario, branch=branch)
    )


@router.get("/search", responses=documented(404))
def search_commits(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    text: Annotated[
        str | None,
        Query(
            max_length=256,
            pattern=PRINTABLE,
            description="Each word must occur in subject, author or a changed path, or begin the SHA.",
        ),
    ] = None,
    outcome: Annotated[
        list[Display] | None, Query(max_length=7, description="Only commits with one of these.")
    ] = None,
    scenario: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
    before: Annotated[str | None, Query(pattern=SHA_PREFIX, description="`next` of the page before.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> CommitPage:
    """Searches the default branch's commits: one summary for each, however many scenarios it has."""
    found = require_project(session, caller, project, Role.READER)
    return listing.search(
        session,
        found,
        text=text,
        outcomes=list(outcome or []),
        scenario=scenario,
        before=before,
        limit=limit,
    )


@router.get("/{sha}", responses=documented(404, 409))
def get_commit(project: ProjectName, sha: ShaPath, session: ReadDb, caller: Caller) -> CommitDetail:
    """Shows one commit with its runs."""
    found = require_project(session, caller, project, Role.READER)
    return service.get_commit(session, found, sha)
