# SPDX-License-Identifier: Apache-2.0
"""The standing plan: idle hosts measure a project's undecided pairs on, so many minutes a day."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.campaigns.daily_plan import DailyPlan
from nalm_server.campaigns.refinements.kind import REFINEMENT, RefinementSpec
from nalm_server.campaigns.refinements.schemas import RefinementPlan, RefinementPlanNew
from nalm_server.db.context import Context

PLAN = DailyPlan(REFINEMENT.name, "refinements", ProjectRow.refine_minutes_per_day)


def shown(session: Session, project: ProjectRow) -> RefinementPlan:
    return RefinementPlan(
        minutes_per_day=project.refine_minutes_per_day,
        margin=project.refine_margin,
        next_at=PLAN.next_at(session, project),
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


def drain(context: Context) -> None:
    """Starts a campaign in each project that is due."""
    PLAN.drain(context, _start)


def _start(context: Context, project_id: int) -> None:
    """A campaign that finds nothing undecided ends at once; the next one looks again."""
    PLAN.start(context, project_id, _spec)


def _spec(project: ProjectRow) -> RefinementSpec:
    return RefinementSpec(margin=project.refine_margin, seconds=60 * project.refine_minutes_per_day)
