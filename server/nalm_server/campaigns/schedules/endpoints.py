# SPDX-License-Identifier: Apache-2.0
"""/projects/{project}/schedules."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import NAME, ProjectName
from nalm_server.campaigns.schedules import service
from nalm_server.campaigns.schedules.schemas import Schedule, ScheduleChange, ScheduleNew

router = api_router("schedules", "/projects/{project}/schedules")
ScheduleName = Annotated[
    str, Path(min_length=1, max_length=64, pattern=NAME, description="Name of a schedule of the project.")
]


@router.post("", status_code=201, responses=documented(401, 403, 404, 409, 413))
def create_schedule(
    project: ProjectName, new: ScheduleNew, session: Db, caller: Caller, now: Now
) -> Schedule:
    """Adds a schedule, which measures the default branch's tip at set times. For maintainers."""
    return service.create(session, caller, project, new, now)


@router.get("", responses=documented(401, 403, 404))
def list_schedules(project: ProjectName, session: ReadDb, caller: Caller) -> list[Schedule]:
    """Lists a project's schedules by name, with their last results."""
    return service.list_schedules(session, caller, project)


@router.patch("/{schedule}", responses=documented(401, 403, 404, 413))
def change_schedule(
    project: ProjectName,
    schedule: ScheduleName,
    *,
    changes: ScheduleChange,
    session: Db,
    caller: Caller,
    now: Now,
) -> Schedule:
    """Changes the given fields. For maintainers."""
    return service.change(session, caller, project, schedule, changes=changes, now=now)


@router.delete("/{schedule}", status_code=204, responses=documented(401, 403, 404))
def remove_schedule(
    project: ProjectName, schedule: ScheduleName, session: Db, caller: Caller, now: Now
) -> None:
    """Removes a schedule; its jobs and results stay. For maintainers."""
    service.remove(session, caller, project, schedule, now)
