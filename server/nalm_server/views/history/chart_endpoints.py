# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/lines, and the same of several metrics in short."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response
from pydantic import StringConstraints

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.json_response import as_json, json_bytes
from nalm_server.base.schemas import NAME, REVISION, ProjectName
from nalm_server.views.history import chart_lines, packed_lines
from nalm_server.views.history.endpoints import Functions, HostClass, Limit, MetricName, Stages, Values
from nalm_server.views.history.schemas import LineColumns, Lines
from nalm_server.views.history.service import HistoryRequest

Scenario = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=NAME)]
BranchName = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=REVISION)]

router = api_router("history", "/projects/{project}/lines")

OneMetric = Annotated[str, StringConstraints(max_length=64, pattern=r"^[a-z][a-z0-9_]*$")]
Scenarios = Annotated[list[Scenario], Query(min_length=1, max_length=16)]
Branches = Annotated[
    list[BranchName] | None,
    Query(max_length=8, description="Watched branches; default: the default branch."),
]


@router.get("", response_model=Lines, responses=documented(404))
def get_lines(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    scenario: Scenarios,
    branch: Branches = None,
    metric: MetricName = "cpp",
    host_class: HostClass = None,
    limit: Limit = 1000,
    stage: Stages = None,
    function: Functions = None,
    values: Values = "linked",
) -> Response:
    """Returns one metric of several scenarios and branches over common commits, in columns."""
    found = require_project(session, caller, project, Role.READER)
    request = HistoryRequest(host_class, limit, stage or [], function or [], linked=values == "linked")
    lines_request = chart_lines.LinesRequest(
        list(dict.fromkeys(scenario)), [metric], request, list(dict.fromkeys(branch or []))
    )
    (answer,) = chart_lines.lines(session, found, lines_request)
    return as_json(answer)


@router.get("/columns", response_model=LineColumns, responses=documented(404))
def get_line_columns(
    project: ProjectName,
    session: ReadDb,
    caller: Caller,
    *,
    scenario: Scenarios,
    metric: Annotated[list[OneMetric], Query(min_length=1, max_length=16)],
    branch: Branches = None,
    host_class: HostClass = None,
    limit: Limit = 1000,
    stage: Stages = None,
    function: Functions = None,
    values: Values = "linked",
) -> Response:
    """Returns several metrics of several scenarios and branches, in as few bytes as their intervals allow."""
    found = require_project(session, caller, project, Role.READER)
    request = HistoryRequest(host_class, limit, stage or [], function or [], linked=values == "linked")
    lines_request = chart_lines.LinesRequest(
        list(dict.fromkeys(scenario)),
        list(dict.fromkeys(metric)),
        request,
        list(dict.fromkeys(branch or [])),
        with_measured=False,
    )
    return json_bytes(packed_lines.packed(session, found, lines_request))
