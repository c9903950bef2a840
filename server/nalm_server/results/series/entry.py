# SPDX-License-Identifier: Apache-2.0
"""Enters a valid run's figures into the series of its scenario."""

from __future__ import annotations

from collections.abc import Iterator

from nalm_core.report.history_figure import HistoryFigure, exact
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.summary import summarise
from sqlalchemy.orm import Session

from nalm_server.results.models import RunRow
from nalm_server.results.series import repository
from nalm_server.results.series.models import SeriesValueRow

CHAIN = "chain"
STAGE_CHARACTERS = 64


Figures = list[tuple[str, str, HistoryFigure]]
"""(stage, metric, figure)."""


def figures(report: RunReport) -> Iterator[tuple[str, str, HistoryFigure]]:
    """(stage, metric, figure) of head, with its own features. Parts of a metric by cause stand in the place
    of stages."""
    if Arm.HEAD not in report.arms:
        return
    summary = summarise(report, Arm.HEAD)
    for metric, figure in summary.chain.items():
        yield CHAIN, metric, figure
    for stage, by_metric in summary.stages.items():
        for metric, figure in by_metric.items():
            yield stage, metric, figure
    for one in report.own_metrics:
        for cause, part in one.causes.get(Arm.HEAD, {}).items():
            yield cause[:STAGE_CHARACTERS], one.name, exact(part, one.source)


def enter(session: Session, run: RunRow, found: Figures) -> None:
    """One row per series."""
    known = repository.series_ids(session, run.scenario_id, run.host_class)
    for stage, metric, figure in found:
        key = (metric, stage, figure.source)
        if key not in known:
            known[key] = repository.add_series(session, run.scenario_id, run.host_class, key)
        repository.add_value(
            session,
            SeriesValueRow(
                series_id=known[key],
                run_id=run.id,
                value=figure.value,
                low=figure.low,
                high=figure.high,
                launches=figure.launches,
            ),
        )
    session.flush()
