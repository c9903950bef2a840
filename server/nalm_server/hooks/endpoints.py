# SPDX-License-Identifier: Apache-2.0
"""POST /hooks/github."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from nalm_server.body import read_body
from nalm_server.deps import Ctx
from nalm_server.errors import documented
from nalm_server.hooks import service
from nalm_server.hooks.schemas import HookAnswer
from nalm_server.schemas import NAME

router = APIRouter(prefix="/hooks", tags=["hooks"])

GITHUB_BODY = {
    "requestBody": {
        "required": True,
        "description": "The event as GitHub sends it.",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}


@router.post(
    "/github",
    status_code=202,
    openapi_extra=GITHUB_BODY,
    responses={
        **documented(401, 413),
        200: {"model": HookAnswer, "description": "Read and understood; there is nothing to do."},
    },
)
async def github(
    request: Request,
    response: Response,
    context: Ctx,
    *,
    project: Annotated[
        str | None,
        Query(max_length=64, pattern=NAME, description="Whose secret signs; without it each is tried."),
    ] = None,
    x_github_event: Annotated[str | None, Header(max_length=64)] = None,
    x_github_delivery: Annotated[str | None, Header(max_length=128)] = None,
    x_hub_signature_256: Annotated[str | None, Header(max_length=128)] = None,
) -> HookAnswer:
    """Takes a signed delivery: `ping`, or `push` to the default branch, which queues a job."""
    body = await read_body(request, context.settings.webhook_bytes)
    delivery = service.Delivery(project, x_github_event, x_github_delivery, x_hub_signature_256, body)
    answer = await run_in_threadpool(service.take_github, context, delivery)
    response.status_code = 202 if answer.status == "accepted" else 200
    return answer
