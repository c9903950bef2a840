# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/feed.atom, POST /projects/{project}/feed-token."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.base.settings import LOCAL_URL
from nalm_server.projects import service as projects
from nalm_server.views.feeds import service
from nalm_server.views.feeds.schemas import FeedAddress

router = api_router("feeds", "/projects/{project}")

ATOM = "application/atom+xml"


@router.get(
    "/feed.atom",
    response_class=Response,
    responses={
        **documented(401, 403, 404),
        200: {"content": {ATOM: {"schema": {"type": "string"}}}, "description": "The newest findings."},
    },
)
def get_feed(
    project: ProjectName,
    session: ReadDb,
    context: Ctx,
    caller: Caller,
    token: Annotated[str | None, Query(max_length=128, description="The feed's own token.")] = None,
) -> Response:
    """Returns regressions, improvements, broken commits and prices of features as an Atom feed."""
    row = projects.require(session, project)
    service.require_reader(session, caller, row, token)
    content = service.feed(session, row, context.settings.public_url or LOCAL_URL)
    return Response(content, media_type=ATOM)


@router.post("/feed-token", status_code=201, responses=documented(401, 403, 404))
def create_feed_token(
    project: ProjectName, session: Db, context: Ctx, now: Now, caller: Caller
) -> FeedAddress:
    """Makes a new token and returns the feed's address with it. The previous address becomes invalid."""
    row = require_project(session, caller, project, Role.MAINTAINER)
    token = service.new_token(session, row, now)
    record(session, caller, "feed_token.new", row.name, now, project_id=row.id)
    base = context.settings.public_url or LOCAL_URL
    return FeedAddress(url=f"{base}/api/v1/projects/{row.name}/feed.atom?token={token}")
