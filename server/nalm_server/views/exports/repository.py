# SPDX-License-Identifier: Apache-2.0
"""SQL of exports: read in batches, never whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nalm_core.report.catalogue import Metric
from sqlalchemy import ColumnElement, Select, exists, select
from sqlalchemy.orm import Session, aliased

from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.agents.models import HostRow
from nalm_server.results.models import RunRow
from nalm_server.results.series.metrics import metrics_of
from nalm_server.results.series.models import (
    FunctionSeriesRow,
    FunctionValueRow,
    ScenarioRow,
    SeriesRow,
    SeriesValueRow,
)
from nalm_server.views.exports.rows import FunctionExport
from nalm_server.views.exports.schemas import ExportRow, Filter

BATCH = 1000
COMMITS = 100
"""Number of commits whose rows are read and sorted together."""


def as_of_now(session: Session) -> None:
    """All queries read one snapshot, as SQLite always does."""
    if session.get_bind().dialect.name == "postgresql":
        session.connection(execution_options={"isolation_level": "REPEATABLE READ"})


def rows(session: Session, project_id: int, row_filter: Filter) -> Iterator[ExportRow]:
    """Along the first parent, oldest commit first."""
    query = _values(project_id, row_filter).order_by(
        CommitRow.position, RunRow.id, ScenarioRow.name, SeriesRow.metric, SeriesRow.stage, SeriesRow.source
    )
    metrics = metrics_of(session, project_id)
    for part in _parts(session, project_id, row_filter):
        yield from _fetched(session, query.where(part), metrics)


def newest(session: Session, project_id: int, row_filter: Filter) -> Iterator[ExportRow]:
    """The value of each series in its newest run."""
    commit, run, value = aliased(CommitRow), aliased(RunRow), aliased(SeriesValueRow)
    furthest = (
        select(run.id)
        .join_from(commit, run, run.commit_id == commit.id)
        .join(value, (value.run_id == run.id) & (value.series_id == SeriesRow.id))
        .where(commit.project_id == project_id, run.scenario_id == SeriesRow.scenario_id)
        .order_by(commit.position.desc(), run.received_at.desc(), run.id.desc())
        .limit(1)
        .correlate(SeriesRow)
        .scalar_subquery()
    )
    query = _values(project_id, row_filter).where(RunRow.id == furthest, SeriesValueRow.run_id == furthest)
    ordered = query.order_by(SeriesRow.metric, ScenarioRow.name, SeriesRow.id)
    return _fetched(session, ordered, metrics_of(session, project_id))


def functions(session: Session, project_id: int, row_filter: Filter) -> Iterator[FunctionExport]:
    """Along the first parent, oldest commit first; in a run the most expensive functions first."""
    series, counts = FunctionSeriesRow, FunctionValueRow
    query: Select[*tuple[Any, ...]] = (
        select(
            CommitRow.sha,
            RunRow.started_at,
            ScenarioRow.name,
            series.stage,
            series.function,
            series.source,
            HostRow.name,
            series.host_class,
            counts.ipp,
            counts.calls,
            counts.cpp,
            counts.error,
        )
        .join(RunRow, RunRow.id == counts.run_id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(series, series.id == counts.series_id)
        .join(ScenarioRow, ScenarioRow.id == series.scenario_id)
        .join(HostRow, HostRow.id == RunRow.host_id)
        .where(RunRow.project_id == project_id, CommitRow.project_id == project_id)
        .where(RunRow.scenario_id == series.scenario_id, ScenarioRow.project_id == project_id)
    )
    query = _filtered(query, row_filter, ((ScenarioRow.name, "scenario"), (series.host_class, "host_class")))
    query = query.order_by(CommitRow.position, RunRow.id, counts.ipp.desc(), series.id)
    for part in _parts(session, project_id, row_filter):
        for row in session.execute(query.where(part).execution_options(yield_per=BATCH)):
            yield FunctionExport._make(row)


def _parts(session: Session, project_id: int, row_filter: Filter) -> Iterator[ColumnElement[bool]]:
    """Batches of commits along the first parent: sorting all rows would delay the first."""
    of_project = select(CommitRow.position).where(CommitRow.project_id == project_id)
    condition: Select[int] | None = of_project
    if row_filter.since is not None:
        late = exists().where(RunRow.commit_id == CommitRow.id, RunRow.started_at >= row_filter.since)
        first = session.scalar(of_project.where(late).order_by(CommitRow.position).limit(1))
        condition = of_project.where(CommitRow.position >= first) if first is not None else None
    while condition is not None:
        positions = session.scalars(condition.order_by(CommitRow.position).limit(COMMITS)).all()
        if positions:
            yield CommitRow.position.between(positions[0], positions[-1])
        condition = of_project.where(CommitRow.position > positions[-1]) if positions else None


def _values(project_id: int, row_filter: Filter) -> Select[*tuple[Any, ...]]:
    query: Select[*tuple[Any, ...]] = (
        select(
            CommitRow.sha,
            RunRow.started_at,
            ScenarioRow.name,
            SeriesRow.stage,
            SeriesRow.metric,
            SeriesRow.source,
            HostRow.name,
            SeriesRow.host_class,
            SeriesValueRow.value,
            SeriesValueRow.low,
            SeriesValueRow.high,
            SeriesValueRow.launches,
            SeriesValueRow.samples,
        )
        .join(RunRow, RunRow.id == SeriesValueRow.run_id)
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(SeriesRow, SeriesRow.id == SeriesValueRow.series_id)
        .join(ScenarioRow, ScenarioRow.id == SeriesRow.scenario_id)
        .join(HostRow, HostRow.id == RunRow.host_id)
        .where(RunRow.project_id == project_id, CommitRow.project_id == project_id)
        .where(RunRow.scenario_id == SeriesRow.scenario_id, ScenarioRow.project_id == project_id)
    )
    named = (ScenarioRow.name, "scenario"), (SeriesRow.metric, "metric"), (SeriesRow.host_class, "host_class")
    return _filtered(query, row_filter, named)


def _filtered(
    query: Select[*tuple[Any, ...]], row_filter: Filter, named: Iterable[tuple[Any, str]]
) -> Select[*tuple[Any, ...]]:
    """named: (column, field of the filter)."""
    for column, field in named:
        value = getattr(row_filter, field)
        if value is not None:
            query = query.where(column == value)
    return query if row_filter.since is None else query.where(RunRow.started_at >= row_filter.since)


def _fetched(
    session: Session, query: Select[*tuple[Any, ...]], metrics: Mapping[str, Metric]
) -> Iterator[ExportRow]:
    for *shown, launches, samples in session.execute(query.execution_options(yield_per=BATCH)):
        known = launches if launches is not None else samples
        metric = metrics.get(shown[4])
        n = len(known) if known else None
        yield ExportRow._make([*shown, n, metric.unit if metric else ""])
