# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/scenarios and their history."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Query, Response
from nalm_core.report.catalogue import Metric
from pydantic import StringConstraints

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.json_response import as_json
from nalm_server.base.schemas import ProjectName, ScenarioName
from nalm_server.results.series.metrics import metrics_of
from nalm_server.views.history import service
from nalm_server.views.history.schemas import FunctionSummary, History, ScenarioSummary

StageName = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[^\x00]+$")]

MetricName = Annotated[str, Query(max_length=64, pattern=r"^[a-z][a-z0-9_]*$")]
HostClass = Annotated[str | None, Query(max_length=128, pattern=r"^[^\x00]+$")]
Limit = Annotated[int, Query(ge=1, le=10_000, description="Number of commits, the newest.")]
Stages = Annotated[
    list[StageName] | None,
    Query(max_length=64, description="Only these; `chain` is the whole chain; may be repeated."),
]
FunctionName = Annotated[str, StringConstraints(max_length=600, pattern=r"^[^>\x00]{1,64}>[^\x00]+$")]
Functions = Annotated[
    list[FunctionName] | None,
    Query(
        max_length=64,
        description="C functions as `STAGE>FUNCTION`, with or without stages: they have ipp "
        "and calls. May be repeated.",
    ),
]

Values = Annotated[
    Literal["linked", "measured"],
    Query(
        description="`linked`: levels from comparisons between commits, on one scale, where there are any. "
        "`measured`: as each run measured them."
    ),
]

router = api_router("history", "/projects/{project}/scenarios")
metrics_router = api_router("history", "/projects/{project}/metrics")


@metrics_router.get("", responses=documented(404))
def list_metrics(project: ProjectName, session: ReadDb, caller: Caller) -> list[Metric]:
    """Lists the project's metrics: the catalogue's, and those that its nalm.toml defines."""
    found = require_project(session, caller, project, Role.READER)
    return list(metrics_of(session, found.id).values())


@router.get("", responses=documented(404))
def list_scenarios(project: ProjectName, session: ReadDb, caller: Caller) -> list[ScenarioSummary]:
    """Lists the measured scenarios, by name."""
    found = require_project(session, caller, project, Role.READER)
    return service.list_scenarios(session, found)


@router.get("/{scenario}/history", response_model=History, responses=documented(404))
def get_history(
    project: ProjectName,
    scenario: ScenarioName,
    session: ReadDb,
    caller: Caller,
    *,
    metric: MetricName = "cpp",
    host_class: HostClass = None,
    limit: Limit = 1000,
    stage: Stages = None,
    function: Functions = None,
    values: Values = "linked",
) -> Response:
    """Returns one metric of all stages along the default branch. Default host_class: the newest run's."""
    found = require_project(session, caller, project, Role.READER)
    request = service.HistoryRequest(
        host_class, limit, stage or [], function or [], linked=values == "linked"
    )
    return as_json(service.history(session, found, scenario, metric, request))


@router.get("/{scenario}/functions", responses=documented(404))
def list_functions(
    project: ProjectName,
    scenario: ScenarioName,
    session: ReadDb,
    caller: Caller,
    *,
    host_class: HostClass = None,
    part: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=256,
            pattern=r"^[^\x00]+$",
            description="Part of the stage's or function's name.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> list[FunctionSummary]:
    """Lists C functions with a history: those of the newest run first, most expensive first."""
    found = require_project(session, caller, project, Role.READER)
    return service.list_functions(session, found, scenario, host_class=host_class, part=part, limit=limit)
