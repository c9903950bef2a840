# SPDX-License-Identifier: Apache-2.0
"""Changes of many alerts at once: what may not change is named, the others change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts import repository
from nalm_server.alerts.schemas import BulkChange, BulkResult, RefusedChange
from nalm_server.alerts.triage import changes
from nalm_server.alerts.triage.undo import revert, undoable
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

    def apply(alert_id: int) -> None:
        with undoable(session, caller, changes.held(session, caller, alert_id), now):
            if request.change is not None:
                changes.change_state(session, caller, alert_id, request.change, now)
            if request.assign is not None:
                changes.change_assignee(session, caller, alert_id, request.assign.assignee, now)

    return _each(session, row.id, request.alerts, apply)


def undo(
    session: Session, caller: Principal, project: str, alerts: Sequence[int], now: datetime
) -> BulkResult:
    """Reverts the caller's last change of each alert, the last alert first: several may have raised one noise
    floor in turn."""
    row = require_project(session, caller, project, Role.DEVELOPER)
    return _each(
        session,
        row.id,
        alerts[::-1],
        lambda alert_id: revert(session, caller, changes.held(session, caller, alert_id), now),
    )


def _each(
    session: Session, project_id: int, alerts: Sequence[int], apply: Callable[[int], None]
) -> BulkResult:
    """In the order given; one that is refused leaves nothing half done."""
    changed, refused = [], []
    for alert_id in dict.fromkeys(alerts):
        try:
            with session.begin_nested():
                _require_of(session, project_id, alert_id)
                apply(alert_id)
        except NalmError as error:
            refused.append(RefusedChange(alert=alert_id, message=error.message))
        else:
            changed.append(alert_id)
    return BulkResult(changed=changed, refused=refused)


def _require_of(session: Session, project_id: int, alert_id: int) -> None:
    alert = repository.find(session, alert_id)
    if alert is None or alert.project_id != project_id:
        raise NotFoundError(f"There is no alert {alert_id} in this project.")
