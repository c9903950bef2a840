# SPDX-License-Identifier: Apache-2.0
"""POST and GET /projects/{project}/experiments, GET /experiments/{id} and its cells' reports, POST cancel."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Response
from nalm_core.report.cell import Kind
from nalm_core.report.run_report import RunReport

from nalm_server.auth.dependencies import Caller, Ctx, Db, Now, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import ProjectName
from nalm_server.campaigns.experiments import service
from nalm_server.campaigns.experiments.schemas import Experiment, ExperimentDetail, ExperimentNew
from nalm_server.campaigns.experiments.service import EXPERIMENTS

router = api_router("experiments")
ExperimentId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of an experiment.")]
CellNumber = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a cell.")]


@router.post(
    "/projects/{project}/experiments", status_code=201, responses=documented(401, 403, 404, 409, 413)
)
def create_experiment(
    project: ProjectName, new: ExperimentNew, context: Ctx, caller: Caller
) -> ExperimentDetail:
    """Measures what features, variants or execution models of one commit cost."""
    return service.create(context, caller, project, new)


@router.get("/projects/{project}/experiments", responses=documented(401, 403, 404))
def list_experiments(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    kind: Kind | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> list[Experiment]:
    """Lists a project's experiments, newest first."""
    return service.list_experiments(session, caller, project, kind, limit)


@router.get("/experiments/{experiment_id}", responses=documented(401, 403, 404))
def get_experiment(experiment_id: ExperimentId, session: ReadDb, caller: Caller) -> ExperimentDetail:
    """Shows one experiment with its cells, and the result of the cells so far."""
    return EXPERIMENTS.get(session, caller, experiment_id)


@router.get(
    "/experiments/{experiment_id}/cells/{number}/report",
    response_model=RunReport,
    responses=documented(401, 403, 404, 410),
)
def get_cell_report(
    experiment_id: ExperimentId, number: CellNumber, session: ReadDb, caller: Caller
) -> Response:
    """Returns the run report of a cell, as its agent sent it."""
    found = service.report(session, caller, experiment_id, number)
    return Response(found, media_type="application/json")


@router.post("/experiments/{experiment_id}/cancel", responses=documented(401, 403, 404, 409))
def cancel_experiment(experiment_id: ExperimentId, session: Db, caller: Caller, now: Now) -> ExperimentDetail:
    """Cancels an experiment and its open job; cells that were stored stay."""
    return EXPERIMENTS.cancel(session, caller, experiment_id, now)
