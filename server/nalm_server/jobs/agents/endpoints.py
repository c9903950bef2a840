# SPDX-License-Identifier: Apache-2.0
"""POST /agent/lease, /agent/jobs/{id}/progress, /agent/jobs/{id}/finish, /agent/jobs/{id}/release."""

from __future__ import annotations

import time

import anyio
from fastapi import Request, Response

from nalm_server.auth.dependencies import Agent, Ctx, Db, Now
from nalm_server.base.admission import ticket_of
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import JobId
from nalm_server.jobs.agents import service
from nalm_server.jobs.agents.schemas import Finish, Finished, Lease, LeaseRequest, Progress, Release, Renewed

router = api_router("agent", "/agent")

POLL_SECONDS = 0.5
"""Interval at which a waiting lease request looks for a job."""
STATE_HEADER = "Nalm-Agent-State"


@router.post(
    "/lease",
    response_model=Lease,
    responses={
        **documented(401, 403, 413, 426),
        204: {
            "description": "No job came within wait_seconds.",
            "headers": {
                STATE_HEADER: {
                    "description": "Why this host gets no job, unless there is none.",
                    "schema": {"type": "string"},
                }
            },
        },
    },
)
async def lease(
    lease_request: LeaseRequest, request: Request, context: Ctx, agent: Agent
) -> Lease | Response:
    """Leases the next job to a bench host: parents before children, jobs of lost leases again."""
    ticket = ticket_of(request.scope)
    ticket.finish()
    await ticket.step(service.host_seen, context, agent, lease_request)
    deadline = time.monotonic() + lease_request.wait_seconds
    while True:
        found = await ticket.step(service.lease_once, context, lease_request)
        if isinstance(found, Lease):
            return found
        ending = request.app.state.ending or await request.is_disconnected()
        if ending or time.monotonic() + POLL_SECONDS > deadline:
            why = {STATE_HEADER: _as_header(found.reason)} if found is not None else {}
            return Response(status_code=204, headers=why)
        await anyio.sleep(POLL_SECONDS)


def _as_header(text: str) -> str:
    """Headers are Latin-1 and one line."""
    return " ".join(text.split()).encode("ascii", "replace").decode()[:500]


@router.post("/jobs/{job_id}/progress", responses=documented(401, 403, 404, 409, 413))
def progress(
    job_id: JobId, report: Progress, session: Db, *, context: Ctx, now: Now, agent: Agent
) -> Renewed:
    """Renews the lease and reports progress. 409: the lease was lost; stop working on the job."""
    return service.progress(session, context.settings, agent, job_id, report, now=now)


@router.post("/jobs/{job_id}/finish", responses=documented(401, 403, 404, 409, 413))
def finish(job_id: JobId, report: Finish, session: Db, *, context: Ctx, now: Now, agent: Agent) -> Finished:
    """Ends the job, after its reports are uploaded. Repeating it changes nothing."""
    return service.finish(session, context.settings, agent, job_id, report, now=now)


@router.post("/jobs/{job_id}/release", responses=documented(401, 403, 404, 409, 413))
def release(job_id: JobId, report: Release, session: Db, now: Now, agent: Agent) -> Finished:
    """Returns the job to the queue, at once; other hosts have precedence."""
    return service.release(session, agent, job_id, report, now)
