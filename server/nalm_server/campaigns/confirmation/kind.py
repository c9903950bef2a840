# SPDX-License-Identifier: Apache-2.0
"""Measures an alert again before a notification is sent. Its number is the alert's. The rule is in
nalm_core.findings.confirmation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.alerts import repository as alerts
from nalm_server.alerts.confirmation_schemas import ACTIVE, PlanState
from nalm_server.alerts.states import OVER
from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns import hosts, service
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.confirmation import (
    answers,
    bisecting,
    evidence,
    judging,
    queueing,
    repository,
)
from nalm_server.campaigns.confirmation.case import Case
from nalm_server.campaigns.confirmation.evidence import Seen
from nalm_server.campaigns.confirmation.steps import is_bisect
from nalm_server.campaigns.kind import Kind
from nalm_server.campaigns.models import StepRow
from nalm_server.jobs import superseding
from nalm_server.jobs.models import CampaignRow


class _Confirmation(Kind):
    name = repository.KIND

    def next_jobs(self, session: Session, campaign: CampaignRow, now: datetime) -> bool:
        case = _case(session, campaign, now)
        steps = repository.current_steps(session, campaign)
        for step in steps:
            if step.outcome is None:
                answers.take(case, step, steps)
        judging.note_hosts(case, steps)
        if _is_decided(case):
            return False
        if campaign.state == PlanState.WAITING:
            _begin(case)
        elif campaign.state == PlanState.MEASURING:
            joined = _joined(case, steps)
            if joined and not any(seen.under_way for seen in joined) and queueing.room(case):
                queueing.first(case, joined)
        return False

    def conclude(self, session: Session, campaign: CampaignRow, now: datetime) -> None:
        """Stores late results, too."""
        case = _case(session, campaign, now)
        steps = repository.current_steps(session, campaign)
        if _is_decided(case):
            _close(case, steps)
        elif campaign.state == PlanState.MEASURING and not _joined(case, steps):
            judging.judge(case, steps)
        elif campaign.state == PlanState.BISECTING:
            search = [step for step in steps if is_bisect(step)][-1]
            if search.outcome is not None:
                bisecting.ended(case, search)
        campaign.active = campaign.state in ACTIVE or any(
            step.outcome is None for step in campaigns.steps(session, campaign.id)
        )


CONFIRMATION = _Confirmation()


def _case(session: Session, campaign: CampaignRow, now: datetime) -> Case:
    alert = alerts.get(session, campaign.number)
    session.refresh(alert)
    return Case(session, projects.get(session, campaign.project_id), campaign, alert, now)


def _is_decided(case: Case) -> bool:
    """A person decided the alert, and no person requested another measurement."""
    campaign = case.campaign
    return case.alert.state in OVER and campaign.state in ACTIVE and campaign.requested_by is None


def _close(case: Case, steps: Sequence[StepRow]) -> None:
    """Cancels measurements that have not begun."""
    why = f"alert {case.alert.id} is {case.alert.state}"
    superseding.campaign_closed(case.session, case.campaign.id, why, case.now)
    for step in steps:
        child = campaigns.get(case.session, step.child_id) if step.child_id is not None else None
        if child is not None and step.outcome is None:
            service.stop(case.session, child, why, case.now)
    case.ends(PlanState.CLOSED, why)


def _begin(case: Case) -> None:
    found = case.evidence
    if any(seen.under_way for seen in found):
        return
    if not found:
        case.ends(PlanState.INCONCLUSIVE, "not confirmed: there is no known earlier commit for a comparison")
    elif not hosts.any_agent(case.session, case.project):
        why = f"as first seen: pool {case.project.pool} has no host that could measure it again"
        case.ends(PlanState.CONFIRMED, why, again=False)
    elif case.alert.source == "history" and evidence.lie_between(case.session, case.project.id, found[0]):
        if not bisecting.begin(case, evidence.main(case.alert, found)):
            case.campaign.message = f"waits for one of {bisecting.MOST_OPEN} bisects of the project to end"
    elif not queueing.room(case):
        case.campaign.message = f"waits for one of {queueing.MOST_OPEN} confirmations of the project to end"
    else:
        case.note(base_sha=found[0].base_sha, head_sha=found[0].head_sha)
        case.goes_on(PlanState.MEASURING, "being measured again")
        queueing.first(case, found)


def _joined(case: Case, steps: Sequence[StepRow]) -> list[Seen]:
    """Scenarios that joined the alert since the others were queued; none once a bisect runs, which measures
    one scenario."""
    if any(is_bisect(step) for step in steps):
        return []
    known = {step.scenario for step in steps}
    return [seen for seen in case.evidence if seen.scenario not in known]
