# SPDX-License-Identifier: Apache-2.0
"""Further runs of pairs at a fine margin. They add to its pool, enter no series and raise no alert."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil

from pydantic import BaseModel
from sqlalchemy.orm import Session

from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.backfill import repository as steps_repository
from nalm_server.campaigns.kind import Kind, Plan, StepState, end
from nalm_server.campaigns.models import StepRow
from nalm_server.campaigns.queueing import queue
from nalm_server.campaigns.refinements import pools, repository
from nalm_server.campaigns.refinements.repository import MeasuredPair
from nalm_server.campaigns.refinements.schemas import RefinedPair, RefinementState
from nalm_server.db.context import Context
from nalm_server.git.commits import repository as commits
from nalm_server.jobs import approvals
from nalm_server.jobs.models import CampaignRow
from nalm_server.jobs.schemas import JobReason

RUN_SECONDS = 1800
"""Time for the rounds of one run, at most."""
NEWEST = 30
"""Newest pairs that each plan looks at. A pool takes a tenth of a second for each of its runs."""
OLDER = 90
"""Older pairs that a plan looks at, others each day, until all had their turn."""
MOST_PAIRS = 20_000
"""Newest pairs that take turns."""
RECENT = timedelta(days=90)
"""Pairs measured within this time are measured on."""


class RefinementSpec(BaseModel):
    margin: float
    seconds: int
    """Time of hosts for all of its runs."""


class _Refinement(Kind):
    name = repository.KIND

    def plan(self, context: Context, campaign: CampaignRow) -> Plan:
        spec = RefinementSpec.model_validate(campaign.spec)
        most = max(1, spec.seconds // RUN_SECONDS)
        with context.read_sessions() as session:
            found = undecided(session, campaign.project_id, spec.margin, most, context.clock())
        return Plan(
            [
                StepRow(
                    base_sha=one.base_sha,
                    head_sha=one.head_sha,
                    scenario=one.scenario,
                    state=StepState.WAITING,
                    budget_seconds=float(min(spec.seconds, RUN_SECONDS)),
                    detail=one.model_dump(mode="json"),
                )
                for one in found
            ]
        )

    def next_jobs(self, session: Session, campaign: CampaignRow, now: datetime) -> bool:
        """False: its steps do not depend on each other."""
        campaign.updated_at = now
        campaigns.settle(session, campaign.id)
        open_jobs = counts(session, campaign).get(StepState.QUEUED, 0)
        if open_jobs == 0:
            for step in steps_repository.waiting(session, campaign.id, 1):
                _queue(session, campaign, step, now)
            session.flush()
        return False

    def conclude(self, session: Session, campaign: CampaignRow, now: datetime) -> None:
        if not counts(session, campaign).keys() & {StepState.WAITING, StepState.QUEUED}:
            end(campaign, RefinementState.DONE, now)


REFINEMENT = _Refinement()


def undecided(
    session: Session, project_id: int, margin: float, most: int, now: datetime
) -> list[RefinedPair]:
    """Pairs that were the same or inconclusive, and whose pool is not decided at the margin: the newest ones
    first, then those of this day."""
    found: list[RefinedPair] = []
    pairs = repository.undecided_pairs(session, project_id, now - RECENT, MOST_PAIRS)
    for pair in _looked_at(pairs, now.toordinal()):
        if len(found) == most:
            break
        pooled = pools.find_pool(session, project_id, pair, margin)
        if pooled is not None and pooled.next_look is not None:
            found.append(RefinedPair(**pair._asdict(), launches=pooled.launches))
    return found


def _looked_at(pairs: Sequence[MeasuredPair], day: int) -> list[MeasuredPair]:
    """pairs: newest first."""
    older = pairs[NEWEST:]
    turns = max(1, ceil(len(older) / OLDER))
    begin = day % turns * OLDER
    return [*pairs[:NEWEST], *older[begin : begin + OLDER]]


def counts(session: Session, campaign: CampaignRow) -> dict[str, int]:
    return steps_repository.counts(session, [campaign.id]).get(campaign.id, {})


def _queue(session: Session, campaign: CampaignRow, step: StepRow, now: datetime) -> None:
    commit = commits.find(session, campaign.project_id, step.head_sha)
    if commit is None:
        step.state = StepState.FAILED
        return
    job = queue(
        session,
        campaign,
        [step],
        commit,
        reason=JobReason.REFINE,
        why=f"refinement {campaign.number}",
        now=now,
        origin=approvals.origin(session, commit),
        scenarios=[step.scenario] if step.scenario is not None else None,
    )
    job.margin = RefinementSpec.model_validate(campaign.spec).margin
