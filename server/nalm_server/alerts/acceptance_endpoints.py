# SPDX-License-Identifier: Apache-2.0
"""GET and POST /runs/{run_id}/acceptance."""

from __future__ import annotations

from nalm_server.alerts import acceptance
from nalm_server.alerts.schemas import Acceptance, AcceptanceNew
from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import RunId

router = api_router("alerts")


@router.get("/runs/{run_id}/acceptance", responses=documented(401, 403, 404))
def get_acceptance(run_id: RunId, session: ReadDb, caller: Caller) -> Acceptance:
    """Shows whether the findings of a run are accepted, by whom and why."""
    return acceptance.get(session, caller, run_id)


@router.post("/runs/{run_id}/acceptance", responses=documented(401, 403, 404, 409, 413))
def accept_run(run_id: RunId, new: AcceptanceNew, session: Db, caller: Caller, now: Now) -> Acceptance:
    """Accepts what a run of a pull request or branch found, with a reason. Maintainers only."""
    return acceptance.accept(session, caller, run_id, new, now)
