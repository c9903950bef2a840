# SPDX-License-Identifier: Apache-2.0
"""Confirmations for alerts: start and show."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts import lifecycle
from nalm_server.alerts import repository as alerts
from nalm_server.alerts.confirmation_schemas import ACTIVE, Confirmation, Confirming, PlanState
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.own_metrics import SEEN_ONCE, beside_cycles
from nalm_server.alerts.states import AlertState
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.confirmation import repository
from nalm_server.campaigns.confirmation.steps import ConfirmationResult, detail_of, scenario_of
from nalm_server.campaigns.models import StepRow
from nalm_server.git.commits import repository as commit_rows
from nalm_server.jobs.models import CampaignRow
from nalm_server.worker.kinds import Work
from nalm_server.worker.wake import wake


def ask(session: Session, alert: AlertRow, now: datetime) -> None:
    """Requests the second measurement of a new alert, which a worker then plans. Idempotent.

    The caller holds the project's lock.
    """
    if alert.state != AlertState.NEW:
        return
    moves = alerts.moves(session, alert.id)
    if moves and len(beside_cycles(moves)) == len(moves):
        lifecycle.confirm(session, alert, SEEN_ONCE, now, again=False)
        return
    campaign = repository.lock(session, alert.id)
    if campaign is None or campaign.state not in ACTIVE:
        begin(session, campaign, alert, now)


def begin(
    session: Session, campaign: CampaignRow | None, alert: AlertRow, now: datetime, who: str | None = None
) -> CampaignRow:
    """Starts it, regardless of earlier measurements: only steps since `created_at` count."""
    culprit = commit_rows.get(session, alert.commit_id)
    after = (
        commit_rows.find_by_id(session, alert.after_commit_id) if alert.after_commit_id is not None else None
    )
    base = after.sha if after is not None else culprit.parent_sha
    if campaign is None:
        campaign = CampaignRow(
            project_id=alert.project_id, kind=repository.KIND, number=alert.id, spec={}, tries=0
        )
    campaign.state, campaign.active, campaign.message = PlanState.WAITING, True, None
    campaign.requested_by = who
    campaign.result = ConfirmationResult(base_sha=base or "", head_sha=culprit.sha).model_dump()
    campaign.created_at = campaign.updated_at = now
    campaign.finished_at = None
    campaigns.add(session, campaign)
    wake(session, Work.JOBS)
    return campaign


def of_alert(session: Session, alert_id: int) -> Confirming | None:
    """Its progress; None for an alert without a second measurement."""
    campaign = repository.find(session, alert_id)
    if campaign is None:
        return None
    result = ConfirmationResult.model_validate(campaign.result)
    steps = campaigns.steps(session, campaign.id)
    children = campaigns.numbers(session, [step.child_id for step in steps if step.child_id is not None])
    return Confirming(
        **dict(result),
        state=PlanState(campaign.state),
        why=campaign.message,
        host_specific=bool(result.reproduced_on and result.not_reproduced_on),
        measurements=[_confirmation(step, children) for step in steps],
        updated_at=campaign.updated_at,
        finished_at=campaign.finished_at,
    )


def _confirmation(step: StepRow, children: dict[int, int]) -> Confirmation:
    """children: number of each campaign that answers a step."""
    return Confirmation(
        **detail_of(step).model_dump(exclude={"figures"}),
        scenario=scenario_of(step),
        host=step.host,
        job_id=step.job_id,
        bisect_id=children.get(step.child_id) if step.child_id is not None else None,
        budget_seconds=step.budget_seconds,
        run_id=step.run_id,
        outcome=step.outcome,
        why=step.why,
        requested_at=step.started_at,
        answered_at=step.finished_at,
    )
