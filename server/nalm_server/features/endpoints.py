# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/features, /ncpp."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from nalm_server.access.roles import Role
from nalm_server.access.service import require_project
from nalm_server.deps import Caller, ReadDb
from nalm_server.errors import documented
from nalm_server.features import ncpp, prices
from nalm_server.features.schemas import By, NcppTable, PriceHistory, PriceList
from nalm_server.schemas import NAME, ProjectName

router = APIRouter(prefix="/projects/{project}", tags=["features"])
ScenarioQuery = Annotated[str | None, Query(max_length=64, pattern=NAME, description="This one alone.")]


@router.get("/ncpp", responses=documented(401, 403, 404))
def get_ncpp(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    by: By = By.COMMIT,
    scenario: ScenarioQuery = None,
    limit: Annotated[int, Query(ge=1, le=1000, description="The newest so many.")] = 100,
) -> NcppTable:
    """Versions with different feature sets on one scale: CPP against the reference's cost model."""
    found = require_project(session, caller, project, Role.READER)
    return ncpp.table(session, found, by, scenario=scenario, limit=limit)


@router.get("/features", responses=documented(401, 403, 404))
def get_prices(project: ProjectName, session: ReadDb, caller: Caller) -> PriceList:
    """What each feature costs now, against the reference and the last release, and where it grew dearer."""
    return prices.price_list(session, require_project(session, caller, project, Role.READER))


@router.get("/features/{name}/history", responses=documented(401, 403, 404))
def get_price_history(
    project: ProjectName,
    name: Annotated[str, Path(min_length=1, max_length=64, pattern=NAME, description="Name of a feature.")],
    session: ReadDb,
    caller: Caller,
    *,
    limit: Annotated[int, Query(ge=1, le=10_000, description="The newest so many values.")] = 1000,
) -> PriceHistory:
    """What a feature cost, commit by commit."""
    found = require_project(session, caller, project, Role.READER)
    return prices.history(session, found, name, limit)
