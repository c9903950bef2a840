# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/revisions."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.git.refs.schemas import Revision
from nalm_server.projects import revisions

router = api_router("refs", "/projects/{project}")


@router.get("/revisions", responses=documented(401, 403, 404))
def find_revisions(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    q: Annotated[
        str, Query(max_length=100, pattern=r"^[^\x00]*$", description="Part of a name, subject or author.")
    ] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 30,
) -> list[Revision]:
    """Finds branches, tags and commits by part of a name; branches and tags first, newest first."""
    return revisions.find(session, caller, project, q.strip(), limit)
