# SPDX-License-Identifier: Apache-2.0
"""SQL of confirmations."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session, undefer

from nalm_server.alerts.confirmation_schemas import ACTIVE
from nalm_server.alerts.models import AlertMoveRow
from nalm_server.alerts.rules.fates import Fate
from nalm_server.campaigns.bisection.models import BisectRow
from nalm_server.campaigns.bisection.schemas import ACTIVE as BISECT_ACTIVE
from nalm_server.campaigns.confirmation.models import ConfirmationRow, PlanRow
from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import OPEN, JobReason
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow


def find(session: Session, alert_id: int) -> PlanRow | None:
    return session.get(PlanRow, alert_id)


def add_plan(session: Session, row: PlanRow) -> PlanRow:
    session.add(row)
    session.flush()
    return row


def add(session: Session, row: ConfirmationRow) -> ConfirmationRow:
    session.add(row)
    session.flush()
    return row


def lock(session: Session, alert_id: int, *, wait: bool = True) -> PlanRow | None:
    """The row, held until the commit. None: there is none, or without `wait` another worker has it."""
    return session.scalars(
        select(PlanRow)
        .where(PlanRow.alert_id == alert_id)
        .with_for_update(key_share=True, skip_locked=not wait)
        .execution_options(populate_existing=True)
    ).one_or_none()


def due(session: Session) -> list[int]:
    """Alerts whose confirmation may go on: the plan is active, or an answer is still to come."""
    unanswered = select(ConfirmationRow.alert_id).where(ConfirmationRow.outcome.is_(None))
    query = select(PlanRow.alert_id).where(PlanRow.state.in_(ACTIVE) | PlanRow.alert_id.in_(unanswered))
    return list(session.scalars(query.order_by(PlanRow.alert_id)))


def of_alert(session: Session, alert_id: int) -> list[ConfirmationRow]:
    """In the order in which they were asked for."""
    query = select(ConfirmationRow).where(ConfirmationRow.alert_id == alert_id)
    return list(session.scalars(query.order_by(ConfirmationRow.id)))


def open_jobs(session: Session, project_id: int) -> int:
    """How many confirmations of the project are in the queue or under way."""
    query = select(func.count()).where(
        JobRow.project_id == project_id, JobRow.state.in_(OPEN), JobRow.reason == JobReason.CONFIRM
    )
    return session.scalar(query) or 0


def open_bisects(session: Session, project_id: int) -> int:
    """How many of the project's bisects that nobody but an alert asked for are active."""
    query = (
        select(func.count(ConfirmationRow.bisect_id.distinct()))
        .join(BisectRow, BisectRow.id == ConfirmationRow.bisect_id)
        .where(BisectRow.project_id == project_id, BisectRow.state.in_(BISECT_ACTIVE))
    )
    return session.scalar(query) or 0


def result(session: Session, job_id: int, scenario: str) -> tuple[RunRow, VerdictRow] | None:
    """What the job measured of the scenario."""
    found = session.execute(
        select(RunRow, VerdictRow)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(RunRow.job_id == job_id, ScenarioRow.name == scenario)
        .options(undefer(VerdictRow.document))
    ).one_or_none()
    return (found[0], found[1]) if found is not None else None


def rows_since(session: Session, plan: PlanRow) -> list[ConfirmationRow]:
    """Those that count for the plan, in the order in which they were asked for."""
    return [one for one in of_alert(session, plan.alert_id) if one.asked_at >= plan.begun_at]


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
    """(host by its report, host by its job) of the commit's newest run of the scenario."""
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


def pair_outcome(
    session: Session, project_id: int, scenario: str, base_sha: str, head_sha: str
) -> str | None:
    """Outcome of the newest decided run of exactly this pair."""
    return session.scalar(
        select(VerdictRow.outcome)
        .join(RunRow, RunRow.id == VerdictRow.run_id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(
            RunRow.project_id == project_id,
            ScenarioRow.name == scenario,
            RunRow.base_sha == base_sha,
            RunRow.head_sha == head_sha,
            ~RunRow.beside,
            VerdictRow.outcome.in_(("same", "improved", "regressed")),
        )
        .order_by(RunRow.received_at.desc(), RunRow.id.desc())
        .limit(1)
    )
