# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/features, /ncpp, /models, /ablation, /practices."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Response
from nalm_core.experiments.practices import Practices

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.json_response import as_json
from nalm_server.base.schemas import NAME, REVISION, ProjectName
from nalm_server.features import ncpp, practices, prices, variants
from nalm_server.features.schemas import Ablation, By, Models, NcppTable, PriceHistory, PriceList

router = api_router("features", "/projects/{project}")
ScenarioQuery = Annotated[str | None, Query(max_length=64, pattern=NAME, description="Only this scenario.")]
CommitQuery = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=255,
        pattern=REVISION,
        description="A commit, tag or watched branch; without it, the newest measured commit.",
    ),
]


@router.get("/ncpp", response_model=NcppTable, responses=documented(401, 403, 404))
def get_ncpp(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    by: By = By.COMMIT,
    scenario: ScenarioQuery = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="Number of rows, the newest.")] = 100,
) -> Response:
    """Compares versions with different feature sets on one scale: CPP against the reference's cost model."""
    found = require_project(session, caller, project, Role.READER)
    return as_json(ncpp.table(session, found, by, scenario=scenario, limit=limit))


@router.get("/features", responses=documented(401, 403, 404))
def get_prices(project: ProjectName, session: ReadDb, caller: Caller) -> PriceList:
    """Shows each feature's price now, against the reference and the last release, and where it grew."""
    return prices.price_list(session, require_project(session, caller, project, Role.READER))


@router.get("/features/{name}/history", responses=documented(401, 403, 404))
def get_price_history(
    project: ProjectName,
    name: Annotated[str, Path(min_length=1, max_length=64, pattern=NAME, description="Name of a feature.")],
    session: ReadDb,
    caller: Caller,
    *,
    limit: Annotated[int, Query(ge=1, le=10_000, description="Number of values, the newest.")] = 1000,
) -> PriceHistory:
    """Shows the price of a feature, commit by commit."""
    found = require_project(session, caller, project, Role.READER)
    return prices.history(session, found, name, limit)


@router.get("/models", responses=documented(401, 403, 404, 409))
def get_models(
    project: ProjectName, session: ReadDb, caller: Caller, *, commit: CommitQuery = None
) -> Models:
    """Compares chains under their execution models, metric by metric, on one commit."""
    return variants.models(session, require_project(session, caller, project, Role.READER), commit)


@router.get("/ablation", responses=documented(401, 403, 404, 409))
def get_ablation(
    project: ProjectName, session: ReadDb, caller: Caller, *, commit: CommitQuery = None
) -> Ablation:
    """Compares variants off and on, on one commit: what each contributes, and to which chains."""
    return variants.ablation(session, require_project(session, caller, project, Role.READER), commit)


@router.get("/practices", responses=documented(401, 403, 404))
def get_practices(project: ProjectName, session: ReadDb, caller: Caller) -> Practices:
    """Shows what variants of this project measured of each practice that nalm advises, and their reach."""
    return practices.known(session, require_project(session, caller, project, Role.READER))
