# SPDX-License-Identifier: Apache-2.0
"""POST and GET /projects/{project}/backfills, GET /backfills/{id}, POST /backfills/{id}/cancel."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.campaigns.backfill.schemas import Backfill, BackfillNew
from nalm_server.campaigns.backfill.service import BACKFILLS, create

router = api_router("backfills")
BackfillId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a backfill.")]


@router.post("/projects/{project}/backfills", status_code=201, responses=documented(401, 403, 404, 409, 413))
def create_backfill(project: ProjectName, new: BackfillNew, context: Ctx, caller: Caller) -> Backfill:
    """Measures past commits of a range that have no result yet."""
    return create(context, caller, project, new)


@router.get("/projects/{project}/backfills", responses=documented(401, 403, 404))
def list_backfills(
    project: ProjectName, session: ReadDb, caller: Caller, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> list[Backfill]:
    """Lists a project's backfills, newest first."""
    return BACKFILLS.page(session, caller, project, limit)


@router.get("/backfills/{backfill_id}", responses=documented(401, 403, 404))
def get_backfill(backfill_id: BackfillId, session: ReadDb, caller: Caller) -> Backfill:
    """Shows one backfill with its progress."""
    return BACKFILLS.get(session, caller, backfill_id)


@router.post("/backfills/{backfill_id}/cancel", responses=documented(401, 403, 404, 409))
def cancel_backfill(backfill_id: BackfillId, session: Db, caller: Caller, now: Now) -> Backfill:
    """Cancels a backfill and its open jobs."""
    return BACKFILLS.cancel(session, caller, backfill_id, now)
