# SPDX-License-Identifier: Apache-2.0
"""GET /hosts/{host}/noise."""

from __future__ import annotations

from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.jobs.hosts import service
from nalm_server.jobs.hosts.endpoints import HostPath, require_known
from nalm_server.jobs.hosts.schemas import HostNoise
from nalm_server.results.noise import noise

router = api_router("hosts")


@router.get("/hosts/{host}/noise", responses=documented(401, 403, 404))
def get_host_noise(host: HostPath, session: ReadDb, caller: Caller) -> HostNoise:
    """Shows scatter and resolution of runs on a host, of the newest 500 runs that the caller may read."""
    require_known(caller)
    return noise(session, caller, service.require(session, host))
