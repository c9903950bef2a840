# SPDX-License-Identifier: Apache-2.0
"""SQL of scenarios and series."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain, repeat
from typing import Any, NamedTuple

from nalm_core.report.run_report import Arm, RunReport
from sqlalchemy import ColumnElement, Select, func, select, true
from sqlalchemy.orm import Session
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from nalm_server.db.engine import BINARY
from nalm_server.git.commits.models import CommitRow
from nalm_server.results.models import RunRow, VerdictRow
from nalm_server.results.series.models import ScenarioRow, SeriesRow, SeriesValueRow

NOT_IN_HISTORY = ("invalid",)
Columns = ReadOnlyColumnCollection[str, Any]
SeriesKey = tuple[str, str, str]
"""(metric, stage, source)."""


class HistoryRun(NamedTuple):
    """A commit and its newest run, with only the columns of a history: there are thousands."""

    sha: str
    parent_sha: str | None
    subject: str | None
    committed_at: datetime | None
    run_number: int
    run_id: str
    base_sha: str | None
    display: str
    cause: str | None
    stage: str | None
    ratio_cpp: float | None
    """From the verdict: against its base, side by side, with its interval."""
    low: float | None
    high: float | None


class SeriesName(NamedTuple):
    """Key of a series within a scenario's metric."""

    stage: str
    source: str


StoredValue = tuple[int, int, float, float | None, float | None]
"""(series id, run number, value, low, high)."""


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
    """The scenario as this report describes it. The caller holds the project's lock."""
    row = find_scenario(session, project_id, report.scenario.name)
    if row is None:
        row = ScenarioRow(project_id=project_id, name=report.scenario.name, stages=[])
        session.add(row)
    row.model, row.lcores = report.scenario.model, report.scenario.lcores
    row.traffic, row.load = report.scenario.traffic, report.scenario.load
    head = report.arms.get(Arm.HEAD)
    if head is not None and head.stages:
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


def series_ids(session: Session, scenario_id: int, host_class: str) -> dict[SeriesKey, int]:
    found = session.scalars(
        select(SeriesRow).where(SeriesRow.scenario_id == scenario_id, SeriesRow.host_class == host_class)
    )
    return {(row.metric, row.stage, row.source): row.id for row in found}


def add_series(session: Session, scenario_id: int, host_class: str, key: SeriesKey) -> int:
    metric, stage, source = key
    row = SeriesRow(scenario_id=scenario_id, host_class=host_class, metric=metric, stage=stage, source=source)
    session.add(row)
    session.flush()
    return row.id


def history_runs(
    session: Session, scenario: ScenarioRow, host_class: str, limit: int, every_branch: bool
) -> list[HistoryRun]:
    """The newest run of each of the last `limit` commits, oldest first: of the default branch, or of all.

    Reads backwards from the last commit, so that a short history of a long project is cheap.
    """
    commits = CommitRow.__table__.c
    run, verdict = RunRow.__table__.alias(), VerdictRow.__table__.alias()
    newest = (
        select(run.c.id)
        .join(verdict, verdict.c.run_id == run.c.id)
        .where(
            run.c.commit_id == commits.id,
            run.c.scenario_id == scenario.id,
            run.c.host_class == host_class,
            verdict.c.outcome.not_in(NOT_IN_HISTORY),
            ~run.c.beside,
        )
        .order_by(run.c.received_at.desc(), run.c.id.desc())
        .limit(1)
        .correlate(CommitRow.__table__)
    )
    query = select(commits.sha, commits.parent_sha, commits.subject, commits.committed_at)
    if session.get_bind().dialect.name == "postgresql":
        each = newest.with_only_columns(*_judged(run.c, verdict.c)).lateral()
        query = query.add_columns(*each.c).join_from(CommitRow.__table__, each, true())
    else:  # SQLite has no LATERAL: reads the run and its verdict again
        runs, verdicts = RunRow.__table__, VerdictRow.__table__
        query = query.add_columns(*_judged(runs.c, verdicts.c))
        query = query.join_from(CommitRow.__table__, runs, runs.c.id == newest.scalar_subquery())
        query = query.join(verdicts, verdicts.c.run_id == runs.c.id)
    query = (
        query.where(commits.project_id == scenario.project_id, *([] if every_branch else [commits.listed]))
        .order_by(commits.position.desc(), commits.id.desc())
        .limit(limit)
    )
    found = list(map(HistoryRun._make, _rows(session, query)))
    return found[::-1]


def _rows(session: Session, query: Select[Any]) -> Iterable[tuple[Any, ...]]:
    """Rows of a query with thousands of them. PostgreSQL aggregates each column into an array, since fetching
    rows would take most of the time."""
    if session.get_bind().dialect.name != "postgresql":
        return session.execute(query)
    each = query.subquery()
    columns = session.execute(
        select(*(func.array_agg(column) for column in each.c)), execution_options={BINARY: True}
    ).one()
    return zip(*columns, strict=True) if columns[0] is not None else []


def _judged(runs: Columns, verdicts: Columns) -> list[ColumnElement[Any]]:
    """Columns of HistoryRun from a run and its verdict."""
    names = ("display", "cause", "stage", "ratio_cpp", "low", "high")
    return [
        runs.id.label("run_number"),
        runs.run_id,
        runs.base_sha,
        *(verdicts[name] for name in names),
    ]


def series_of_metric(
    session: Session, scenario_id: int, host_class: str, metric: str
) -> dict[int, SeriesName]:
    """By id: measured series of chain and stages, without imported ones."""
    found = session.execute(
        select(SeriesRow.id, SeriesRow.stage, SeriesRow.source).where(
            SeriesRow.scenario_id == scenario_id,
            SeriesRow.host_class == host_class,
            SeriesRow.metric == metric,
            SeriesRow.source.not_like("imported:%"),
        )
    )
    return {number: SeriesName(stage, source) for number, stage, source in found}


def values(session: Session, series: Iterable[int], since: int) -> Iterable[StoredValue]:
    """Values of the series in runs with number `since` or more.

    PostgreSQL aggregates each series into arrays: for a hundred thousand values, fetching rows takes most of
    the time.
    """
    table = SeriesValueRow.__table__.c
    columns = (table.run_id, table.value, table.low, table.high)
    conditions = (table.series_id.in_(series), table.run_id >= since)
    if session.get_bind().dialect.name != "postgresql":
        return session.execute(select(table.series_id, *columns).where(*conditions))
    gathered = select(table.series_id, *(func.array_agg(one) for one in columns))
    query = gathered.where(*conditions).group_by(table.series_id)
    found = session.execute(query, execution_options={BINARY: True}).all()
    return chain.from_iterable(zip(repeat(number), *arrays) for number, *arrays in found)


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


def add_value(session: Session, row: SeriesValueRow) -> None:
    session.add(row)
