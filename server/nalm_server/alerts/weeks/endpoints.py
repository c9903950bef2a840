# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/weeks."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from nalm_server.alerts.weeks import service
from nalm_server.alerts.weeks.schemas import WeekDetail, Weeks
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName

router = api_router("weeks", "/projects/{project}/weeks")

WEEK = r"^(19[7-9]|2\d\d)\d-W(0[1-9]|[1-4]\d|5[0-3])$"


@router.get("", responses=documented(404))
def list_weeks(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    now: Now,
    *,
    limit: Annotated[int, Query(ge=1, le=26, description="Calendar weeks.")] = 8,
    before: Annotated[
        str | None, Query(pattern=WEEK, description="Only weeks before this one, like `2026-W47`.")
    ] = None,
) -> Weeks:
    """Lists weeks of the default branch with their overall change over all scenarios, newest first."""
    found = require_project(session, caller, project, Role.READER)
    return service.list_weeks(session, found.id, limit, before, now)


@router.get("/{week}", responses=documented(404))
def get_week(
    project: ProjectName,
    week: Annotated[str, Path(pattern=WEEK, description="An ISO 8601 week, like `2026-W47`.")],
    session: ReadDb,
    caller: Caller,
) -> WeekDetail:
    """Shows one week with the overall change of each commit and the change of each scenario."""
    found = require_project(session, caller, project, Role.READER)
    return service.get_week(session, found.id, week)
