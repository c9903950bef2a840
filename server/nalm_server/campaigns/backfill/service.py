# SPDX-License-Identifier: Apache-2.0
"""Backfills for people: request, list, show."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.tokens.principal import Principal
from nalm_server.campaigns.backfill import repository
from nalm_server.campaigns.backfill.kind import BACKFILL, BackfillSpec
from nalm_server.campaigns.backfill.schemas import Backfill, BackfillNew, Progress
from nalm_server.campaigns.resource import Resource, common, resolve_ends
from nalm_server.db.context import Context
from nalm_server.jobs.models import CampaignRow


def create(context: Context, caller: Principal, project: str, new: BackfillNew) -> Backfill:
    """Resolves the ends in the repository first, outside of a transaction."""
    with context.read_sessions() as session:
        row = require_project(session, caller, project, Role.DEVELOPER)
    first, last = resolve_ends(context, row, first=new.first, last=new.last)
    spec = BackfillSpec(first_sha=first, last_sha=last, every=new.every, scenarios=new.scenarios)
    return BACKFILLS.create(context, caller, row, spec.model_dump(), first)


def _briefs(session: Session, project: str, campaigns: Sequence[CampaignRow]) -> list[Backfill]:
    counts = repository.counts(session, [campaign.id for campaign in campaigns])
    return [_backfill(campaign, project, counts.get(campaign.id, {})) for campaign in campaigns]


def _detail(session: Session, project: str, campaign: CampaignRow) -> Backfill:
    return _briefs(session, project, [campaign])[0]


def _backfill(campaign: CampaignRow, project: str, counts: dict[str, int]) -> Backfill:
    states = {name: counts.get(name, 0) for name in Progress.model_fields if name != "total"}
    return Backfill(
        **common(campaign, Backfill, project),
        **dict(BackfillSpec.model_validate(campaign.spec)),
        progress=Progress(total=sum(counts.values()), **states),
    )


BACKFILLS = Resource(BACKFILL.name, _briefs, _detail)
