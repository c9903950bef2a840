# SPDX-License-Identifier: Apache-2.0
"""One comparison of the newest commit of a history with the last one of the old level.

Its run raises alerts like any pair of the commit, and enters no history. It turns the suspicion into a change
or discards it; undecided, it leaves that to the next values.
"""

from __future__ import annotations

from datetime import datetime

from nalm_core.findings.figure import CYCLES
from nalm_core.verdict.verdict import Verdict
from pydantic import BaseModel
from sqlalchemy.orm import Session

from nalm_server.alerts import lifecycle
from nalm_server.alerts import repository as alerts
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.kind import Kind, StepState, end, why_no_run
from nalm_server.campaigns.models import StepRow
from nalm_server.campaigns.queueing import queue
from nalm_server.campaigns.remeasurements.schemas import RemeasurementState
from nalm_server.changepoints import points_repository as points
from nalm_server.changepoints.schemas import PointState
from nalm_server.git.commits import repository as commits
from nalm_server.jobs import approvals, superseding
from nalm_server.jobs import repository as job_rows
from nalm_server.jobs.models import CampaignRow
from nalm_server.jobs.schemas import JobReason
from nalm_server.results.models import RunRow, VerdictRow

DECIDED = "later values decided"
SHOWS_NOTHING = ("same", "improved")


class RemeasurementSpec(BaseModel):
    points: list[int]
    """Numbers of the suspected change points: stages and metrics of one scenario at one commit."""
    metrics: list[str]


class _Remeasurement(Kind):
    name = "remeasurement"

    def next_jobs(self, session: Session, campaign: CampaignRow, now: datetime) -> bool:
        (step,) = campaigns.steps(session, campaign.id)
        suspected = _is_suspected(session, campaign)
        if step.state == StepState.WAITING and suspected:
            _queue(session, campaign, step, now)
        elif step.state == StepState.WAITING:
            step.state, step.why = StepState.FAILED, DECIDED
        elif not suspected and superseding.campaign_closed(session, campaign.id, DECIDED, now):
            step.why = DECIDED
        campaigns.settle(session, campaign.id)
        session.refresh(step)
        return False

    def conclude(self, session: Session, campaign: CampaignRow, now: datetime) -> None:
        (step,) = campaigns.steps(session, campaign.id)
        if step.state == StepState.QUEUED:
            return
        job = job_rows.find(session, step.job_id) if step.job_id is not None else None
        measured = campaigns.result_of(session, step)
        if measured is None:
            step.outcome, step.why = RemeasurementState.NOT_MEASURED, step.why or why_no_run(job)
        else:
            _decide(session, campaign, step, measured.run, measured.verdict, now=now)
            step.host = job.host if job is not None else None
        step.finished_at = now
        end(campaign, step.outcome or RemeasurementState.NOT_MEASURED, now, step.why)


REMEASUREMENT = _Remeasurement()


def _queue(session: Session, campaign: CampaignRow, step: StepRow, now: datetime) -> None:
    commit = commits.find(session, campaign.project_id, step.head_sha)
    if commit is None:
        step.state = StepState.FAILED
        return
    queue(
        session,
        campaign,
        [step],
        commit,
        reason=JobReason.SUSPICION,
        why=f"remeasurement {campaign.number}: the newest value alone moved",
        now=now,
        origin=approvals.origin(session, commit),
        scenarios=[step.scenario] if step.scenario is not None else None,
    )


def _is_suspected(session: Session, campaign: CampaignRow) -> bool:
    """True while later values have not decided."""
    spec = RemeasurementSpec.model_validate(campaign.spec)
    return any(row.state == PointState.SUSPECTED for row in points.rows(session, spec.points))


def _decide(
    session: Session, campaign: CampaignRow, step: StepRow, run: RunRow, verdict: VerdictRow, *, now: datetime
) -> None:
    spec = RemeasurementSpec.model_validate(campaign.spec)
    step.run_id, step.why = run.run_id, verdict.summary
    moves = [
        one
        for one in alerts.moves_at(session, run.commit_id)
        if one.run_number == run.id and one.metric in spec.metrics
    ]
    alert = next((one.alert_id for one in moves if one.alert_id is not None), None)
    if moves:
        step.outcome = RemeasurementState.HELD
        if alert is not None:
            why = f"the history's newest value suspected it: remeasurement {campaign.number}"
            lifecycle.note(session, alerts.get(session, alert), why, now)
    elif _shows_nothing(verdict, spec.metrics):
        step.outcome = RemeasurementState.DISCARDED
    else:
        step.outcome = RemeasurementState.UNDECIDED
    states = {
        RemeasurementState.HELD: PointState.STANDING,
        RemeasurementState.DISCARDED: PointState.DISCARDED,
    }
    state = states.get(step.outcome)
    if state is not None:
        points.settle_suspicions(session, spec.points, state, alert)


def _shows_nothing(verdict: VerdictRow, metrics: list[str]) -> bool:
    """True if each suspected metric is the same or better, in every stage that has it; the run's outcome is
    that of its cycles."""
    found = Verdict.model_validate(verdict.document).metrics
    beside = [one for one in found if one.metric in metrics and one.metric != CYCLES]
    outcomes: list[str] = [one.outcome for one in beside]
    if not {one.metric for one in beside}.issuperset(metrics):
        outcomes.append(verdict.outcome)
    return all(one in SHOWS_NOTHING for one in outcomes)
