# SPDX-License-Identifier: Apache-2.0
"""SQL of comparisons: every series' value at a commit."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from nalm_server.results.models import RunRow
from nalm_server.results.series.models import ScenarioRow, SeriesRow, SeriesValueRow


class SeriesKey(NamedTuple):
    """Key of a series, in the order of comparisons."""

    scenario: str
    host_class: str
    stage: str
    metric: str
    source: str
    series_id: int


Figure = tuple[float, float | None, float | None]
"""(value, low, high)."""


def figures_of(session: Session, commit_id: int) -> dict[int, Figure]:
    """By series: the value of the commit's newest run with one."""
    values, runs = SeriesValueRow.__table__.c, RunRow.__table__.c
    found = session.execute(
        select(values.series_id, values.value, values.low, values.high)
        .join(RunRow.__table__, runs.id == values.run_id)
        .where(runs.commit_id == commit_id)
        .order_by(runs.received_at, runs.id)
    )
    return {series_id: (value, low, high) for series_id, value, low, high in found.all()}


def series_of(session: Session, project_id: int) -> list[SeriesKey]:
    """All series of the project."""
    series, scenarios = SeriesRow.__table__.c, ScenarioRow.__table__.c
    found = session.execute(
        select(scenarios.name, series.host_class, series.stage, series.metric, series.source, series.id)
        .join(ScenarioRow.__table__, scenarios.id == series.scenario_id)
        .where(scenarios.project_id == project_id)
    )
    return [SeriesKey._make(row) for row in found.all()]
