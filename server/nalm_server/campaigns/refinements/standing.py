# SPDX-License-Identifier: Apache-2.0
"""The standing plan: idle hosts measure a project's undecided pairs on, so many minutes a day.

One campaign at a time. Its jobs have the lowest priority: they wait while anything else does.
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
from nalm_server.campaigns.refinements import repository
from nalm_server.campaigns.refinements.kind import REFINEMENT, RefinementSpec
from nalm_server.campaigns.refinements.schemas import RefinementPlan, RefinementPlanNew
from nalm_server.db.context import Context
from nalm_server.worker.for_each import each

DAY = timedelta(days=1)


def shown(session: Session, project: ProjectRow) -> RefinementPlan:
    return RefinementPlan(
        minutes_per_day=project.refine_minutes_per_day,
        margin=project.refine_margin,
        next_at=next_at(session, project),
    )


def change(
    session: Session, caller: Principal, project: str, request: RefinementPlanNew, now: datetime
) -> RefinementPlan:
    row = require_project(session, caller, project, Role.MAINTAINER)
    row.refine_minutes_per_day, row.refine_margin = request.minutes_per_day, request.margin
    detail = f"{request.minutes_per_day} minutes a day to a margin of {request.margin:g}"
    record(
        session, caller, "project.refinements", f"project {row.name}", now, project_id=row.id, detail=detail
    )
    session.flush()
    return shown(session, row)


def next_at(session: Session, project: ProjectRow) -> datetime | None:
    """Time of the next campaign; None: never, or not before the first measurement."""
    if not project.refine_minutes_per_day:
        return None
    last = repository.last_at(session, project.id)
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
    each("refinements of project", due, partial(_start, context))


def _is_due(session: Session, project: ProjectRow, now: datetime) -> bool:
    at = next_at(session, project)
    return at is not None and at <= now and not repository.is_busy(session, project.id)


def _start(context: Context, project_id: int) -> None:
    """A campaign that finds nothing undecided ends at once; the next one looks again."""
    now = context.clock()
    with context.sessions() as session:
        project = projects.lock(session, project_id)
        if _is_due(session, project, now):
            spec = RefinementSpec(margin=project.refine_margin, seconds=60 * project.refine_minutes_per_day)
            campaigns.start(
                session,
                project_id,
                REFINEMENT.name,
                spec.model_dump(),
                requested_by="refinements each day",
                now=now,
            )
            session.commit()
