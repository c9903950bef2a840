# SPDX-License-Identifier: Apache-2.0
"""SQL of scenarios and series."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, cast

from nalm_core.report.own_metrics import OwnMetric
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.trials.kinds import RunKind, split_name
from sqlalchemy import ColumnElement, CursorResult, func, insert, select, update
from sqlalchemy.orm import Session

from nalm_server.db.engine import BINARY, table_of
from nalm_server.git.commits.models import CommitRow
from nalm_server.results.models import RunRow
from nalm_server.results.series.models import (
    FunctionSeriesRow,
    ProjectMetricRow,
    ScenarioRow,
    SeriesRow,
    SeriesValueRow,
)

Key = TypeVar("Key")

SeriesKey = tuple[str, str, str]
"""(metric, stage, source)."""
KEY = ("metric", "stage", "source")


class SeriesName(NamedTuple):
    """Key of a series within a scenario's metric."""

    stage: str
    source: str


class Judging(NamedTuple):
    """How the history of an own metric is judged."""

    margin: float
    gates: bool


StoredValues = tuple[int, Sequence[int], Sequence[float], Sequence[float | None], Sequence[float | None]]
"""(series id, run numbers, values, lows, highs)."""


class ImportedValue(NamedTuple):
    run_number: int
    sha: str
    host_class: str
    at: datetime
    stage: str
    source: str
    value: float
    low: float | None
    high: float | None


def record_scenario(session: Session, project_id: int, report: RunReport) -> ScenarioRow:
    """The scenario as this report describes it. For rates, the causes of losses stand in the place of stages.
    The caller holds the project's lock."""
    row = find_scenario(session, project_id, report.scenario.name)
    if row is None:
        row = ScenarioRow(project_id=project_id, name=report.scenario.name, stages=[])
        session.add(row)
    row.model, row.lcores = report.scenario.model, report.scenario.lcores
    row.traffic, row.load = report.scenario.traffic, report.scenario.load
    head = report.arms.get(Arm.HEAD)
    if split_name(report.scenario.name)[1] is not RunKind.CYCLES:
        causes = {cause for one in report.own_metrics for cause in one.causes.get(Arm.HEAD, {})}
        row.stages = sorted({*row.stages, *causes})
    elif head is not None and head.stages:
        row.stages = [stage.name for stage in head.stages if not stage.apart]
    session.flush()
    return row


def find_scenario(session: Session, project_id: int, name: str) -> ScenarioRow | None:
    return session.scalars(
        select(ScenarioRow).where(ScenarioRow.project_id == project_id, ScenarioRow.name == name)
    ).one_or_none()


def list_scenarios(session: Session, project_id: int) -> list[ScenarioRow]:
    return list(
        session.scalars(
            select(ScenarioRow).where(ScenarioRow.project_id == project_id).order_by(ScenarioRow.name)
        )
    )


