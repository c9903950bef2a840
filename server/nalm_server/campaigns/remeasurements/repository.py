# SPDX-License-Identifier: Apache-2.0
"""SQL of remeasurements."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from nalm_server.campaigns.models import StepRow
from nalm_server.jobs.models import CampaignRow

KIND = "remeasurement"


def requested_since(session: Session, project_id: int, since: datetime) -> int:
    """Number of the project's remeasurements requested since then."""
    query = select(func.count()).where(
        CampaignRow.project_id == project_id, CampaignRow.kind == KIND, CampaignRow.created_at > since
    )
    return session.scalar(query) or 0


def of_commits(
    session: Session, project_id: int, shas: Collection[str]
) -> dict[tuple[str, str], tuple[CampaignRow, StepRow]]:
    """By (scenario, commit): the newest remeasurement and its step."""
    found = session.execute(
        select(CampaignRow, StepRow)
        .join(StepRow, StepRow.campaign_id == CampaignRow.id)
        .where(CampaignRow.project_id == project_id, CampaignRow.kind == KIND, StepRow.head_sha.in_(shas))
        .order_by(CampaignRow.id)
    )
    return {(step.scenario or "", step.head_sha): (campaign, step) for campaign, step in found}


def steps(session: Session, campaign_ids: Collection[int]) -> dict[int, StepRow]:
    """By campaign."""
    found = session.scalars(select(StepRow).where(StepRow.campaign_id.in_(campaign_ids)))
    return {step.campaign_id: step for step in found}
