# SPDX-License-Identifier: Apache-2.0
"""GET /overview."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from nalm_server.auth.dependencies import Caller, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import Moment
from nalm_server.projects.overview import service
from nalm_server.projects.overview.schemas import Overview

router = api_router("projects")
Since = Annotated[
    Moment | None, Query(description="Changes since this time, at most 90 days back; default: a week back.")
]


@router.get("/overview", responses=documented())
def get_overview(session: ReadDb, caller: Caller, now: Now, since: Since = None) -> Overview:
    """Shows open alerts by severity, recent changes and waiting jobs of the projects the caller may read."""
    return service.overview(session, caller, since, now)
