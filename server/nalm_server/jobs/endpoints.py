# SPDX-License-Identifier: Apache-2.0
"""GET /jobs, and what people do with a job: cancel, retry, boost, approve, reject."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import NAME, JobId, ProjectName
from nalm_server.jobs import actions, presentation, queue_rules, requests, service
from nalm_server.jobs.schemas import Job, JobDetail, JobOrder, JobRequest, JobState, QueueRules, Why

router = api_router("jobs")
CHANGES = documented(401, 403, 404, 409, 413)


@router.get("/jobs", responses=documented(404))
def list_jobs(
    session: ReadDb,
    caller: Caller,
    *,
    project: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
    host: Annotated[
        str | None, Query(max_length=128, pattern=NAME, description="Only jobs whose last host this is.")
    ] = None,
    state: Annotated[list[JobState] | None, Query(max_length=10)] = None,
    order: Annotated[
        JobOrder,
        Query(description="`queue`: as hosts take them; jobs that wait for no host come last."),
    ] = JobOrder.NEWEST,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[Job]:
    """Lists jobs; `state` may be repeated."""
    return presentation.list_jobs(
        session, caller, project=project, host=host, states=state, order=order, limit=limit
    )


@router.get("/jobs/{job_id}", responses=documented(404))
def get_job(job_id: JobId, session: ReadDb, caller: Caller, now: Now) -> JobDetail:
    """Shows one job with each change of its state."""
    service.require_seen(session, caller, job_id, Role.READER)
    return presentation.get_job(session, job_id, now)


@router.post("/jobs/{job_id}/cancel", responses=CHANGES)
def cancel_job(job_id: JobId, why: Why, session: Db, caller: Caller, now: Now) -> JobDetail:
    """Cancels a job; its agent learns of it at its next heartbeat."""
    return actions.cancel(session, caller, job_id, why.reason, now)


@router.post("/jobs/{job_id}/retry", responses=CHANGES)
def retry_job(job_id: JobId, why: Why, session: Db, caller: Caller, now: Now) -> JobDetail:
    """Queues a job again that ended without a valid result."""
    return actions.retry(session, caller, job_id, why.reason, now)


@router.post("/jobs/{job_id}/boost", responses=CHANGES)
def boost_job(job_id: JobId, why: Why, session: Db, caller: Caller, now: Now) -> JobDetail:
    """Moves a queued job to the front of the queue."""
    return actions.boost(session, caller, job_id, why.reason, now)


@router.post("/jobs/{job_id}/approve", responses=CHANGES)
def approve_job(job_id: JobId, why: Why, session: Db, caller: Caller, now: Now) -> JobDetail:
    """Releases a job that waits for approval."""
    return actions.approve(session, caller, job_id, why.reason, now)


@router.post("/jobs/{job_id}/reject", responses=CHANGES)
def reject_job(job_id: JobId, why: Why, session: Db, caller: Caller, now: Now) -> JobDetail:
    """Cancels a job that waits for approval."""
    return actions.reject(session, caller, job_id, why.reason, now)


@router.post("/projects/{project}/jobs", status_code=201, responses=CHANGES)
def request_job(project: ProjectName, request: JobRequest, context: Ctx, caller: Caller) -> JobDetail:
    """Measures head against base, ahead of jobs that no person requested."""
    return requests.request_job(context, caller, project, request)


@router.get("/projects/{project}/queue", responses=documented(401, 403, 404))
def get_queue_rules(project: ProjectName, session: ReadDb, caller: Caller) -> QueueRules:
    """Shows which queued jobs the server drops by itself."""
    row = require_project(session, caller, project, Role.READER)
    return QueueRules(latest_only=row.latest_only)


@router.put("/projects/{project}/queue", responses=CHANGES)
def set_queue_rules(
    project: ProjectName, rules: QueueRules, session: Db, caller: Caller, now: Now
) -> QueueRules:
    """Sets which queued jobs the server drops by itself."""
    return queue_rules.set_rules(session, caller, project, rules, now)
