# SPDX-License-Identifier: Apache-2.0
"""SQL of refinements: measured pairs, and the runs of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import RunStatus
from sqlalchemy import Select, exists, func, or_, select
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.schemas import OPEN
from nalm_server.results.models import ReportRow, RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow

KIND = "refinement"


class MeasuredPair(NamedTuple):
    base_sha: str
    head_sha: str
    scenario: str


def undecided_pairs(session: Session, project_id: int, since: datetime, most: int) -> list[MeasuredPair]:
    """Pairs whose newest measured run is the same or inconclusive, newest first."""
    query = (
        select(RunRow.base_sha, RunRow.head_sha, ScenarioRow.name, func.max(RunRow.id).label("newest"))
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .where(
            RunRow.project_id == project_id,
            RunRow.status == RunStatus.MEASURED,
            RunRow.import_id.is_(None),
            RunRow.received_at >= since,
            RunRow.base_sha != RunRow.head_sha,
            VerdictRow.outcome.in_((Outcome.SAME, Outcome.INCONCLUSIVE)),
        )
        .group_by(RunRow.base_sha, RunRow.head_sha, ScenarioRow.name)
        .order_by(func.max(RunRow.id).desc())
        .limit(most)
    )
    rows = session.execute(query)
    return [MeasuredPair(base, head, name) for base, head, name, _ in rows if base is not None]


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


def projects_with_plan(session: Session) -> list[int]:
    """Projects in which idle hosts measure on."""
    query = select(ProjectRow.id).where(ProjectRow.refine_minutes_per_day > 0).order_by(ProjectRow.id)
    return list(session.scalars(query))


def last_at(session: Session, project_id: int) -> datetime | None:
    """Time at which the newest refinement was planned."""
    query = select(func.max(CampaignRow.created_at))
    return session.scalar(query.where(CampaignRow.project_id == project_id, CampaignRow.kind == KIND))


def first_run_at(session: Session, project_id: int) -> datetime | None:
    """Time of the project's first measurement."""
    query = select(func.min(RunRow.received_at))
    return session.scalar(query.where(RunRow.project_id == project_id, RunRow.import_id.is_(None)))


def is_busy(session: Session, project_id: int) -> bool:
    """A refinement is active, or jobs wait."""
    campaign = exists().where(
        CampaignRow.project_id == project_id, CampaignRow.kind == KIND, CampaignRow.active
    )
    waiting = exists().where(JobRow.project_id == project_id, JobRow.state.in_(OPEN))
    return bool(session.scalar(select(or_(campaign, waiting))))
