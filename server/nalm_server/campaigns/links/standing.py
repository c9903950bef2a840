# SPDX-License-Identifier: Apache-2.0
"""The standing plan: idle hosts make a project's comparisons over distances, so many a day.

A campaign (campaigns.daily_plan) is for the scenario in which a comparison gains most.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.campaigns.daily_plan import DailyPlan
from nalm_server.campaigns.links import planning, repository
from nalm_server.campaigns.links.kind import LINK, LinksSpec
from nalm_server.campaigns.links.schemas import LinksPlan, LinksPlanNew
from nalm_server.db.context import Context
from nalm_server.results.series import repository as series

PLAN = DailyPlan(LINK.name, "links", ProjectRow.links_per_day)


def shown(session: Session, project: ProjectRow) -> LinksPlan:
    seconds = repository.seconds_of_runs(session, project.id)
    cost = None if seconds is None else seconds * project.links_per_day
    return LinksPlan(
        links_per_day=project.links_per_day, next_at=PLAN.next_at(session, project), seconds_per_day=cost
    )


def change(
    session: Session, caller: Principal, project: str, request: LinksPlanNew, now: datetime
) -> LinksPlan:
    row = require_project(session, caller, project, Role.MAINTAINER)
    row.links_per_day = request.links_per_day
    detail = f"links_per_day = {request.links_per_day}"
    record(session, caller, "project.links", f"project {row.name}", now, project_id=row.id, detail=detail)
    session.flush()
    return shown(session, row)


def drain(context: Context) -> None:
    """Starts a campaign in each project that is due."""
    PLAN.drain(context, _start)


def _start(context: Context, project_id: int) -> None:
    with context.read_sessions() as session:
        chosen = _choose(session, project_id, context.clock())
    if chosen is not None:
        PLAN.start(
            context,
            project_id,
            lambda project: chosen.model_copy(update={"most": project.links_per_day}),
        )


def _choose(session: Session, project_id: int, now: datetime) -> LinksSpec | None:
    """The scenario in which one comparison gains most; None: nothing gains enough."""
    best: tuple[float, LinksSpec] | None = None
    for scenario in series.list_scenarios(session, project_id):
        classes = series.host_classes(session, [scenario.id]).get(scenario.id, {})
        host_class = next(iter(classes), None)
        solution = planning.chain_of(session, scenario.id, host_class) if host_class is not None else None
        if solution is None or host_class is None:
            continue
        first = next(iter(planning.planned(session, project_id, solution, 1, now)), None)
        if first is not None and (best is None or first.gain > best[0]):
            spec = LinksSpec(scenario=scenario.name, scenario_id=scenario.id, host_class=host_class, most=1)
            best = first.gain, spec
    return None if best is None else best[1]
