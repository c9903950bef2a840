# SPDX-License-Identifier: Apache-2.0
"""GET /hosts and what administrators do to a host; /pools."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from nalm_server.auth.dependencies import Caller, Now, ReadDb
from nalm_server.auth.tokens.service import Principal, Scope
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import ForbiddenError, UnauthorizedError, documented
from nalm_server.base.schemas import NAME
from nalm_server.jobs.hosts import service
from nalm_server.jobs.hosts.schemas import BenchHost, HealthSample, HostDetail

router = api_router("hosts")

HostPath = Annotated[
    str, Path(min_length=1, max_length=128, pattern=NAME, description="Name of a bench host.")
]


def require_known(caller: Principal) -> None:
    """Hosts belong to no project: every known caller sees them, except agents, which see only their jobs."""
    if caller.anonymous:
        raise UnauthorizedError("This needs a sign-in, or the header `Authorization: Bearer TOKEN`.")
    if caller.scope is Scope.AGENT:
        raise ForbiddenError("Agents may not do this.")


@router.get("/hosts", responses=documented(401, 403))
def list_hosts(
    session: ReadDb,
    caller: Caller,
    now: Now,
    pool: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
) -> list[BenchHost]:
    """Lists bench hosts by name, each with its state and the reason for it."""
    require_known(caller)
    return service.list_hosts(session, pool, now)


@router.get("/hosts/{host}", responses=documented(401, 403, 404))
def get_host(host: HostPath, session: ReadDb, caller: Caller, now: Now) -> HostDetail:
    """Shows one host, with its fingerprints over time."""
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
    """Shows the host's health, oldest first: one sample a minute for a day, then 10 minutes, then 6 hours.
    Of more than 2,000 samples it shows every n-th."""
    require_known(caller)
    return service.health(session, host, hours, now)
