# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/compare and /compare/all."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from nalm_server.access.roles import Role
from nalm_server.access.service import require_project
from nalm_server.answers import as_json
from nalm_server.compare import all_series, service
from nalm_server.compare.schemas import Comparison, SeriesComparisons
from nalm_server.deps import Caller, ReadDb
from nalm_server.errors import documented
from nalm_server.schemas import NAME, ProjectName, RevisionQuery

router = APIRouter(prefix="/projects/{project}/compare", tags=["compare"])


@router.get("", responses=documented(404, 409, 410))
def compare_commits(
    project: ProjectName,
    base: RevisionQuery,
    head: RevisionQuery,
    session: ReadDb,
    caller: Caller,
    *,
    scenario: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
) -> Comparison:
    """Two commits, tags or branches in one scenario; without `scenario`, the first by name that both were
    measured in."""
    found = require_project(session, caller, project, Role.READER)
    return service.compare(session, found, base=base, head=head, scenario=scenario)


@router.get("/all", response_model=SeriesComparisons, responses=documented(401, 403, 404, 409))
def compare_all_series(
    project: ProjectName, base: RevisionQuery, head: RevisionQuery, session: ReadDb, caller: Caller
) -> Response:
    """Two commits in every series both have a value in: each one's newest run, not measured side by side."""
    found = require_project(session, caller, project, Role.READER)
    return as_json(all_series.compare_all(session, found, base=base, head=head))
