# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/scenarios/{scenario}/links, POST and GET /projects/{project}/links, its plan, GET
/links/{id} and POST /links/{id}/cancel."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName, ScenarioName
from nalm_server.campaigns.links import service, standing
from nalm_server.campaigns.links.schemas import (
    LinkReport,
    LinksCampaign,
    LinksNew,
    LinksPlan,
    LinksPlanNew,
)
from nalm_server.campaigns.links.service import LINKS

router = api_router("links")
LinksId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a request for links.")]


@router.get("/projects/{project}/scenarios/{scenario}/links", responses=documented(404))
def get_link_report(
    project: ProjectName, scenario: ScenarioName, session: ReadDb, caller: Caller, now: Now
) -> LinkReport:
    """Shows how well the comparisons of a scenario agree, and which further ones would gain most."""
    return service.report(session, require_project(session, caller, project, Role.READER), scenario, now)


@router.post("/projects/{project}/links", status_code=201, responses=documented(401, 403, 404, 409, 413))
def create_links(project: ProjectName, new: LinksNew, context: Ctx, caller: Caller) -> LinksCampaign:
    """Compares distant commits of a scenario when no other job waits, those first that gain most."""
    return service.create(context, caller, project, new)


@router.get("/projects/{project}/links/plan", responses=documented(404))
def get_links_plan(project: ProjectName, session: ReadDb, caller: Caller) -> LinksPlan:
    """Shows how many comparisons over distances idle hosts make each day, and what they cost."""
    return standing.shown(session, require_project(session, caller, project, Role.READER))


@router.put("/projects/{project}/links/plan", responses=documented(401, 403, 404, 413))
def set_links_plan(
    project: ProjectName, plan: LinksPlanNew, session: Db, caller: Caller, now: Now
) -> LinksPlan:
    """Sets how many comparisons over distances idle hosts make each day. For maintainers."""
    return standing.change(session, caller, project, plan, now)


@router.get("/projects/{project}/links", responses=documented(401, 403, 404))
def list_links(
    project: ProjectName, session: ReadDb, caller: Caller, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> list[LinksCampaign]:
    """Lists a project's requests for links, newest first."""
    return LINKS.page(session, caller, project, limit)


@router.get("/links/{links_id}", responses=documented(401, 403, 404))
def get_links(links_id: LinksId, session: ReadDb, caller: Caller) -> LinksCampaign:
    """Shows one request with its links, what each gains, and its progress."""
    return LINKS.get(session, caller, links_id)


@router.post("/links/{links_id}/cancel", responses=documented(401, 403, 404, 409))
def cancel_links(links_id: LinksId, session: Db, caller: Caller, now: Now) -> LinksCampaign:
    """Cancels a request and its open jobs."""
    return LINKS.cancel(session, caller, links_id, now)
