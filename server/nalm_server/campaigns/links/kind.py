# SPDX-License-Identifier: Apache-2.0
"""Comparisons over distances, measured when nothing else waits. A link that gains too little meanwhile is
skipped."""

from __future__ import annotations

from datetime import datetime

from nalm_core.history import constants
from nalm_core.history.ladder import gain
from pydantic import BaseModel
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.base.errors import InvalidError
from nalm_server.campaigns import repository as campaigns
from nalm_server.campaigns.backfill import repository as steps_repository
from nalm_server.campaigns.kind import Kind, Plan, StepState, end
from nalm_server.campaigns.links import planning
from nalm_server.campaigns.links.schemas import LinksState, PlannedLink
from nalm_server.campaigns.models import StepRow
from nalm_server.campaigns.queueing import queue
from nalm_server.db.context import Context
from nalm_server.git.commits import repository as commits
from nalm_server.jobs import approvals
from nalm_server.jobs.agents.matching import online
from nalm_server.jobs.models import CampaignRow
from nalm_server.jobs.schemas import JobReason, JobState

OPEN_JOBS = 4
"""Jobs in the queue at once: each result changes what the others gain."""


class LinksSpec(BaseModel):
    scenario: str
    scenario_id: int
    host_class: str
    most: int


class _Links(Kind):
    name = "link"

    def plan(self, context: Context, campaign: CampaignRow) -> Plan:
        spec = LinksSpec.model_validate(campaign.spec)
        with context.read_sessions() as session:
            solution = planning.chain_of(session, spec.scenario_id, spec.host_class)
            if solution is None:
                raise InvalidError(f"Scenario {spec.scenario!r} has no comparison of two commits yet.")
            most = spec.most + planning.MOST_OF_BRIDGES
            found = planning.planned(session, campaign.project_id, solution, most, context.clock())
            project = projects.get(session, campaign.project_id)
            there = {host.name for host in online(session, project.pool, context.clock())}
        return Plan(
            [
                StepRow(
                    base_sha=one.base_sha,
                    head_sha=one.head_sha,
                    scenario=spec.scenario,
                    state=StepState.WAITING,
                    detail=one.model_dump(mode="json"),
                )
                for one in [one for one in found if one.host is None or one.host in there][: spec.most]
            ]
        )

    def next_jobs(self, session: Session, campaign: CampaignRow, now: datetime) -> bool:
        """True if steps needed no job."""
        campaign.updated_at = now
        campaigns.settle(session, campaign.id)
        open_jobs = counts(session, campaign).get(StepState.QUEUED, 0)
        steps = steps_repository.waiting(session, campaign.id, max(OPEN_JOBS - open_jobs, 0))
        if not steps:
            return False
        spec = LinksSpec.model_validate(campaign.spec)
        solution = planning.chain_of(session, spec.scenario_id, spec.host_class)
        ends = [(step.base_sha, step.head_sha) for step in steps]
        errors = solution.errors(ends) if solution is not None else [None] * len(steps)
        usual = planning.usual_error(solution) if solution is not None else 1.0
        for step, error in zip(steps, errors, strict=True):
            needed = PlannedLink.model_validate(step.detail).why == "bridge"
            if not needed and gain(error, usual).share < constants.LINK_GAIN:
                step.state = StepState.REUSED
            else:
                _queue(session, campaign, step, now)
        session.flush()
        return any(step.state != StepState.QUEUED for step in steps)

    def conclude(self, session: Session, campaign: CampaignRow, now: datetime) -> None:
        if not counts(session, campaign).keys() & {StepState.WAITING, StepState.QUEUED}:
            end(campaign, LinksState.DONE, now)


LINK = _Links()


def counts(session: Session, campaign: CampaignRow) -> dict[str, int]:
    return steps_repository.counts(session, [campaign.id]).get(campaign.id, {})


def _queue(session: Session, campaign: CampaignRow, step: StepRow, now: datetime) -> None:
    commit = commits.find(session, campaign.project_id, step.head_sha)
    if commit is None:
        step.state = StepState.FAILED
        return
    planned = PlannedLink.model_validate(step.detail)
    job = queue(
        session,
        campaign,
        [step],
        commit,
        reason=JobReason.LINK,
        why=f"link over {planned.distance} commits" + (f", on {planned.host}" if planned.host else ""),
        now=now,
        origin=approvals.origin(session, commit),
        scenarios=[step.scenario] if step.scenario is not None else None,
        only_host=planned.host,
    )
    if job.state == JobState.DONE:  # measured for an earlier campaign
        step.state = StepState.DONE
