# SPDX-License-Identifier: Apache-2.0
"""Confirmations as alerts ask for and show them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts.confirmation_schemas import ACTIVE, Confirmation, Confirming, PlanState
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import AlertState
from nalm_server.campaigns.confirmation import repository
from nalm_server.campaigns.confirmation.models import PlanRow
from nalm_server.git.commits import repository as commit_rows
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake


def ask(session: Session, alert: AlertRow, now: datetime) -> None:
    """A new alert is to be measured again before anyone is told; a worker sees to it. Twice is once.

    The caller holds the project's lock.
    """
    if alert.state != AlertState.NEW:
        return
    plan = repository.lock(session, alert.id)
    if plan is None or plan.state not in ACTIVE:
        begin(session, plan, alert, now)


def begin(
    session: Session, plan: PlanRow | None, alert: AlertRow, now: datetime, who: str | None = None
) -> PlanRow:
    """A plan from its start, whatever was measured before."""
    culprit = commit_rows.get(session, alert.commit_id)
    after = (
        commit_rows.find_by_id(session, alert.after_commit_id) if alert.after_commit_id is not None else None
    )
    base = after.sha if after is not None else culprit.parent_sha
    if plan is None:
        plan = PlanRow(alert_id=alert.id)
    plan.state, plan.why, plan.requested_by = PlanState.WAITING, None, who
    plan.base_sha, plan.head_sha = base or "", culprit.sha
    plan.seen_on, plan.not_seen_on, plan.gradual = [], [], False
    plan.begun_at = plan.updated_at = now
    plan.finished_at = None
    repository.add_plan(session, plan)
    wake(session, Work.JOBS)
    return plan


def of_alert(session: Session, alert_id: int) -> Confirming | None:
    """How far it is; None for an alert that was never to be measured again."""
    plan = repository.find(session, alert_id)
    if plan is None:
        return None
    fields = {name: getattr(plan, name) for name in Confirming.model_fields if hasattr(plan, name)}
    measurements = [Confirmation.model_validate(one) for one in repository.of_alert(session, alert_id)]
    return Confirming(
        **fields,
        host_specific=bool(plan.seen_on and plan.not_seen_on),
        measurements=measurements,
    )
