# SPDX-License-Identifier: Apache-2.0
"""GET /hosts and what administrators do to a host; /pools."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from nalm_server.auth.access.service import require_administrator
from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.auth.tokens.service import Principal, Scope
from nalm_server.base.errors import ForbiddenError, UnauthorizedError, documented
from nalm_server.base.schemas import NAME, ProjectName
from nalm_server.jobs.hosts import service
from nalm_server.jobs.hosts.schemas import (
    HealthSample,
    Host,
    HostDetail,
    HostEdit,
    HostNoise,
    Pool,
    PoolChoice,
)
from nalm_server.results.noise import noise

router = APIRouter(tags=["hosts"])

HostPath = Annotated[
    str, Path(min_length=1, max_length=128, pattern=NAME, description="Name of a bench host.")
]


def require_known(caller: Principal) -> None:
    """Hosts belong to no project: whoever is known sees them, but an agent, who has its jobs and no more."""
    if caller.anonymous:
        raise UnauthorizedError("This needs a sign-in, or the header `Authorization: Bearer TOKEN`.")
    if caller.scope is Scope.AGENT:
        raise ForbiddenError("This is not for agents.")


@router.get("/hosts", responses=documented(401, 403))
def list_hosts(
    session: ReadDb,
    caller: Caller,
    now: Now,
    pool: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
) -> list[Host]:
    """Bench hosts by name, each with its state and the reason for it."""
    require_known(caller)
    return service.list_hosts(session, pool, now)


@router.get("/hosts/{host}", responses=documented(401, 403, 404))
def get_host(host: HostPath, session: ReadDb, caller: Caller, now: Now) -> HostDetail:
    """One host, with what it was over time."""
    require_known(caller)
    return service.get_host(session, host, now)


@router.get("/hosts/{host}/health", responses=documented(401, 403, 404))
def get_host_health(
    host: HostPath,
    session: ReadDb,
    caller: Caller,
    now: Now,
    hours: Annotated[float, Query(gt=0, le=24 * 3650)] = 24.0,
) -> list[HealthSample]:
    """Its health, oldest first: each minute of a day, each 10 minutes of a month, then each 6 hours."""
    require_known(caller)
    return service.health(session, host, hours, now)


@router.get("/hosts/{host}/noise", responses=documented(401, 403, 404))
def get_host_noise(host: HostPath, session: ReadDb, caller: Caller) -> HostNoise:
    """How runs scatter there and what size of change they see, of the newest 500 the caller may read."""
    require_known(caller)
    return noise(session, caller, service.require(session, host))


@router.post("/hosts/{host}/drain", responses=documented(401, 403, 404))
def drain_host(host: HostPath, session: Db, caller: Caller, now: Now) -> Host:
    """No new jobs for it; it ends what it has."""
    require_administrator(caller)
    return service.drain(session, caller, host, now)


@router.post("/hosts/{host}/resume", responses=documented(401, 403, 404))
def resume_host(host: HostPath, session: Db, caller: Caller, now: Now) -> Host:
    """Gives it work again."""
    require_administrator(caller)
    return service.resume(session, caller, host, now)


@router.post("/hosts/{host}/revoke", responses=documented(401, 403, 404))
def revoke_host(host: HostPath, session: Db, caller: Caller, now: Now) -> Host:
    """Its agent's credentials are worthless at once. A new invitation lets it in again."""
    require_administrator(caller)
    return service.revoke(session, caller, host, now)


@router.patch("/hosts/{host}", responses=documented(401, 403, 404, 413))
def edit_host(host: HostPath, wanted: HostEdit, session: Db, caller: Caller, now: Now) -> Host:
    """Moves it into another pool."""
    require_administrator(caller)
    return service.move(session, caller, host, wanted.pool, now)


@router.get("/pools", responses=documented(401, 403))
def list_pools(session: ReadDb, caller: Caller, now: Now) -> list[Pool]:
    """Pools: their hosts by state, the projects they measure, jobs that wait."""
    require_administrator(caller)
    return service.pools(session, now)


@router.put("/projects/{project}/pool", responses=documented(401, 403, 404, 413))
def bind_project(project: ProjectName, wanted: PoolChoice, session: Db, caller: Caller, now: Now) -> Pool:
    """Chooses whose hosts measure the project."""
    require_administrator(caller)
    return service.bind(session, caller, project, wanted.pool, now)
