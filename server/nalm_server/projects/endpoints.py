# SPDX-License-Identifier: Apache-2.0
"""GET and POST /projects, GET and PATCH /projects/{project}, GET and PUT its configuration."""

from __future__ import annotations

from fastapi import Response

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_administrator, require_project
from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.json_response import as_json
from nalm_server.base.schemas import ProjectName
from nalm_server.projects import configuration, service
from nalm_server.projects.schemas import (
    Configuration,
    ConfigurationChange,
    Project,
    ProjectCreated,
    ProjectNew,
    ProjectSettings,
)

router = api_router("projects", "/projects")


@router.get("", response_model=list[Project], responses=documented())
def list_projects(session: ReadDb, now: Now, caller: Caller) -> Response:
    """Lists the projects that the caller may read, by name."""
    return as_json(service.list_projects(session, caller, now))


@router.post("", status_code=201, responses=documented(401, 403, 409, 413))
def create_project(new: ProjectNew, session: Db, context: Ctx, now: Now, caller: Caller) -> ProjectCreated:
    """Adds a project. Its webhook secret and upload token are in this answer and not shown again."""
    require_administrator(caller)
    return service.create_project(session, context, caller, new, now)


@router.get("/{project}", responses=documented(404))
def get_project(project: ProjectName, session: ReadDb, now: Now, caller: Caller) -> Project:
    """Shows one project."""
    return service.describe(session, require_project(session, caller, project, Role.READER), now)


@router.patch("/{project}", responses=documented(401, 403, 404, 409, 413))
def change_project(
    project: ProjectName, settings: ProjectSettings, session: Db, now: Now, caller: Caller
) -> Project:
    """Changes the project's settings; fields that are left out keep their values."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    return service.change_project(session, caller, row, settings, now)


@router.get("/{project}/configuration", responses=documented(401, 403, 404))
def get_configuration(project: ProjectName, session: ReadDb, caller: Caller) -> Configuration:
    """Shows the nalm.toml that takes the place of the commits' own."""
    return configuration.shown(require_project(session, caller, project, Role.READER))


@router.put("/{project}/configuration", responses=documented(401, 403, 404, 413))
def set_configuration(
    project: ProjectName, change: ConfigurationChange, session: Db, now: Now, caller: Caller
) -> Configuration:
    """Sets a nalm.toml for all commits, whether or not they have one, or removes it."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    return configuration.change(session, caller, row, change, now)
