# SPDX-License-Identifier: Apache-2.0
"""SQL of confirmations."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session, undefer

from nalm_server.alerts.models import AlertMoveRow
from nalm_server.alerts.rules.fates import Fate
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.models import StepRow
from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.schemas import OPEN, JobReason
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow

KIND = "confirmation"


def find(session: Session, alert_id: int) -> CampaignRow | None:
    return campaigns.find(session, KIND, alert_id)


def lock(session: Session, alert_id: int) -> CampaignRow | None:
    """The alert's confirmation, locked until the commit. The caller holds the project's lock."""
    row = find(session, alert_id)
    return campaigns.lock(session, row.id) if row is not None else None


def current_steps(session: Session, campaign: CampaignRow) -> list[StepRow]:
    """Steps since its last start, in the order of the requests."""
    return [
        step
        for step in campaigns.steps(session, campaign.id)
        if step.started_at is not None and step.started_at >= campaign.created_at
    ]


def open_jobs(session: Session, project_id: int) -> int:
    """Number of the project's confirmations queued or in progress."""
    query = select(func.count()).where(
        JobRow.project_id == project_id, JobRow.state.in_(OPEN), JobRow.reason == JobReason.CONFIRM
    )
    return session.scalar(query) or 0


def open_bisects(session: Session, project_id: int) -> int:
    """Number of the project's active bisects that are steps of confirmations."""
    query = (
        select(func.count(StepRow.child_id.distinct()))
        .join(CampaignRow, CampaignRow.id == StepRow.child_id)
        .where(CampaignRow.project_id == project_id, CampaignRow.active)
    )
    return session.scalar(query) or 0


def first_runs(session: Session, alert_id: int) -> list[tuple[RunRow, VerdictRow, str, str, JobRow | None]]:
    """(run, verdict, scenario, host, job) of the pairs that raised the alert, oldest run first."""
    moved = select(AlertMoveRow.run_number).where(
        AlertMoveRow.alert_id == alert_id, AlertMoveRow.source == "pair", AlertMoveRow.fate == Fate.ALERT
    )
    found = session.execute(
        select(RunRow, VerdictRow, ScenarioRow.name, HostRow.name, JobRow)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .join(HostRow, HostRow.id == RunRow.host_id)
        .join(JobRow, JobRow.id == RunRow.job_id, isouter=True)
        .where(RunRow.id.in_(moved))
        .order_by(RunRow.id)
        .options(undefer(VerdictRow.document))
    )
    return [(run, verdict, scenario, host, job) for run, verdict, scenario, host, job in found]


def newest_host(session: Session, commit_id: int, scenario: str) -> tuple[str, str | None] | None:
    """(host in its report, host of its job) of the commit's newest run of the scenario."""
    found = session.execute(
        select(HostRow.name, JobRow.host)
        .select_from(RunRow)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .join(HostRow, HostRow.id == RunRow.host_id)
        .join(JobRow, JobRow.id == RunRow.job_id, isouter=True)
        .where(RunRow.commit_id == commit_id, ScenarioRow.name == scenario, ~RunRow.beside)
        .order_by(RunRow.received_at.desc(), RunRow.id.desc())
        .limit(1)
    ).one_or_none()
    return (found[0], found[1]) if found is not None else None
