# SPDX-License-Identifier: Apache-2.0
"""SQL of trials."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from nalm_core.report.outcome import CHANGED, Outcome
from sqlalchemy import Insert, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from nalm_server.alerts.models import AlertRow, AlertStateRow
from nalm_server.alerts.states import BY_PEOPLE, AlertState
from nalm_server.db.reports.opening import store_of
from nalm_server.db.reports.stored import Kept, kept
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.self_test.models import TrialRow


class StoredTrial(NamedTuple):
    """Fields of a trial that figures need."""

    kind: str
    scenario: str
    expected: str
    category: str | None
    size: float | None
    outcome: str
    correct: bool
    stage_right: bool | None
    cause_right: bool | None
    measured_at: datetime


class Ended(NamedTuple):
    """The outcome of a finding."""

    created_at: datetime
    dismissed: bool
    fix_measured: bool
    """Measured pairs show that later commits undid it."""
    decision: str | None
    """The last state that a person set; None: nobody decided."""


def ended_since(session: Session, project_id: int, since: datetime, most: int) -> list[Ended]:
    """Findings since `since`, newest first, at most `most`."""
    newest = (
        select(func.max(AlertStateRow.id))
        .where(AlertStateRow.alert_id == AlertRow.id)
        .where(AlertStateRow.who.is_not(None), AlertStateRow.state.in_(BY_PEOPLE))
        .correlate(AlertRow)
        .scalar_subquery()
    )
    query = (
        select(
            AlertRow.created_at,
            AlertRow.state == AlertState.DISMISSED,
            AlertRow.fix_measured_at.is_not(None),
            AlertStateRow.state,
        )
        .outerjoin(AlertStateRow, AlertStateRow.id == newest)
        .where(AlertRow.project_id == project_id, AlertRow.created_at >= since)
        .order_by(AlertRow.id.desc())
        .limit(most)
    )
    return [Ended._make(row) for row in session.execute(query)]


def add_once(session: Session, values: dict[str, Any]) -> bool:
    """Adds a trial unless the project has one with this key. True: it was added."""
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    insert: Insert = dialect.insert(TrialRow).on_conflict_do_nothing(index_elements=["project_id", "key"])
    return session.scalar(insert.values(values).returning(TrialRow.id)) is not None


def scenarios_of_job(session: Session, job_id: int) -> list[str]:
    query = select(TrialRow.scenario).where(TrialRow.job_id == job_id)
    return list(session.scalars(query.order_by(TrialRow.id)))


def valid_of_job(session: Session, job_id: int) -> list[bool]:
    query = select(TrialRow.outcome).where(TrialRow.job_id == job_id)
    return [outcome != Outcome.INVALID for outcome in session.scalars(query)]


def detach_from_job(session: Session, job_id: int) -> None:
    """Its trials stay in the record."""
    session.execute(update(TrialRow).where(TrialRow.job_id == job_id).values(job_id=None))


def find(session: Session, project_id: int, trial_id: int) -> TrialRow | None:
    query = select(TrialRow).where(TrialRow.project_id == project_id, TrialRow.id == trial_id)
    return session.scalars(query).one_or_none()


def report(session: Session, trial_id: int) -> Kept:
    query = select(TrialRow.report, TrialRow.stored_digest, TrialRow.stored_bytes)
    return kept(store_of(session), *session.execute(query.where(TrialRow.id == trial_id)).one())


def seen_since(session: Session, project_id: int, since: datetime) -> list[StoredTrial]:
    """Oldest first."""
    columns = [getattr(TrialRow, name) for name in StoredTrial._fields]
    query = select(*columns).where(TrialRow.project_id == project_id, TrialRow.measured_at >= since)
    return [
        StoredTrial._make(row) for row in session.execute(query.order_by(TrialRow.measured_at, TrialRow.id))
    ]


def page(
    session: Session, project_id: int, kinds: Sequence[str] | None, limit: int, below: int | None
) -> list[tuple[TrialRow, bool]]:
    """Trials, newest first, each with whether its report is kept."""
    has_report = TrialRow.report.is_not(None) | TrialRow.stored_digest.is_not(None)
    query = select(TrialRow, has_report).where(TrialRow.project_id == project_id)
    if kinds:
        query = query.where(TrialRow.kind.in_(kinds))
    if below is not None:
        query = query.where(TrialRow.id < below)
    return [(row, there) for row, there in session.execute(query.order_by(TrialRow.id.desc()).limit(limit))]


def scenario_counts(session: Session, project_id: int) -> dict[str, int]:
    """Number of controls of each scenario."""
    query = (
        select(TrialRow.scenario, func.count())
        .where(TrialRow.project_id == project_id, TrialRow.job_id.is_not(None))
        .group_by(TrialRow.scenario)
    )
    return {scenario: count for scenario, count in session.execute(query)}  # noqa: C416


def runs_since(session: Session, project_id: int, since: datetime) -> tuple[int, int]:
    """(runs judged by their cycles, those of them reported as changed)."""
    decided = (*CHANGED, "same", "inconclusive")
    query = (
        select(VerdictRow.outcome, func.count())
        .join(RunRow, RunRow.id == VerdictRow.run_id)
        .where(
            RunRow.project_id == project_id,
            RunRow.received_at >= since,
            VerdictRow.outcome.in_(decided),
            ~VerdictRow.unchanged,
        )
        .group_by(VerdictRow.outcome)
    )
    counts: dict[str, int] = {outcome: count for outcome, count in session.execute(query)}  # noqa: C416
    return sum(counts.values()), sum(counts.get(one, 0) for one in CHANGED)
