# SPDX-License-Identifier: Apache-2.0
"""Tables that can be exported, and the source of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import InvalidError
from nalm_server.features import ncpp, prices
from nalm_server.features.schemas import By
from nalm_server.views.exports import judged_repository, repository, under_load
from nalm_server.views.exports.rows import (
    AlertExport,
    CellExport,
    ChangePointExport,
    CoreCountExport,
    FlowShareExport,
    FunctionExport,
    NcppExport,
    PriceExport,
    QueueLoadExport,
    RateExport,
    RoleSplitExport,
    TrialExport,
)
from nalm_server.views.exports.schemas import ExportRow, Filter

MOST = 10_000
"""Maximum number of commits of an NCPP table, and of prices of a feature."""


class Table(StrEnum):
    SERIES = "series"
    """Every value of every series."""
    FUNCTIONS = "functions"
    """Every value of C functions."""
    ALERTS = "alerts"
    CHANGE_POINTS = "change-points"
    EXPERIMENTS = "experiments"
    """A row for each cell."""
    CORE_COUNTS = "core-counts"
    """A row for each number of lcores of experiments on them."""
    QUEUE_LOADS = "queue-loads"
    """A row for each load of experiments on queues."""
    FLOW_SHARES = "flow-shares"
    """A row for each design and share of new flows of experiments on flows."""
    RATES = "rates"
    """A row for each figure of a run of rates or a soak, also of one that could not be measured."""
    ROLE_SPLITS = "role-splits"
    """A row for each split of lcores of experiments on roles."""
    PRICES = "prices"
    NCPP = "ncpp"
    TRIALS = "trials"


class Source(NamedTuple):
    row: Any
    """The NamedTuple of its rows."""
    read: Callable[[Session, ProjectRow, Filter], Iterable[Any]]


def rows(session: Session, project: ProjectRow, table: Table, row_filter: Filter) -> Iterator[Any]:
    """Rows that match the filter. See `require`."""
    conditions = {name: value for name, value in row_filter._asdict().items() if value is not None}
    since = conditions.pop("since", None)
    for row in SOURCES[table].read(session, project, row_filter):
        fits = all(getattr(row, name) == value for name, value in conditions.items())
        if fits and (since is None or row.time >= since):
            yield row


def require(table: Table, row_filter: Filter) -> None:
    """Raises InvalidError for a filter on a column that the table does not have."""
    for name, value in row_filter._asdict().items():
        column = "time" if name == "since" else name
        if value is not None and column not in SOURCES[table].row._fields:
            has = ", ".join(SOURCES[table].row._fields)
            raise InvalidError(f"Table {table} has no {column} to filter by; it has {has}.")


def _series(session: Session, project: ProjectRow, row_filter: Filter) -> Iterable[ExportRow]:
    return repository.rows(session, project.id, row_filter)


def _prices(session: Session, project: ProjectRow, _row_filter: Filter) -> Iterator[PriceExport]:
    names = {one.feature for one in prices.price_list(session, project).features}
    for name in sorted(names):
        for line in prices.history(session, project, name, MOST).lines:
            key = (line.feature, line.scenario, line.host_class, str(line.source))
            for one in line.points:
                figures = (one.cycles, one.low, one.high, one.pps)
                yield PriceExport(*key, one.commit.sha, one.run_id, *figures)


def _ncpp(session: Session, project: ProjectRow, _row_filter: Filter) -> Iterator[NcppExport]:
    for line in ncpp.table(session, project, By.COMMIT, scenario=None, limit=MOST).lines:
        for one in line.points:
            features = None if one.features is None else " ".join(one.features)
            figures = (one.cpp, one.expected_cycles, one.ncpp, one.low, one.high, one.missing)
            yield NcppExport(line.scenario, line.host_class, one.commit.sha, one.run_id, features, *figures)


SOURCES: Mapping[Table, Source] = MappingProxyType(
    {
        Table.SERIES: Source(ExportRow, _series),
        Table.FUNCTIONS: Source(
            FunctionExport, lambda s, project, row_filter: repository.functions(s, project.id, row_filter)
        ),
        Table.ALERTS: Source(AlertExport, lambda s, project, _: judged_repository.alerts(s, project.id)),
        Table.CHANGE_POINTS: Source(
            ChangePointExport, lambda s, project, _: judged_repository.change_points(s, project.id)
        ),
        Table.EXPERIMENTS: Source(CellExport, lambda s, project, _: judged_repository.cells(s, project.id)),
        Table.CORE_COUNTS: Source(
            CoreCountExport, lambda s, project, _: under_load.core_counts(s, project.id)
        ),
        Table.QUEUE_LOADS: Source(
            QueueLoadExport, lambda s, project, _: under_load.queue_loads(s, project.id)
        ),
        Table.FLOW_SHARES: Source(
            FlowShareExport, lambda s, project, _: under_load.flow_shares(s, project.id)
        ),
        Table.RATES: Source(RateExport, lambda s, project, _: judged_repository.rates(s, project.id)),
        Table.ROLE_SPLITS: Source(
            RoleSplitExport, lambda s, project, _: under_load.role_splits(s, project.id)
        ),
        Table.PRICES: Source(PriceExport, _prices),
        Table.NCPP: Source(NcppExport, _ncpp),
        Table.TRIALS: Source(TrialExport, lambda s, project, _: judged_repository.trials(s, project.id)),
    }
)
