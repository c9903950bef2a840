# SPDX-License-Identifier: Apache-2.0
"""Bisects for people: request, list, show."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from nalm_core.findings.bisection import Finding
from nalm_core.findings.figure import CYCLES, decided_figures
from nalm_core.report.trials.kinds import RunKind, split_name
from nalm_core.verdict.verdict import Verdict as CoreVerdict
from sqlalchemy.orm import Session

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import InvalidError
from nalm_server.campaigns import repository, service
from nalm_server.campaigns.bisection.kind import BISECTION, BisectResult, BisectSpec
from nalm_server.campaigns.bisection.schemas import Bisect, BisectDetail, BisectNew, BisectStep
from nalm_server.campaigns.kind import StepState
from nalm_server.campaigns.models import StepRow
from nalm_server.campaigns.resource import Resource, common, resolve_ends
from nalm_server.db.context import Context
from nalm_server.jobs.models import CampaignRow
from nalm_server.results import repository as runs
from nalm_server.results.series import repository as scenarios

LOOKED_AT = 20
"""Newest runs of a scenario in which its figures are looked for."""


def create(context: Context, caller: Principal, project: str, new: BisectNew) -> BisectDetail:
    """Resolves the ends in the repository first, outside of a transaction."""
    with context.read_sessions() as session:
        row = require_project(session, caller, project, Role.DEVELOPER)
        _require_seen_scenario(session, row.id, new.scenario)
        metric = _figure(session, row.id, new)
    good, bad = resolve_ends(context, row, good=new.good, bad=new.bad)
    spec = BisectSpec(scenario=new.scenario, metric=metric, good_sha=good, bad_sha=bad)
    return BISECTS.create(context, caller, row, spec.model_dump(), good)


def start(
    session: Session, project_id: int, spec: BisectSpec, *, requested_by: str, now: datetime
) -> CampaignRow:
    """Starts a bisect for an alert; a worker plans it afterwards."""
    return service.start(
        session, project_id, BISECTION.name, spec.model_dump(), requested_by=requested_by, now=now
    )


def _require_seen_scenario(session: Session, project_id: int, name: str) -> None:
    """Accepts any name before the project's first run, when no scenario is known."""
    known = [scenario.name for scenario in scenarios.list_scenarios(session, project_id)]
    if known and name not in known:
        raise InvalidError(f"No run has a scenario {name!r}; known are {', '.join(known[:20])}.")


def _figure(session: Session, project_id: int, new: BisectNew) -> str | None:
    """The figure to search; None: the runs' outcome, as for cycles per packet of runs of cycles. Accepts any
    name before the scenario's first run with figures."""
    of_cycles = split_name(new.scenario)[1] is RunKind.CYCLES
    if new.metric is None or (of_cycles and new.metric == CYCLES):
        return None
    known = _judged_figures(session, project_id, new.scenario)
    if known and new.metric not in known:
        names = ", ".join([CYCLES, *known] if of_cycles else known)
        raise InvalidError(
            f"No run of {new.scenario} judges a figure {new.metric!r}; those of its newest run are {names}."
        )
    return new.metric


def _judged_figures(session: Session, project_id: int, scenario: str) -> list[str]:
    """Of its newest run that has some."""
    for verdict in runs.newest_documents(session, project_id, scenario, LOOKED_AT):
        if figures := decided_figures(CoreVerdict.model_validate(verdict)):
            return figures
    return []


def _briefs(_: Session, project: str, campaigns: Sequence[CampaignRow]) -> list[Bisect]:
    return [Bisect(**_fields(campaign, project)) for campaign in campaigns]


def _detail(session: Session, project: str, campaign: CampaignRow) -> BisectDetail:
    steps = [_step(step) for step in repository.steps(session, campaign.id)]
    return BisectDetail(**_fields(campaign, project), steps=steps)


def _fields(campaign: CampaignRow, project: str) -> dict[str, Any]:
    spec, result = BisectSpec.model_validate(campaign.spec), BisectResult.model_validate(campaign.result)
    return {
        **common(campaign, Bisect, project),
        **spec.model_dump(exclude={"commits"}),
        **dict(result),
        "commits": len(spec.commits) - 1 if spec.commits is not None else None,
    }


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


BISECTS = Resource(BISECTION.name, _briefs, _detail)
