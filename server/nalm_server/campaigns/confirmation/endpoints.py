# SPDX-License-Identifier: Apache-2.0
"""POST /alerts/{id}/confirm, POST /alerts/{id}/bisect."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from nalm_server.alerts.confirmation_schemas import Confirming
from nalm_server.auth.dependencies import Caller, Db, Now
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.campaigns.confirmation import asking

router = api_router("alerts")
AlertId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of an alert.")]
ANSWERS = documented(401, 403, 404, 409)


@router.post("/alerts/{alert_id}/confirm", responses=ANSWERS)
def confirm_alert(alert_id: AlertId, session: Db, caller: Caller, now: Now) -> Confirming:
    """Measures an open alert again, regardless of earlier measurements."""
    return asking.measure_again(session, caller, alert_id, now)


@router.post("/alerts/{alert_id}/bisect", responses=ANSWERS)
def bisect_alert(alert_id: AlertId, session: Db, caller: Caller, now: Now) -> Confirming:
    """Bisects an open alert that several commits may have caused."""
    return asking.bisect(session, caller, alert_id, now)
