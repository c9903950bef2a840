# SPDX-License-Identifier: Apache-2.0
"""Advances active campaigns: plans each once, then queues its next jobs until it can conclude."""

from __future__ import annotations

from functools import partial

from nalm_server.auth.access import project_repository as projects
from nalm_server.base.errors import NalmError
from nalm_server.campaigns import repository
from nalm_server.campaigns.kind import FAILED, PLANNING, RUNNING, Kind, Plan, end
from nalm_server.campaigns.kinds import KINDS
from nalm_server.db.context import Context
from nalm_server.jobs import commit_range
from nalm_server.jobs.models import CampaignRow
from nalm_server.worker.for_each import each


def drain(context: Context) -> None:
    """Advances each active campaign as far as possible now."""
    with context.read_sessions() as session:
        due = repository.due(session, context.clock())
    each("campaign", due, partial(_work_on, context))


def _work_on(context: Context, campaign_id: int) -> None:
    with context.read_sessions() as session:
        campaign = repository.get(session, campaign_id)
    if campaign is None:
        return
    kind = KINDS[campaign.kind]
    if campaign.state == PLANNING:
        _plan(context, kind, campaign)
    kind.catch_up(context, campaign)
    while _advance(context, kind, campaign):
        pass


def _plan(context: Context, kind: Kind, campaign: CampaignRow) -> None:
    try:
        plan = kind.plan(context, campaign)
    except NalmError as error:
        _not_planned(context, campaign, error)
        return
    with context.sessions() as session:
        row = repository.lock(session, campaign.id)
        if row is not None and row.state == PLANNING:
            _store(row, plan)
            repository.add_steps(session, row.id, plan.steps)
            row.updated_at = context.clock()
            session.commit()


def _store(row: CampaignRow, plan: Plan) -> None:
    row.state, row.message = RUNNING, None
    row.spec = {**row.spec, **plan.spec}


def _not_planned(context: Context, campaign: CampaignRow, error: NalmError) -> None:
    now = context.clock()
    with context.sessions() as session:
        row = repository.lock(session, campaign.id)
        if row is not None and row.state == PLANNING:
            row.updated_at = now
            if not commit_range.put_off(row, error, now):
                end(row, FAILED, now)
            session.commit()


def _advance(context: Context, kind: Kind, campaign: CampaignRow) -> bool:
    """True if there may be more to do at once. Locks the project first, like the code that queues jobs."""
    with context.sessions() as session:
        projects.lock(session, campaign.project_id)
        row = repository.lock(session, campaign.id, wait=False)
        if row is None or not row.active or row.state == PLANNING:
            return False
        now = context.clock()
        more = kind.next_jobs(session, row, now)
        if not more:
            kind.conclude(session, row, now)
        session.commit()
    return more
