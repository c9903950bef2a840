# SPDX-License-Identifier: Apache-2.0
"""GET /host-factors."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from nalm_server.auth.dependencies import Caller, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.jobs.hosts.endpoints import require_known
from nalm_server.views.host_factors import service
from nalm_server.views.host_factors.schemas import HostFactors

router = api_router("hosts")


@router.get("/host-factors", responses=documented(401, 403))
def get_host_factors(
    session: ReadDb, caller: Caller, now: Now, days: Annotated[int, Query(ge=1, le=3650)] = 90
) -> HostFactors:
    """Shows which properties of hosts move measurements, over all runs that the caller may read."""
    require_known(caller)
    return service.host_factors(session, caller, days, now)
