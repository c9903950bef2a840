# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/remeasurements, GET /remeasurements/{id} and POST /remeasurements/{id}/cancel."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.campaigns.remeasurements.schemas import Remeasurement
from nalm_server.campaigns.remeasurements.service import REMEASUREMENTS

router = api_router("remeasurements")
RemeasurementId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a remeasurement.")]


@router.get("/projects/{project}/remeasurements", responses=documented(401, 403, 404))
def list_remeasurements(
    project: ProjectName, session: ReadDb, caller: Caller, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> list[Remeasurement]:
    """Lists what was measured again because the newest value of a history alone moved, newest first."""
    return REMEASUREMENTS.page(session, caller, project, limit)


@router.get("/remeasurements/{remeasurement_id}", responses=documented(401, 403, 404))
def get_remeasurement(remeasurement_id: RemeasurementId, session: ReadDb, caller: Caller) -> Remeasurement:
    """Shows one remeasurement with its outcome."""
    return REMEASUREMENTS.get(session, caller, remeasurement_id)


@router.post("/remeasurements/{remeasurement_id}/cancel", responses=documented(401, 403, 404, 409))
def cancel_remeasurement(
    remeasurement_id: RemeasurementId, session: Db, caller: Caller, now: Now
) -> Remeasurement:
    """Cancels a remeasurement and its open job."""
    return REMEASUREMENTS.cancel(session, caller, remeasurement_id, now)