def host_classes(session: Session, scenario_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """By scenario: its host classes with their number of runs, the class of the newest run first."""
    found = session.execute(
        select(RunRow.scenario_id, RunRow.host_class, func.count())
        .where(RunRow.scenario_id.in_(scenario_ids), RunRow.import_id.is_(None))
        .group_by(RunRow.scenario_id, RunRow.host_class)
        .order_by(func.max(RunRow.received_at).desc(), RunRow.host_class)
    )
    classes: dict[int, dict[str, int]] = defaultdict(dict)
    for scenario_id, host_class, runs in found:
        classes[scenario_id][host_class] = runs
    return classes


def series_ids(
    session: Session,
    scenario_id: int,
    host_class: str,
    keys: Iterable[SeriesKey],
    judging: Mapping[SeriesKey, Judging] = MappingProxyType({}),
) -> dict[SeriesKey, int]:
    """Numbers of the scenario's series; adds those of these keys that there are not yet. The caller holds the
    project's lock. judging: stored with the series where it differs."""
    series = SeriesRow.__table__.c
    found = session.execute(
        select(series.metric, series.stage, series.source, series.id, series.margin, series.gates).where(
            series.scenario_id == scenario_id, series.host_class == host_class
        )
    ).all()
    known = {(metric, stage, source): number for metric, stage, source, number, *_ in found}
    for metric, stage, source, number, *stored in found:
        judged = judging.get((metric, stage, source))
        if judged is not None and judged != tuple(stored):
            session.execute(update(SeriesRow).where(SeriesRow.id == number).values(judged._asdict()))
    new = {
        key: SeriesRow(
            scenario_id=scenario_id,
            host_class=host_class,
            **dict(zip(KEY, key, strict=True)),
            **(judging[key]._asdict() if key in judging else {"gates": False}),
        )
        for key in dict.fromkeys(keys)
        if key not in known
    }
    return known | added(session, new)


def added(session: Session, new: Mapping[Key, SeriesRow | FunctionSeriesRow]) -> dict[Key, int]:
    """Adds these series, and returns their numbers."""
    if new:
        session.add_all(new.values())
        session.flush()
    return {key: row.id for key, row in new.items()}


def series_of_metrics(
    session: Session, scenario_id: int, host_class: str, metrics: Iterable[str]
) -> dict[int, tuple[str, SeriesName]]:
    """By id, with its metric: measured series of chain and stages, without imported ones."""
    found = session.execute(
        select(SeriesRow.id, SeriesRow.metric, SeriesRow.stage, SeriesRow.source).where(
            SeriesRow.scenario_id == scenario_id,
            SeriesRow.host_class == host_class,
            SeriesRow.metric.in_(metrics),
            SeriesRow.source.not_like("imported:%"),
        )
    )
    return {number: (metric, SeriesName(stage, source)) for number, metric, stage, source in found}


def values(session: Session, series: Iterable[int], since: int) -> Iterable[StoredValues]:
    """Values of the series in runs with number `since` or more."""
    table = SeriesValueRow.__table__.c
    columns = (table.run_id, table.value, table.low, table.high)
    return by_series(session, (table.series_id.in_(series), table.run_id >= since), columns)


def by_series(
    session: Session, conditions: Iterable[ColumnElement[bool]], columns: Sequence[ColumnElement[Any]]
) -> Iterable[Any]:
    """(series, values of each column) of stored values, for each series that has some.

    PostgreSQL aggregates each series into arrays: for a hundred thousand values, fetching rows takes most of
    the time.
    """
    table = SeriesValueRow.__table__.c
    query = select(table.series_id).where(*conditions)
    if session.get_bind().dialect.name != "postgresql":
        found = session.execute(query.add_columns(*columns).order_by(table.series_id))
        # The driver's own tuples: rows of SQLAlchemy would take most of the time.
        rows = cast("CursorResult[Any]", found).cursor.fetchall()
        return [(number, *list(zip(*of, strict=True))[1:]) for number, of in groupby(rows, itemgetter(0))]
    gathered = query.add_columns(*(func.array_agg(one) for one in columns)).group_by(table.series_id)
    return session.execute(gathered, execution_options={BINARY: True})


def numbers_of_values(session: Session, series: Iterable[int], since: int) -> list[tuple[int, ...]]:
    """(series, number of values, sum of their runs' numbers): equal as long as `values` has the same runs."""
    table = SeriesValueRow.__table__.c
    query = select(table.series_id, func.count(), func.sum(table.run_id))
    query = query.where(table.series_id.in_(series), table.run_id >= since)
    found = session.execute(query.group_by(table.series_id).order_by(table.series_id))
    return [(number, count, int(total)) for number, count, total in found]


def imported(session: Session, scenario_id: int, metric: str) -> list[ImportedValue]:
    """Imported values of the metric, along the first parent."""
    found = session.execute(
        select(
            RunRow.id,
            CommitRow.sha,
            RunRow.host_class,
            RunRow.started_at,
            SeriesRow.stage,
            SeriesRow.source,
            SeriesValueRow.value,
            SeriesValueRow.low,
            SeriesValueRow.high,
        )
        .join(CommitRow, CommitRow.id == RunRow.commit_id)
        .join(SeriesValueRow, SeriesValueRow.run_id == RunRow.id)
        .join(SeriesRow, SeriesRow.id == SeriesValueRow.series_id)
        .where(RunRow.scenario_id == scenario_id, RunRow.import_id.is_not(None), SeriesRow.metric == metric)
        .order_by(CommitRow.position, RunRow.started_at, RunRow.id)
    )
    return [ImportedValue._make(row) for row in found]


def named_scenario(session: Session, project_id: int, name: str) -> ScenarioRow:
    """The scenario; one that only imports name has nothing but its name."""
    row = find_scenario(session, project_id, name)
    if row is None:
        row = ScenarioRow(
            project_id=project_id, name=name, model="", lcores=0, traffic="", load="", stages=[]
        )
        session.add(row)
        session.flush()
    return row


def record_metric(session: Session, project_id: int, metric: OwnMetric) -> None:
    """The caller holds the project's lock."""
    row = find_metric(session, project_id, metric.name)
    if row is None:
        row = ProjectMetricRow(project_id=project_id, name=metric.name)
        session.add(row)
    row.unit, row.better, row.source = metric.unit, metric.better, metric.source


def find_metric(session: Session, project_id: int, name: str) -> ProjectMetricRow | None:
    return session.get(ProjectMetricRow, (project_id, name))


def project_metrics(session: Session, project_id: int) -> list[ProjectMetricRow]:
    """By name."""
    query = select(ProjectMetricRow).where(ProjectMetricRow.project_id == project_id)
    return list(session.scalars(query.order_by(ProjectMetricRow.name)))


def add_values(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    """rows: columns of SeriesValueRow, without objects, since each report has many."""
    if rows:
        session.execute(insert(table_of(SeriesValueRow)), rows)
