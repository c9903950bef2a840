# SPDX-License-Identifier: Apache-2.0
"""GET /jobs."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from nalm_server.deps import ReadDb
from nalm_server.errors import documented
from nalm_server.jobs import service
from nalm_server.jobs.schemas import Job, JobDetail, JobState
from nalm_server.schemas import NAME, JobId

router = APIRouter(prefix="/jobs", tags=["jobs"])


@router.get("", responses=documented(404))
def list_jobs(
    session: ReadDb,
    project: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
    state: Annotated[list[JobState] | None, Query(max_length=10)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[Job]:
    """Jobs, newest first; `state` may be given several times."""
    return service.list_jobs(session, project=project, states=state, limit=limit)


@router.get("/{job_id}", responses=documented(404))
def get_job(job_id: JobId, session: ReadDb) -> JobDetail:
    """One job with each change of its state."""
    return service.get_job(session, job_id)
