# SPDX-License-Identifier: Apache-2.0
"""SQL of what idle hosts do each day."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import exists, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.jobs.models import CampaignRow, JobRow
from nalm_server.jobs.schemas import OPEN
from nalm_server.results.models import RunRow


def projects_with_plan(session: Session, amount: InstrumentedAttribute[int]) -> list[int]:
    """Projects of which this column is above 0."""
    return list(session.scalars(select(ProjectRow.id).where(amount > 0).order_by(ProjectRow.id)))


def last_campaign_at(session: Session, project_id: int, kind: str) -> datetime | None:
    """Time at which the newest campaign of the kind was requested, by whomever."""
    query = select(func.max(CampaignRow.created_at))
    return session.scalar(query.where(CampaignRow.project_id == project_id, CampaignRow.kind == kind))


def first_run_at(session: Session, project_id: int) -> datetime | None:
    """Time of the project's first measurement."""
    query = select(func.min(RunRow.received_at))
    return session.scalar(query.where(RunRow.project_id == project_id, RunRow.import_id.is_(None)))


def is_busy(session: Session, project_id: int, kind: str) -> bool:
    """A campaign of the kind is active, or jobs wait."""
    campaign = exists().where(
        CampaignRow.project_id == project_id, CampaignRow.kind == kind, CampaignRow.active
    )
    waiting = exists().where(JobRow.project_id == project_id, JobRow.state.in_(OPEN))
    return bool(session.scalar(select(or_(campaign, waiting))))
