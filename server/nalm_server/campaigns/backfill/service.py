# SPDX-License-Identifier: Apache-2.0
"""Backfills as people ask for, see and end them."""

from __future__ import annotations

from datetime import datetime

from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_repository import name_of
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.service import Principal
from nalm_server.base.errors import InvalidError
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns import service
from nalm_server.campaigns.backfill import repository
from nalm_server.campaigns.backfill.kind import BACKFILL, BackfillSpec
from nalm_server.campaigns.backfill.schemas import Backfill, BackfillNew, Progress
from nalm_server.db.context import Context
from nalm_server.jobs import approvals, revisions
from nalm_server.jobs.models import CampaignRow


def create(context: Context, caller: Principal, project: str, new: BackfillNew) -> Backfill:
    """Looks the ends up in the repository, then stores the backfill; a worker takes it from there."""
    with context.read_sessions() as session:
        row = require_project(session, caller, project, Role.DEVELOPER)
    first, last = (revisions.resolve(context, row, revision) for revision in (new.first, new.last))
    if first == last:
        raise InvalidError(f"First and last are both {short(first)}: there is nothing between them.")
    spec = BackfillSpec(first_sha=first, last_sha=last, every=new.every, scenarios=new.scenarios)
    now = context.clock()
    with context.sessions() as session:
        approvals.require_base(session, row.id, first)
        campaign = service.start(
            session, row.id, BACKFILL.name, spec.model_dump(), requested_by=caller.name, now=now
        )
        record(session, caller, "backfill.create", f"backfill {campaign.number}", now, project_id=row.id)
        session.commit()
        return _backfill(campaign, row.name, {})


def list_backfills(session: Session, caller: Principal, project: str, limit: int) -> list[Backfill]:
    row = require_project(session, caller, project, Role.READER)
    rows = campaigns.of_project(session, row.id, BACKFILL.name, limit)
    counts = repository.counts(session, [campaign.id for campaign in rows])
    return [_backfill(campaign, row.name, counts.get(campaign.id, {})) for campaign in rows]


def get(session: Session, caller: Principal, number: int) -> Backfill:
    return _shown(session, service.require(session, caller, BACKFILL.name, number, Role.READER))


def cancel(session: Session, caller: Principal, number: int, now: datetime) -> Backfill:
    """Ends it and its open jobs. Saying it twice changes nothing."""
    campaign = service.cancel(session, caller, BACKFILL.name, number, now)
    repository.settle(session, campaign.id)
    return _shown(session, campaign)


def _shown(session: Session, campaign: CampaignRow) -> Backfill:
    counts = repository.counts(session, [campaign.id])
    return _backfill(campaign, name_of(session, campaign.project_id), counts.get(campaign.id, {}))


def _backfill(campaign: CampaignRow, project: str, counts: dict[str, int]) -> Backfill:
    own = {"id", "project", "progress", *BackfillSpec.model_fields}
    fields = {name: getattr(campaign, name) for name in Backfill.model_fields if name not in own}
    states = {name: counts.get(name, 0) for name in Progress.model_fields if name != "total"}
    return Backfill(
        id=campaign.number,
        project=project,
        progress=Progress(total=sum(counts.values()), **states),
        **dict(BackfillSpec.model_validate(campaign.spec)),
        **fields,
    )
