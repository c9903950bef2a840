# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/scenarios/{scenario}/pool and /margin-plan, GET /projects/{project}/refinements,
its plan, GET /refinements/{id} and POST /refinements/{id}/cancel."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from nalm_core.pooling.plan import MarginPlan
from nalm_core.pooling.pool import PairPool

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import FULL_SHA, ProjectName, ScenarioName
from nalm_server.campaigns.refinements import pools, standing
from nalm_server.campaigns.refinements.repository import MeasuredPair
from nalm_server.campaigns.refinements.schemas import (
    FineMargin,
    Refinement,
    RefinementPlan,
    RefinementPlanNew,
)
from nalm_server.campaigns.refinements.service import REFINEMENTS

router = api_router("refinements")
RefinementId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a refinement.")]
CommitSha = Annotated[str, Query(pattern=FULL_SHA, description="SHA of a commit.")]
Margin = Annotated[FineMargin, Query(description="Relative change of cycles that matters.")]


@router.get("/projects/{project}/scenarios/{scenario}/pool", responses=documented(404))
def get_pool(
    project: ProjectName,
    scenario: ScenarioName,
    *,
    base: CommitSha,
    head: CommitSha,
    session: ReadDb,
    caller: Caller,
    margin: Margin = 0.002,
) -> PairPool:
    """Judges a pair by all of its runs, on whichever host and at whatever time."""
    found = require_project(session, caller, project, Role.READER)
    return pools.pool_of(session, found, MeasuredPair(base, head, scenario), margin)


@router.get("/projects/{project}/scenarios/{scenario}/margin-plan", responses=documented(404))
def get_margin_plan(
    project: ProjectName,
    scenario: ScenarioName,
    *,
    session: ReadDb,
    caller: Caller,
    margin: Margin = 0.002,
    hosts: Annotated[int, Query(ge=1, le=10_000)] = 1,
) -> MarginPlan:
    """Shows what a margin takes, from the noise of the scenario's newest runs."""
    found = require_project(session, caller, project, Role.READER)
    return pools.plan_of(session, found, scenario, margin, hosts)


@router.get("/projects/{project}/refinements/plan", responses=documented(404))
def get_refinement_plan(project: ProjectName, session: ReadDb, caller: Caller) -> RefinementPlan:
    """Shows how long idle hosts measure undecided pairs on each day, and to which margin."""
    return standing.shown(session, require_project(session, caller, project, Role.READER))


@router.put("/projects/{project}/refinements/plan", responses=documented(401, 403, 404, 413))
def set_refinement_plan(
    project: ProjectName, plan: RefinementPlanNew, session: Db, caller: Caller, now: Now
) -> RefinementPlan:
    """Sets how long idle hosts measure undecided pairs on each day. For maintainers."""
    return standing.change(session, caller, project, plan, now)


@router.get("/projects/{project}/refinements", responses=documented(401, 403, 404))
def list_refinements(
    project: ProjectName, session: ReadDb, caller: Caller, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> list[Refinement]:
    """Lists a project's refinements, newest first."""
    return REFINEMENTS.page(session, caller, project, limit)


@router.get("/refinements/{refinement_id}", responses=documented(401, 403, 404))
def get_refinement(refinement_id: RefinementId, session: ReadDb, caller: Caller) -> Refinement:
    """Shows one refinement with its pairs and its progress."""
    return REFINEMENTS.get(session, caller, refinement_id)


@router.post("/refinements/{refinement_id}/cancel", responses=documented(401, 403, 404, 409))
def cancel_refinement(refinement_id: RefinementId, session: Db, caller: Caller, now: Now) -> Refinement:
    """Cancels a refinement and its open jobs."""
    return REFINEMENTS.cancel(session, caller, refinement_id, now)
