# SPDX-License-Identifier: Apache-2.0
"""For administrators: POST /hosts/{host}/drain, /resume and /revoke, PATCH /hosts/{host}, /pools."""

from __future__ import annotations

from nalm_server.auth.access.service import require_administrator
from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.jobs.hosts import service
from nalm_server.jobs.hosts.endpoints import HostPath
from nalm_server.jobs.hosts.schemas import BenchHost, HostEdit, Pool, PoolChoice

router = api_router("hosts")


@router.post("/hosts/{host}/drain", responses=documented(401, 403, 404))
def drain_host(host: HostPath, session: Db, caller: Caller, now: Now) -> BenchHost:
    """Gives the host no new jobs; it finishes its current one."""
    require_administrator(caller)
    return service.drain(session, caller, host, now)


@router.post("/hosts/{host}/resume", responses=documented(401, 403, 404))
def resume_host(host: HostPath, session: Db, caller: Caller, now: Now) -> BenchHost:
    """Gives the host jobs again."""
    require_administrator(caller)
    return service.resume(session, caller, host, now)


@router.post("/hosts/{host}/revoke", responses=documented(401, 403, 404))
def revoke_host(host: HostPath, session: Db, caller: Caller, now: Now) -> BenchHost:
    """Revokes the credentials of the host's agent at once. A new invitation lets the host register again."""
    require_administrator(caller)
    return service.revoke(session, caller, host, now)


@router.patch("/hosts/{host}", responses=documented(401, 403, 404, 413))
def edit_host(host: HostPath, edit: HostEdit, session: Db, caller: Caller, now: Now) -> BenchHost:
    """Moves the host into another pool."""
    require_administrator(caller)
    return service.move(session, caller, host, edit.pool, now)


@router.get("/pools", responses=documented(401, 403))
def list_pools(session: ReadDb, caller: Caller, now: Now) -> list[Pool]:
    """Lists pools: their hosts by state, the projects they measure, and waiting jobs."""
    require_administrator(caller)
    return service.pools(session, now)


@router.put("/projects/{project}/pool", responses=documented(401, 403, 404, 413))
def bind_project(project: ProjectName, choice: PoolChoice, session: Db, caller: Caller, now: Now) -> Pool:
    """Sets the pool that measures the project."""
    require_administrator(caller)
    return service.bind(session, caller, project, choice.pool, now)
