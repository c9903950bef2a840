# SPDX-License-Identifier: Apache-2.0
"""SQL of refinements: measured pairs, and the runs of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from nalm_core.report.outcome import VALID, Outcome
from nalm_core.report.run_report import RunStatus
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from nalm_server.results.models import ReportRow, RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow

KIND = "refinement"


class MeasuredPair(NamedTuple):
    base_sha: str
    head_sha: str
    scenario: str


def undecided_pairs(session: Session, project_id: int, since: datetime, most: int) -> list[MeasuredPair]:
    """Pairs whose newest valid run is the same or inconclusive, newest first."""
    newest = (
        select(func.max(RunRow.id).label("run_id"))
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(
            RunRow.project_id == project_id,
            RunRow.status == RunStatus.MEASURED,
            RunRow.import_id.is_(None),
            RunRow.received_at >= since,
            RunRow.base_sha != RunRow.head_sha,
            VerdictRow.outcome.in_(VALID),
        )
        .group_by(RunRow.base_sha, RunRow.head_sha, RunRow.scenario_id)
        .subquery()
    )
    query = (
        select(RunRow.base_sha, RunRow.head_sha, ScenarioRow.name)
        .join(newest, newest.c.run_id == RunRow.id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(VerdictRow.outcome.in_((Outcome.SAME, Outcome.INCONCLUSIVE)))
        .order_by(RunRow.id.desc())
        .limit(most)
    )
    return [MeasuredPair._make(row) for row in session.execute(query)]


def runs_of(session: Session, project_id: int, pair: MeasuredPair, most: int) -> Sequence[int]:
    """Numbers of a pair's measured runs whose reports are stored, on any host, oldest first."""
    query = _measured(project_id, pair.scenario).where(
        RunRow.base_sha == pair.base_sha, RunRow.head_sha == pair.head_sha
    )
    return session.scalars(query.order_by(RunRow.id.desc()).limit(most)).all()[::-1]


def runs_of_scenario(session: Session, project_id: int, scenario: str, most: int) -> Sequence[int]:
    """Numbers of a scenario's newest measured runs whose reports are stored."""
    query = _measured(project_id, scenario)
    return session.scalars(query.order_by(RunRow.id.desc()).limit(most)).all()


def _measured(project_id: int, scenario: str) -> Select[int]:
    return (
        select(RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .join(ReportRow, ReportRow.run_id == RunRow.id)
        .where(
            RunRow.project_id == project_id,
            ScenarioRow.name == scenario,
            RunRow.status == RunStatus.MEASURED,
            RunRow.import_id.is_(None),
            ReportRow.expired_at.is_(None),
        )
    )
