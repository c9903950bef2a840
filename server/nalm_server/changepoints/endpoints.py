# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/change-points, and those of single hosts."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import NAME, Moment, ProjectName
from nalm_server.changepoints import service
from nalm_server.changepoints.points_repository import PointFilter
from nalm_server.changepoints.schemas import ChangePoint, HostChange, PointState

router = api_router("history", "/projects/{project}/change-points")


@router.get("", responses=documented(404))
def list_change_points(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    since: Annotated[
        Moment | None, Query(description="Only change points detected at this time or later.")
    ] = None,
    scenario: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
    state: PointState | None = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> list[ChangePoint]:
    """Lists change points of the project's histories, better and worse, newest commit first."""
    found = require_project(session, caller, project, Role.READER)
    point_filter = PointFilter(since, scenario, state, limit)
    return service.change_points(session, found, point_filter)


@router.get("/hosts", responses=documented(404))
def list_host_changes(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    scenario: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
) -> list[HostChange]:
    """Lists changes of single hosts of a pool while the others stayed level, by scenario, in commit order."""
    found = require_project(session, caller, project, Role.READER)
    return service.host_changes(session, found, scenario)
