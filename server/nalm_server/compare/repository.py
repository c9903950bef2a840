# SPDX-License-Identifier: Apache-2.0
"""SQL of comparisons: every series' value at a commit."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.history.models import ScenarioRow, SeriesRow, SeriesValueRow
from nalm_server.runs.models import RunRow


class SeriesKey(NamedTuple):
    """What a series is of."""

    scenario: str
    host_class: str
    stage: str
    metric: str
    source: str


class Figure(NamedTuple):
    value: float
    low: float | None
    high: float | None


def figures_of(session: Session, commit_id: int) -> dict[int, Figure]:
    """By series: the value of the commit's newest run that has one."""
    found = session.execute(
        select(SeriesValueRow.series_id, SeriesValueRow.value, SeriesValueRow.low, SeriesValueRow.high)
        .join(RunRow, RunRow.id == SeriesValueRow.run_id)
        .where(RunRow.commit_id == commit_id)
        .order_by(RunRow.received_at, RunRow.id)
    )
    return {series_id: Figure(value, low, high) for series_id, value, low, high in found}


def series_of(session: Session, project_id: int) -> dict[int, SeriesKey]:
    """All series of the project."""
    found = session.execute(
        select(
            SeriesRow.id,
            ScenarioRow.name,
            SeriesRow.host_class,
            SeriesRow.stage,
            SeriesRow.metric,
            SeriesRow.source,
        )
        .join(ScenarioRow, ScenarioRow.id == SeriesRow.scenario_id)
        .where(ScenarioRow.project_id == project_id)
    )
    return {row[0]: SeriesKey._make(row[1:]) for row in found}
