# SPDX-License-Identifier: Apache-2.0
"""The standing plan: idle hosts make a project's comparisons over distances, so many a day.

One campaign at a time, for the scenario in which a comparison gains most. Its jobs have the lowest priority:
they wait while anything else does.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.campaigns import service as campaigns
from nalm_server.campaigns.links import planning, repository
from nalm_server.campaigns.links.kind import LINK, LinksSpec
from nalm_server.campaigns.links.schemas import LinksPlan, LinksPlanNew
from nalm_server.db.context import Context
from nalm_server.results.series import repository as series
from nalm_server.worker.for_each import each

DAY = timedelta(days=1)


def shown(session: Session, project: ProjectRow) -> LinksPlan:
    seconds = repository.seconds_of_runs(session, project.id)
    cost = None if seconds is None else seconds * project.links_per_day
    return LinksPlan(
        links_per_day=project.links_per_day, next_at=next_at(session, project), seconds_per_day=cost
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


def next_at(session: Session, project: ProjectRow) -> datetime | None:
    """Time of the next campaign; None: never, or not before the first measurement."""
    if not project.links_per_day:
        return None
    last = repository.last_campaign_at(session, project.id)
    return last + DAY if last is not None else repository.first_run_at(session, project.id)


def drain(context: Context) -> None:
    """Starts a campaign in each project that is due."""
    now = context.clock()
    with context.read_sessions() as session:
        due = [
            number
            for number in repository.projects_with_plan(session)
            if _is_due(session, projects.get(session, number), now)
        ]
    each("links of project", due, partial(_start, context))


def _is_due(session: Session, project: ProjectRow, now: datetime) -> bool:
    at = next_at(session, project)
    return at is not None and at <= now and not repository.is_busy(session, project.id)


def _start(context: Context, project_id: int) -> None:
    with context.read_sessions() as session:
        chosen = _choose(session, project_id)
    if chosen is None:
        return
    now = context.clock()
    with context.sessions() as session:
        project = projects.lock(session, project_id)
        if _is_due(session, project, now):
            spec = chosen.model_copy(update={"most": project.links_per_day}).model_dump()
            campaigns.start(session, project_id, LINK.name, spec, requested_by="links each day", now=now)
            session.commit()


def _choose(session: Session, project_id: int) -> LinksSpec | None:
    """The scenario in which one comparison gains most; None: nothing gains enough."""
    best: tuple[float, LinksSpec] | None = None
    for scenario in series.list_scenarios(session, project_id):
        classes = series.host_classes(session, [scenario.id]).get(scenario.id, {})
        host_class = next(iter(classes), None)
        solution = planning.chain_of(session, scenario.id, host_class) if host_class is not None else None
        if solution is None or host_class is None:
            continue
        first = next(iter(planning.planned(session, project_id, solution, 1)), None)
        if first is not None and (best is None or first.gain > best[0]):
            spec = LinksSpec(scenario=scenario.name, scenario_id=scenario.id, host_class=host_class, most=1)
            best = first.gain, spec
    return None if best is None else best[1]
