# SPDX-License-Identifier: Apache-2.0
"""Bisects as people ask for, see and end them."""

from __future__ import annotations

from datetime import datetime

from nalm_core.findings.bisection import Finding
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
from nalm_server.campaigns.bisection.kind import BISECTION, BisectResult, BisectSpec
from nalm_server.campaigns.bisection.schemas import Bisect, BisectDetail, BisectNew, BisectStep
from nalm_server.campaigns.kind import StepState
from nalm_server.campaigns.models import StepRow
from nalm_server.db.context import Context
from nalm_server.jobs import approvals, revisions
from nalm_server.jobs.models import CampaignRow
from nalm_server.results.series import repository as scenarios


def create(context: Context, caller: Principal, project: str, new: BisectNew) -> BisectDetail:
    """Looks the ends up in the repository, then stores the bisect; a worker takes it from there."""
    with context.read_sessions() as session:
        row = require_project(session, caller, project, Role.DEVELOPER)
        _require_seen_scenario(session, row.id, new.scenario)
    good, bad = (revisions.resolve(context, row, revision) for revision in (new.good, new.bad))
    if good == bad:
        raise InvalidError(f"Good and bad are both {short(good)}: there is nothing between them.")
    spec = BisectSpec(scenario=new.scenario, good_sha=good, bad_sha=bad)
    now = context.clock()
    with context.sessions() as session:
        approvals.require_base(session, row.id, good)
        campaign = start(session, row.id, spec, requested_by=caller.name, now=now)
        record(session, caller, "bisect.create", f"bisect {campaign.number}", now, project_id=row.id)
        detail = _detail(session, campaign)
        session.commit()
    return detail


def start(
    session: Session, project_id: int, spec: BisectSpec, *, requested_by: str, now: datetime
) -> CampaignRow:
    """Stores it; a worker reads its range and goes on."""
    return service.start(
        session, project_id, BISECTION.name, spec.model_dump(), requested_by=requested_by, now=now
    )


def list_bisects(session: Session, caller: Principal, project: str, limit: int) -> list[Bisect]:
    row = require_project(session, caller, project, Role.READER)
    rows = campaigns.of_project(session, row.id, BISECTION.name, limit)
    return [_bisect(campaign, row.name) for campaign in rows]


def get(session: Session, caller: Principal, number: int) -> BisectDetail:
    return _detail(session, service.require(session, caller, BISECTION.name, number, Role.READER))


def cancel(session: Session, caller: Principal, number: int, now: datetime) -> BisectDetail:
    """Ends it and its open job. Saying it twice changes nothing."""
    return _detail(session, service.cancel(session, caller, BISECTION.name, number, now))


def _require_seen_scenario(session: Session, project_id: int, name: str) -> None:
    """Before a project's first run nothing is known of its scenarios."""
    known = [scenario.name for scenario in scenarios.list_scenarios(session, project_id)]
    if known and name not in known:
        raise InvalidError(f"No run has told of a scenario {name!r}; known are {', '.join(known[:20])}.")


def _bisect(campaign: CampaignRow, project: str) -> Bisect:
    spec, result = BisectSpec.model_validate(campaign.spec), BisectResult.model_validate(campaign.result)
    own = {"id", "project", "commits", *BisectSpec.model_fields, *BisectResult.model_fields}
    return Bisect(
        id=campaign.number,
        project=project,
        commits=len(spec.commits) - 1 if spec.commits is not None else None,
        **spec.model_dump(exclude={"commits"}),
        **dict(result),
        **{name: getattr(campaign, name) for name in Bisect.model_fields if name not in own},
    )


def _detail(session: Session, campaign: CampaignRow) -> BisectDetail:
    steps = [_step(step) for step in campaigns.steps(session, campaign.id)]
    return BisectDetail(**dict(_bisect(campaign, name_of(session, campaign.project_id))), steps=steps)


def _step(step: StepRow) -> BisectStep:
    return BisectStep(
        place=step.ordinal,
        sha=step.head_sha,
        finding=Finding(step.outcome) if step.outcome is not None else None,
        why=step.why,
        measurements=step.detail["measurements"],
        budget_seconds=step.budget_seconds,
        job_id=step.job_id,
        run_id=step.run_id,
        reused=step.state == StepState.REUSED,
        at=step.finished_at or step.started_at,
    )
