# SPDX-License-Identifier: Apache-2.0
"""People's requests to measure an alert again, or to bisect it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts import repository as alert_rows
from nalm_server.alerts.confirmation_schemas import ACTIVE, Confirming
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import ACTIVE as OPEN_ALERT
from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_role
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import ConflictError, NotFoundError
from nalm_server.campaigns.confirmation import bisecting, evidence, judging, repository, service
from nalm_server.campaigns.confirmation.case import Case
from nalm_server.jobs.models import CampaignRow


def measure_again(session: Session, caller: Principal, alert_id: int, now: datetime) -> Confirming:
    """Measures it again on the first host and on another one; the alert shows the result."""
    alert, campaign = _open(session, caller, alert_id)
    service.begin(session, campaign, alert, now, caller.name[:128])
    record(session, caller, "alert.confirm", f"alert {alert.id}", now, project_id=alert.project_id)
    return _shown(session, alert_id)


def bisect(session: Session, caller: Principal, alert_id: int, now: datetime) -> Confirming:
    """Bisects between the last good commit and the commit with the change."""
    alert, campaign = _open(session, caller, alert_id)
    found = evidence.seen(session, alert)
    main = evidence.main(alert, found) if found else None
    measured = repository.current_steps(session, campaign) if campaign is not None else []
    if main is None or not evidence.lie_between(session, alert.project_id, main):
        raise ConflictError(
            f"Alert {alert.id} is about one commit and its parent: there is no commit between them to bisect."
        )
    campaign = service.begin(session, campaign, alert, now, caller.name[:128])
    case = Case(session, projects.get(session, alert.project_id), campaign, alert, now)
    bisecting.begin(case, judging.with_shown(main, measured), caller.name[:128])
    record(session, caller, "alert.bisect", f"alert {alert.id}", now, project_id=alert.project_id)
    return _shown(session, alert_id)


def _open(session: Session, caller: Principal, alert_id: int) -> tuple[AlertRow, CampaignRow | None]:
    """The alert and its confirmation, locked. Raises ConflictError unless the alert is open and not being
    measured."""
    alert, missing = alert_rows.find(session, alert_id), f"There is no alert {alert_id}."
    if alert is None:
        raise NotFoundError(missing)
    require_role(session, caller, alert.project_id, Role.DEVELOPER, missing=missing)
    projects.lock(session, alert.project_id)
    campaign = repository.lock(session, alert_id)
    session.refresh(alert)
    if alert.state not in OPEN_ALERT:
        raise ConflictError(f"Alert {alert_id} is {alert.state}: reopen it first.")
    if campaign is not None and campaign.state in ACTIVE:
        raise ConflictError(
            f"Alert {alert_id} is being measured again already: {campaign.message or campaign.state}."
        )
    return alert, campaign


def _shown(session: Session, alert_id: int) -> Confirming:
    session.flush()
    shown = service.of_alert(session, alert_id)
    if shown is None:
        raise NotFoundError(f"There is no alert {alert_id}.")
    return shown
