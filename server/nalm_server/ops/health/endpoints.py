# SPDX-License-Identifier: Apache-2.0
"""GET /health, /health/live, /health/ready, /metrics-catalogue."""

from __future__ import annotations

from fastapi import Request
from nalm_core.report.catalogue import Metric

from nalm_server.auth.dependencies import Ctx, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.ops.health import service
from nalm_server.ops.health.readiness import Readiness
from nalm_server.ops.health.schemas import Live, Ready, ServerHealth

router = api_router("service")


@router.get("/health", responses=documented())
def get_health(session: ReadDb, context: Ctx, now: Now) -> ServerHealth:
    """Says whether the service and its database are up; `degraded` names what only makes it slower."""
    return service.health(session, context.settings, now)


@router.get("/health/live", responses=documented())
async def get_live() -> Live:
    """Answers while the process runs. An orchestrator restarts a process that does not."""
    return Live(status="ok")


@router.get("/health/ready", responses=documented())
async def get_ready(request: Request, context: Ctx) -> Ready:
    """Says whether requests can be served: database reachable, at this program's revision, and disk space.
    `problems` names what only makes the service slower."""
    state = request.app.state
    if getattr(state, "readiness", None) is None:
        state.readiness = Readiness(context)
    readiness: Readiness = state.readiness
    return await readiness.get()


@router.get("/metrics-catalogue", responses=documented())
def get_metrics_catalogue() -> list[Metric]:
    """Lists every metric with its unit, its formula and a sentence that explains it."""
    return service.catalogue()
