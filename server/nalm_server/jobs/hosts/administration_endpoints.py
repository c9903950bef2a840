# SPDX-License-Identifier: Apache-2.0
"""For administrators: POST /hosts/{host}/drain, /resume and /revoke, PATCH /hosts/{host}, /pools."""

from __future__ import annotations

from fastapi import APIRouter

from nalm_server.auth.access.service import require_administrator
from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.jobs.hosts import service
from nalm_server.jobs.hosts.endpoints import HostPath
from nalm_server.jobs.hosts.schemas import BenchHost, HostEdit, Pool, PoolChoice

router = APIRouter(tags=["hosts"])


@router.post("/hosts/{host}/drain", responses=documented(401, 403, 404))
def drain_host(host: HostPath, session: Db, caller: Caller, now: Now) -> BenchHost:
    """No new jobs for it; it ends what it has."""
    require_administrator(caller)
    return service.drain(session, caller, host, now)


@router.post("/hosts/{host}/resume", responses=documented(401, 403, 404))
def resume_host(host: HostPath, session: Db, caller: Caller, now: Now) -> BenchHost:
    """Gives it work again."""
    require_administrator(caller)
    return service.resume(session, caller, host, now)


@router.post("/hosts/{host}/revoke", responses=documented(401, 403, 404))
def revoke_host(host: HostPath, session: Db, caller: Caller, now: Now) -> BenchHost:
    """Its agent's credentials are worthless at once. A new invitation lets it in again."""
    require_administrator(caller)
    return service.revoke(session, caller, host, now)


@router.patch("/hosts/{host}", responses=documented(401, 403, 404, 413))
def edit_host(host: HostPath, edit: HostEdit, session: Db, caller: Caller, now: Now) -> BenchHost:
    """Moves it into another pool."""
    require_administrator(caller)
    return service.move(session, caller, host, edit.pool, now)


@router.get("/pools", responses=documented(401, 403))
def list_pools(session: ReadDb, caller: Caller, now: Now) -> list[Pool]:
    """Pools: their hosts by state, the projects they measure, jobs that wait."""
    require_administrator(caller)
    return service.pools(session, now)


@router.put("/projects/{project}/pool", responses=documented(401, 403, 404, 413))
def bind_project(project: ProjectName, choice: PoolChoice, session: Db, caller: Caller, now: Now) -> Pool:
    """Chooses whose hosts measure the project."""
    require_administrator(caller)
    return service.bind(session, caller, project, choice.pool, now)
