# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/compare, and /code, /source, /measured and /all under it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query, Response
from nalm_core.profiles.source_view import FunctionSource

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.json_response import as_json, json_bytes
from nalm_server.base.schemas import NAME, PRINTABLE, ProjectName, RevisionQuery
from nalm_server.views.compare import all_series, code, comparable, service
from nalm_server.views.compare.compared_runs import PairRequest
from nalm_server.views.compare.function_name import RequestedFunction
from nalm_server.views.compare.schemas import CodeComparison, Comparison, MeasuredOf, SeriesComparisons
from nalm_server.views.compare.sides import SideFilter

router = api_router("compare", "/projects/{project}/compare")


Scenario = Annotated[str | None, Query(max_length=64, pattern=NAME)]
Host = Annotated[str | None, Query(min_length=1, max_length=128, pattern=PRINTABLE)]


async def pair_request(
    base: RevisionQuery,
    head: RevisionQuery,
    *,
    scenario: Scenario = None,
    base_scenario: Annotated[Scenario, Query(description="Base's, if it differs from head's.")] = None,
    base_host: Host = None,
    head_host: Host = None,
) -> PairRequest:
    """Two revisions, or one revision in two scenarios or on two hosts."""
    return PairRequest(
        base, head, SideFilter(base_scenario or scenario, base_host), SideFilter(scenario, head_host)
    )


RequestedPair = Annotated[PairRequest, Depends(pair_request)]


@router.get("", response_model=Comparison, responses=documented(404, 409))
def compare_commits(
    project: ProjectName, request: RequestedPair, session: ReadDb, caller: Caller
) -> Response:
    """Compares two commits, tags or branches in one scenario; without `scenario`, in the first by name with
    both. Compares one commit in two scenarios (models, feature sets) or on two hosts if both are named."""
    found = require_project(session, caller, project, Role.READER)
    return json_bytes(service.compare(session, found, request))


@router.get("/code", response_model=CodeComparison, responses=documented(404, 409, 410))
def compare_the_code(
    project: ProjectName, request: RequestedPair, session: ReadDb, caller: Caller
) -> Response:
    """Compares the same pair function by function, with source lines if they were sampled."""
    found = require_project(session, caller, project, Role.READER)
    return json_bytes(code.compare_code(session, found, request))


@router.get("/source", responses=documented(404, 409, 410))
def compare_the_source(
    project: ProjectName, request: RequestedPair, function: RequestedFunction, session: ReadDb, caller: Caller
) -> FunctionSource:
    """Shows one function of the pair: the text of both sides, line by line, with the cost of each line."""
    found = require_project(session, caller, project, Role.READER)
    return code.compare_source(session, found, request, function)


@router.get("/measured", responses=documented(404, 409))
def list_measured(
    project: ProjectName, revision: RevisionQuery, session: ReadDb, caller: Caller
) -> MeasuredOf:
    """Lists what a revision can be compared by: scenarios, execution models, feature sets and hosts."""
    found = require_project(session, caller, project, Role.READER)
    return comparable.measured_of(session, found, revision)


@router.get("/all", response_model=SeriesComparisons, responses=documented(401, 403, 404, 409))
def compare_all_series(
    project: ProjectName, base: RevisionQuery, head: RevisionQuery, session: ReadDb, caller: Caller
) -> Response:
    """Compares two commits in every series with values of both: newest runs, not measured side by side."""
    found = require_project(session, caller, project, Role.READER)
    return as_json(all_series.compare_all(session, found, base=base, head=head))
