# SPDX-License-Identifier: Apache-2.0
"""GET /overview."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from nalm_server.deps import Caller, Now, ReadDb
from nalm_server.errors import documented
from nalm_server.overview import service
from nalm_server.overview.schemas import Overview
from nalm_server.schemas import Moment

router = APIRouter(tags=["projects"])
Since = Annotated[
    Moment | None, Query(description="What changed from then on; 90 days at most, a week if left out.")
]


@router.get("/overview", responses=documented())
def get_overview(session: ReadDb, caller: Caller, now: Now, since: Since = None) -> Overview:
    """Of all projects the caller may read: open alerts by worth, what changed, what waits."""
    return service.overview(session, caller, since, now)
