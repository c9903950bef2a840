# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/scenarios and their history."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from nalm_server.deps import ReadDb
from nalm_server.errors import documented
from nalm_server.history import service
from nalm_server.history.schemas import History, ScenarioSummary
from nalm_server.schemas import ProjectName, ScenarioName

router = APIRouter(prefix="/projects/{project}/scenarios", tags=["history"])


@router.get("", responses=documented(404))
def list_scenarios(project: ProjectName, session: ReadDb) -> list[ScenarioSummary]:
    """What has been measured, by name."""
    return service.list_scenarios(session, project)


@router.get("/{scenario}/history", responses=documented(404))
def get_history(
    project: ProjectName,
    scenario: ScenarioName,
    session: ReadDb,
    *,
    metric: Annotated[str, Query(max_length=64, pattern=r"^[a-z_]+$")] = "cpp",
    host_class: Annotated[str | None, Query(max_length=128, pattern=r"^[^\x00]+$")] = None,
    limit: Annotated[int, Query(ge=1, le=10_000, description="The newest so many commits.")] = 1000,
) -> History:
    """One metric of every stage along the default branch. Without host_class: the one with the newest run."""
    return service.history(session, project, scenario, metric=metric, host_class=host_class, limit=limit)
