# SPDX-License-Identifier: Apache-2.0
"""POST and GET /projects/{project}/bisections, GET /bisections/{id}, POST /bisections/{id}/cancel."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.campaigns.bisection.schemas import Bisect, BisectDetail, BisectNew
from nalm_server.campaigns.bisection.service import BISECTS, create

router = api_router("bisections")
BisectId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a bisect.")]


@router.post("/projects/{project}/bisections", status_code=201, responses=documented(401, 403, 404, 409, 413))
def create_bisect(project: ProjectName, new: BisectNew, context: Ctx, caller: Caller) -> BisectDetail:
    """Searches for the commit between good and bad that changed the scenario."""
    return create(context, caller, project, new)


@router.get("/projects/{project}/bisections", responses=documented(401, 403, 404))
def list_bisects(
    project: ProjectName, session: ReadDb, caller: Caller, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> list[Bisect]:
    """Lists a project's bisects, newest first."""
    return BISECTS.page(session, caller, project, limit)


@router.get("/bisections/{bisect_id}", responses=documented(401, 403, 404))
def get_bisect(bisect_id: BisectId, session: ReadDb, caller: Caller) -> BisectDetail:
    """Shows one bisect with its steps, in the order in which they were queued."""
    return BISECTS.get(session, caller, bisect_id)


@router.post("/bisections/{bisect_id}/cancel", responses=documented(401, 403, 404, 409))
def cancel_bisect(bisect_id: BisectId, session: Db, caller: Caller, now: Now) -> BisectDetail:
    """Cancels a bisect and its open job."""
    return BISECTS.cancel(session, caller, bisect_id, now)
