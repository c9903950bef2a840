# SPDX-License-Identifier: Apache-2.0
"""SQL of links over distances: the measured line, and the time that runs take."""

from __future__ import annotations

from datetime import datetime
from statistics import median

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.schemas import OPEN
from nalm_server.results.models import RunRow

LAST_RUNS = 20


def default_line(session: Session, project_id: int) -> list[str]:
    """The default branch along the first parent, oldest first."""
    query = select(CommitRow.sha).where(CommitRow.project_id == project_id, CommitRow.listed)
    return list(session.scalars(query.order_by(CommitRow.position, CommitRow.id)))


def seconds_of_run(session: Session, scenario_id: int) -> float | None:
    """Median over the scenario's last measured runs."""
    return _seconds(session, RunRow.scenario_id == scenario_id)


def seconds_of_runs(session: Session, project_id: int) -> float | None:
    """Median over the project's last measured runs."""
    return _seconds(session, RunRow.project_id == project_id)


def _seconds(session: Session, of: ColumnElement[bool]) -> float | None:
    found = session.execute(
        select(RunRow.started_at, RunRow.finished_at)
        .where(of, RunRow.status == "measured", RunRow.import_id.is_(None))
        .order_by(RunRow.id.desc())
        .limit(LAST_RUNS)
    ).all()
    return median((end - begin).total_seconds() for begin, end in found) if found else None


def projects_with_plan(session: Session) -> list[int]:
    """Projects in which idle hosts make comparisons over distances."""
    query = select(ProjectRow.id).where(ProjectRow.links_per_day > 0).order_by(ProjectRow.id)
    return list(session.scalars(query))


def last_campaign_at(session: Session, project_id: int) -> datetime | None:
    """Time at which the newest campaign of links was requested, by whomever."""
    query = select(func.max(CampaignRow.created_at))
    return session.scalar(query.where(CampaignRow.project_id == project_id, CampaignRow.kind == "link"))


def first_run_at(session: Session, project_id: int) -> datetime | None:
    """Time of the project's first measurement."""
    query = select(func.min(RunRow.received_at))
    return session.scalar(query.where(RunRow.project_id == project_id, RunRow.import_id.is_(None)))


def is_busy(session: Session, project_id: int) -> bool:
    """A campaign of links is active, or jobs wait."""
    campaign = exists().where(
        CampaignRow.project_id == project_id, CampaignRow.kind == "link", CampaignRow.active
    )
    waiting = exists().where(JobRow.project_id == project_id, JobRow.state.in_(OPEN))
    return bool(session.scalar(select(or_(campaign, waiting))))
