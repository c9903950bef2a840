# SPDX-License-Identifier: Apache-2.0
"""POST /reports, GET /runs/{run_id}."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request, Response
from nalm_core.report.run_report import RunReport
from starlette.concurrency import run_in_threadpool

from nalm_server.auth.access.service import require_uploader
from nalm_server.auth.dependencies import Caller, Ctx, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.body import read_body
from nalm_server.base.errors import documented
from nalm_server.base.json_response import json_bytes
from nalm_server.base.schemas import RunId
from nalm_server.results import intake, service
from nalm_server.results.schemas import ReportTaken, RunCounts, RunDetail

router = api_router("runs")

REPORT_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A run report, version 1 or 2; `Content-Encoding: gzip` is supported.",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RunReport"}}},
    }
}


@router.post(
    "/reports",
    status_code=201,
    openapi_extra=REPORT_BODY,
    responses={
        **documented(401, 403, 404, 409, 413, 415),
        200: {
            "model": ReportTaken,
            "description": "The report is already stored, or the job already has its result.",
        },
    },
)
async def upload_report(
    request: Request,
    response: Response,
    context: Ctx,
    caller: Caller,
    *,
    job_id: Annotated[
        int | None, Query(ge=1, le=2**31 - 1, description="The job that the report is the result of.")
    ] = None,
    fence: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="The lease's fence.")] = None,
    proposed: Annotated[
        bool, Query(description="Without a job: head is of a pull request, or of a branch of its own.")
    ] = False,
) -> ReportTaken:
    """Judges and stores a run report. Uploading it again changes nothing."""
    require_uploader(caller)
    body = await read_body(request, context.settings.report_bytes)
    taken = await run_in_threadpool(
        intake.take_report, context, caller, body, job_id, fence, proposed=proposed
    )
    response.status_code = 201 if taken.new else 200
    return taken


@router.get("/runs/{run_id}", response_model=RunDetail, responses=documented(404))
def get_run(run_id: RunId, session: ReadDb, caller: Caller) -> Response:
    """Shows one run: everything recorded except the raw rounds."""
    return json_bytes(service.get_run(session, caller, run_id))


@router.get("/runs/{run_id}/counts", response_model=RunCounts, responses=documented(404, 410))
def get_run_counts(run_id: RunId, session: ReadDb, caller: Caller) -> Response:
    """Shows a run's exact counts of instructions, and the rounds that took no part in the analysis."""
    return json_bytes(service.counts_of_run(session, caller, run_id))


@router.get("/runs/{run_id}/report", response_model=RunReport, responses=documented(404, 410))
def get_report(run_id: RunId, session: ReadDb, caller: Caller) -> Response:
    """Returns the run report, byte for byte as it was uploaded."""
    return Response(service.get_report(session, caller, run_id), media_type="application/json")
