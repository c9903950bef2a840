# SPDX-License-Identifier: Apache-2.0
"""GET and POST /projects."""

from __future__ import annotations

from fastapi import APIRouter

from nalm_server.deps import Admin, Ctx, Db, Now, ReadDb
from nalm_server.errors import documented
from nalm_server.projects import service
from nalm_server.projects.schemas import Project, ProjectCreated, ProjectNew
from nalm_server.schemas import ProjectName

router = APIRouter(prefix="/projects", tags=["projects"])


@router.get("", responses=documented())
def list_projects(session: ReadDb) -> list[Project]:
    """All projects, by name."""
    return service.list_projects(session)


@router.post("", status_code=201, responses=documented(401, 403, 409, 413))
def create_project(new: ProjectNew, session: Db, context: Ctx, now: Now, _admin: Admin) -> ProjectCreated:
    """Adds a project. Its webhook secret and upload token are in this answer and never shown again."""
    return service.create_project(session, context, new, now)


@router.get("/{project}", responses=documented(404))
def get_project(project: ProjectName, session: ReadDb) -> Project:
    """One project."""
    return service.get_project(session, project)
