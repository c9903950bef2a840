# SPDX-License-Identifier: Apache-2.0
"""POST /projects/{project}/imports."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request, Response
from starlette.concurrency import run_in_threadpool

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, Ctx
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.api_router import api_router
from nalm_server.base.body import read_body
from nalm_server.base.errors import documented
from nalm_server.base.schemas import NAME, ProjectName
from nalm_server.db.context import Context
from nalm_server.results.imports import service
from nalm_server.results.imports.schemas import ImportTaken, Options, OtherTool

router = api_router("store", "/projects/{project}/imports")

BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "The file as the tool wrote it; `Content-Encoding: gzip` is supported.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}


@router.post(
    "",
    status_code=201,
    openapi_extra=BODY,
    responses={
        **documented(401, 403, 404, 413, 415),
        200: {"model": ImportTaken, "description": "The same file was imported before."},
    },
)
async def import_results(
    project: ProjectName,
    request: Request,
    response: Response,
    context: Ctx,
    caller: Caller,
    *,
    form: Annotated[OtherTool, Query(alias="format", description="Tool that wrote the file.")],
    commit: Annotated[str | None, Query(pattern=r"^[0-9a-f]{7,64}$")] = None,
    scenario: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
    time: Annotated[str | None, Query(max_length=40, description="RFC 3339, with its zone.")] = None,
    host_class: Annotated[str, Query(min_length=1, max_length=128, pattern=r"^[^\x00]+$")] = "imported",
    metric: Annotated[list[str] | None, Query(max_length=50, description="NAME=METRIC*FACTOR")] = None,
) -> ImportTaken:
    """Imports another tool's results into series of their own. They are not judged."""
    await run_in_threadpool(_require, context, caller, project)
    body = await read_body(request, context.settings.report_bytes)
    options = Options(
        commit=commit, scenario=scenario, time=time, host_class=host_class, metrics=metric or []
    )
    taken = await run_in_threadpool(
        service.take, context, caller, project, form=form, body=body, options=options
    )
    response.status_code = 201 if taken.new else 200
    return taken


def _require(context: Context, caller: Principal, project: str) -> None:
    """Checks access before a long body is read."""
    with context.read_sessions() as session:
        require_project(session, caller, project, Role.MAINTAINER)
