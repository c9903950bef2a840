# SPDX-License-Identifier: Apache-2.0
"""POST /hooks/{forge}, and the deliveries of a project."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from nalm_server.auth.dependencies import Caller, Ctx, Db, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.body import read_body
from nalm_server.base.errors import documented
from nalm_server.base.schemas import NAME, ProjectName
from nalm_server.webhooks import service, test_delivery
from nalm_server.webhooks.forges import FORGES
from nalm_server.webhooks.schemas import Delivery, DeliveryStatus, HookAnswer

router = api_router("hooks")

Named = Annotated[
    str | None,
    Query(
        max_length=64, pattern=NAME, description="Whose secret signs; required with more than 20 projects."
    ),
]
DeliveryNumber = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a delivery.")]
ANSWERS: dict[str, Any] = {
    "status_code": 202,
    "openapi_extra": {
        "requestBody": {
            "required": True,
            "description": "The event as the forge sends it.",
            "content": {"application/json": {"schema": {"type": "object"}}},
        }
    },
    "responses": {
        **documented(401, 413, 415),
        200: {"model": HookAnswer, "description": "The delivery is valid and needs no work."},
    },
}


@router.post("/hooks/github", **ANSWERS)
async def github(request: Request, response: Response, context: Ctx, project: Named = None) -> HookAnswer:
    """Receives GitHub's deliveries: pushes, tags, pull requests; signed by X-Hub-Signature-256."""
    return await _take("github", request, response, context, project)


@router.post("/hooks/gitlab", **ANSWERS)
async def gitlab(request: Request, response: Response, context: Ctx, project: Named = None) -> HookAnswer:
    """Receives GitLab's: with X-Gitlab-Token, or signed as a standard webhook (webhook-signature)."""
    return await _take("gitlab", request, response, context, project)


@router.post("/hooks/gitea", **ANSWERS)
async def gitea(request: Request, response: Response, context: Ctx, project: Named = None) -> HookAnswer:
    """Receives Gitea's and Forgejo's, signed by X-Gitea-Signature."""
    return await _take("gitea", request, response, context, project)


@router.post("/hooks/generic", **ANSWERS)
async def generic(request: Request, response: Response, context: Ctx, project: Named = None) -> HookAnswer:
    """Receives the generic form of docs/webhooks.md, signed by X-Nalm-Signature-256."""
    return await _take("generic", request, response, context, project)


async def _take(
    forge: str, request: Request, response: Response, context: Ctx, project: str | None
) -> HookAnswer:
    service.require_signature(FORGES[forge], request.headers)
    body = await read_body(request, context.settings.webhook_bytes)
    taken = service.Request(project, request.headers, body)
    answer = await run_in_threadpool(service.take, context, FORGES[forge], taken)
    response.status_code = 202 if answer.status == "accepted" else 200
    return answer


@router.get("/projects/{project}/deliveries", responses=documented(401, 403, 404))
def list_deliveries(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    status: DeliveryStatus | None = None,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="Only numbers below this.")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[Delivery]:
    """Lists webhook deliveries with their results, newest first. For maintainers."""
    return service.list_deliveries(session, caller, project, status=status, before=before, limit=limit)


@router.post(
    "/projects/{project}/deliveries/{number}/redeliver",
    status_code=202,
    responses=documented(401, 403, 404, 409),
)
def redeliver(
    project: ProjectName, number: DeliveryNumber, session: Db, context: Ctx, caller: Caller
) -> Delivery:
    """Processes a stored delivery again. For maintainers."""
    return service.redeliver(session, context, caller, project, number)


@router.post("/projects/{project}/deliveries/trial", responses=documented(401, 403, 404))
def try_webhook(project: ProjectName, context: Ctx, caller: Caller) -> HookAnswer:
    """Signs a ping with the project's secret and processes it like a forge's. For maintainers."""
    return test_delivery.run(context, caller, project)
