# SPDX-License-Identifier: Apache-2.0
"""Changes of many alerts at once: what may not change is named, the others change."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts import repository, triage
from nalm_server.alerts.schemas import BulkChange, BulkResult, RefusedChange
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import InvalidError, NalmError, NotFoundError


def change(
    session: Session, caller: Principal, project: str, request: BulkChange, now: datetime
) -> BulkResult:
    """Applies the change to each alert of the project, in the order given."""
    if request.change is None and request.assign is None:
        raise InvalidError("There is nothing to change: give `change`, `assign`, or both.")
    row = require_project(session, caller, project, Role.DEVELOPER)
    changed, refused = [], []
    for alert_id in dict.fromkeys(request.alerts):
        try:
            with session.begin_nested():
                _require_of(session, row.id, alert_id)
                if request.change is not None:
                    triage.change_state(session, caller, alert_id, request.change, now)
                if request.assign is not None:
                    triage.change_assignee(session, caller, alert_id, request.assign.assignee, now)
        except NalmError as error:
            refused.append(RefusedChange(alert=alert_id, message=error.message))
        else:
            changed.append(alert_id)
    return BulkResult(changed=changed, refused=refused)


def _require_of(session: Session, project_id: int, alert_id: int) -> None:
    alert = repository.find(session, alert_id)
    if alert is None or alert.project_id != project_id:
        raise NotFoundError(f"There is no alert {alert_id} in this project.")
