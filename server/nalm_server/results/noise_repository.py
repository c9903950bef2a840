# SPDX-License-Identifier: Apache-2.0
"""SQL of runs measured on a host."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.access.repository import readable
from nalm_server.auth.tokens.service import Principal
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.entry import CHAIN
from nalm_server.results.series.models import ScenarioRow, SeriesRow, SeriesValueRow

LOOKED_AT = 5_000
"""Number of the host's newest runs among which judged ones are searched."""


class MeasuredRun(NamedTuple):
    """CPP of the chain in a judged run."""

    at: datetime
    run_id: str
    project: str
    scenario: str
    launches: list[float] | None
    units: list[float] | None
    """Values of the layouts of code. None: the launches are independent."""
    low: float
    """Interval of the verdict's ratio of CPP, above 0."""
    high: float


def measured(session: Session, caller: Principal, host_id: int, limit: int) -> list[MeasuredRun]:
    """Newest first."""
    newest = (
        select(RunRow.id)
        .where(RunRow.host_id == host_id)
        .order_by(RunRow.id.desc())
        .limit(LOOKED_AT)
        .subquery()
    )
    query = (
        select(
            RunRow.finished_at,
            RunRow.run_id,
            ProjectRow.name,
            ScenarioRow.name,
            SeriesValueRow.launches,
            SeriesValueRow.units,
            VerdictRow.low,
            VerdictRow.high,
        )
        .join(ProjectRow, ProjectRow.id == RunRow.project_id)
        .join(ScenarioRow, ScenarioRow.id == RunRow.scenario_id)
        .join(SeriesValueRow, SeriesValueRow.run_id == RunRow.id)
        .join(SeriesRow, SeriesRow.id == SeriesValueRow.series_id)
        .join(VerdictRow, VerdictRow.run_id == RunRow.id)
        .where(RunRow.id.in_(select(newest.c.id)), readable(caller))
        .where(SeriesRow.metric == "cpp", SeriesRow.stage == CHAIN)
        .where(VerdictRow.low > 0, VerdictRow.high.is_not(None))
        .order_by(RunRow.id.desc())
        .limit(limit)
    )
    return [MeasuredRun._make(row) for row in session.execute(query)]
