# SPDX-License-Identifier: Apache-2.0
"""GET the runs that models can use and the inputs that a run gives; POST a model's input for its answer."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import Query
from nalm_core.models.documents.budget import BudgetAnswer, BudgetInput, budget_answer
from nalm_core.models.documents.capacity import CapacityAnswer, CapacityInput, capacity_answer
from nalm_core.models.documents.cost import (
    BreakEvenAnswer,
    BreakEvenInput,
    CostAnswer,
    CostInput,
    break_even_answer,
    cost_answer,
)
from nalm_core.models.documents.lines import LinesAnswer, LinesInput, lines_answer
from nalm_core.models.documents.queue import QueueAnswer, QueueInput
from nalm_core.models.documents.roles import RolesAnswer, RolesInput, roles_answer
from nalm_core.models.documents.speedup import SpeedupAnswer, SpeedupInput, speedup_answer

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import REVISION, ProjectName, RunId
from nalm_server.views.predictions import service
from nalm_server.views.predictions.schemas import Bounds, ModelInputs, Predictable

router = api_router("predictions")
ADDRESS = "/projects/{project}/predictions"
RESPONSES = documented(401, 403, 404, 422)
CommitQuery = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=255,
        pattern=REVISION,
        description="A commit, tag or watched branch; without it, the newest measured commit.",
    ),
]


@router.get(ADDRESS, responses=documented(401, 403, 404, 409))
def get_predictable(
    project: ProjectName, session: ReadDb, caller: Caller, *, commit: CommitQuery = None
) -> Predictable:
    """Lists the runs of one commit from which models can take their inputs."""
    return service.predictable(session, require_project(session, caller, project, Role.READER), commit)


@router.get(f"{ADDRESS}/bounds", responses=documented(401, 403, 404, 409))
def get_bounds(
    project: ProjectName, session: ReadDb, caller: Caller, *, commit: CommitQuery = None
) -> Bounds:
    """Bounds the rate of each scenario of one commit by its host's resources, beside the measured rate."""
    row = require_project(session, caller, project, Role.READER)
    return service.bounds(session, caller, row, commit)


@router.get("/runs/{run_id}/model-inputs", responses=documented(401, 403, 404, 410))
def get_model_inputs(run_id: RunId, session: ReadDb, caller: Caller) -> ModelInputs:
    """Shows what the models take from a run, and why it does not give an input."""
    return service.model_inputs(session, caller, run_id)


@router.post(f"{ADDRESS}/speedup", responses=RESPONSES)
def predict_speedup(
    project: ProjectName, given: SpeedupInput, session: ReadDb, caller: Caller
) -> SpeedupAnswer:
    """Predicts the speedup with lcores from measured rates."""
    require_project(session, caller, project, Role.READER)
    return service.answer(speedup_answer, given)


@router.post(f"{ADDRESS}/roles", responses=RESPONSES)
def predict_roles(project: ProjectName, given: RolesInput, session: ReadDb, caller: Caller) -> RolesAnswer:
    """Shares lcores between dispatch, workers and databases."""
    require_project(session, caller, project, Role.READER)
    return service.answer(roles_answer, given)


@router.post(f"{ADDRESS}/queue", responses=RESPONSES)
def predict_queue(project: ProjectName, given: QueueInput, session: ReadDb, caller: Caller) -> QueueAnswer:
    """Predicts batch sizes, loss and delay under a load. Large queues and many loads are refused."""
    require_project(session, caller, project, Role.READER)
    return service.answer(partial(service.bounded_queue_answer, session), given)


@router.post(f"{ADDRESS}/budget", responses=RESPONSES)
def predict_budget(project: ProjectName, given: BudgetInput, session: ReadDb, caller: Caller) -> BudgetAnswer:
    """Shows the cycles that a rate leaves for a packet, and the share of it that lcores carry."""
    require_project(session, caller, project, Role.READER)
    return service.answer(budget_answer, given)


@router.post(f"{ADDRESS}/capacity", responses=RESPONSES)
def predict_capacity(
    project: ProjectName, given: CapacityInput, session: ReadDb, caller: Caller
) -> CapacityAnswer:
    """Bounds the rate by each resource of a chip, and names the one that binds."""
    require_project(session, caller, project, Role.READER)
    return service.answer(capacity_answer, given)


@router.post(f"{ADDRESS}/cost", responses=RESPONSES)
def predict_cost(project: ProjectName, given: CostInput, session: ReadDb, caller: Caller) -> CostAnswer:
    """Weighs compute against delay of several designs."""
    require_project(session, caller, project, Role.READER)
    return service.answer(cost_answer, given)


@router.post(f"{ADDRESS}/break-even", responses=RESPONSES)
def predict_break_even(
    project: ProjectName, given: BreakEvenInput, session: ReadDb, caller: Caller
) -> BreakEvenAnswer:
    """Shows the flow length from which a flow cache pays."""
    require_project(session, caller, project, Role.READER)
    return service.answer(break_even_answer, given)


@router.post(f"{ADDRESS}/lines", responses=RESPONSES)
def predict_lines(project: ProjectName, given: LinesInput, session: ReadDb, caller: Caller) -> LinesAnswer:
    """Shows which packet metadata fits into the first-level data cache."""
    require_project(session, caller, project, Role.READER)
    return service.answer(lines_answer, given)
