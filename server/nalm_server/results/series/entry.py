# SPDX-License-Identifier: Apache-2.0
"""Enters a valid run's figures into the series of its scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nalm_core.report.history_figure import HistoryFigure, exact
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.summary import Summaries, own_source
from sqlalchemy.orm import Session

from nalm_server.results.models import RunRow
from nalm_server.results.series import repository
from nalm_server.results.series.repository import Judging, SeriesKey

CHAIN = "chain"
STAGE_CHARACTERS = 64


Figures = list[tuple[str, str, HistoryFigure]]
"""(stage, metric, figure)."""


def figures(summaries: Summaries) -> Iterator[tuple[str, str, HistoryFigure]]:
    """(stage, metric, figure) of head, with its own features. Parts of a metric by cause stand in the place
    of stages."""
    report = summaries.report
    if Arm.HEAD not in report.arms:
        return
    summary = summaries.of(Arm.HEAD)
    for metric, figure in summary.chain.items():
        yield CHAIN, metric, figure
    for stage, by_metric in summary.stages.items():
        for metric, figure in by_metric.items():
            yield stage, metric, figure
    for one in report.own_metrics:
        for cause, part in one.causes.get(Arm.HEAD, {}).items():
            yield cause[:STAGE_CHARACTERS], one.name, exact(part, own_source(report, Arm.HEAD, one))


def series_of(found: Figures) -> list[SeriesKey]:
    return [(metric, stage, figure.source) for stage, metric, figure in found]


def judging(report: RunReport, found: Figures) -> dict[SeriesKey, Judging]:
    """How the report judges its own metrics whose histories are searched."""
    own = {one.name: one for one in report.own_metrics if one.judged == "ratio"}
    return {
        key: Judging(own[key[0]].margin, own[key[0]].gates)
        for key in series_of(found)
        if key[0] in own and key[1] == CHAIN
    }


def enter(session: Session, run: RunRow, found: Figures, series: Mapping[SeriesKey, int]) -> None:
    """One row per series. series: numbers of `series_of` at least."""
    rows = [
        {
            "series_id": series[metric, stage, figure.source],
            "run_id": run.id,
            "value": figure.value,
            "low": figure.low,
            "high": figure.high,
            "launches": figure.launches,
            "units": None if figure.units == figure.launches else figure.units,
        }
        for stage, metric, figure in found
    ]
    repository.add_values(session, rows)
