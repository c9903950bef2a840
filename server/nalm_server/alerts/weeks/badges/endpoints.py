# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/badge.svg, POST /projects/{project}/badge-token."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Response

from nalm_server.alerts.weeks.badges import service
from nalm_server.alerts.weeks.badges.schemas import BadgeAddress
from nalm_server.alerts.weeks.badges.svg import render
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.base.settings import LOCAL_URL

router = api_router("weeks", "/projects/{project}")

SVG = "image/svg+xml"


@router.get(
    "/badge.svg",
    response_class=Response,
    responses={
        **documented(401, 403, 404),
        200: {"content": {SVG: {"schema": {"type": "string"}}}, "description": "The badge."},
    },
)
def get_badge(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    now: Now,
    *,
    show: Annotated[
        Literal["week", "alerts"], Query(description="This week's overall change, or open alerts.")
    ] = "week",
    token: Annotated[str | None, Query(max_length=128, description="The badge's own token.")] = None,
) -> Response:
    """Returns a badge of the default branch for a README."""
    row = service.require_readable(session, caller, project, token)
    badge = service.of_week(session, row, now) if show == "week" else service.of_alerts(session, row)
    return Response(render(badge), media_type=SVG)


@router.post("/badge-token", status_code=201, responses=documented(401, 403, 404))
def create_badge_token(
    project: ProjectName, session: Db, context: Ctx, now: Now, caller: Caller
) -> BadgeAddress:
    """Makes a new token and returns the badge's address with it. The previous address becomes invalid."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    token = service.new_token(session, row, now)
    record(session, caller, "badge_token.new", row.name, now, project_id=row.id)
    base = context.settings.public_url or LOCAL_URL
    return BadgeAddress(url=f"{base}/api/v1/projects/{row.name}/badge.svg?token={token}")
