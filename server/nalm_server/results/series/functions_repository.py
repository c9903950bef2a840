# SPDX-License-Identifier: Apache-2.0
"""SQL of the series of C functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from sqlalchemy import Select, func, insert, or_, select
from sqlalchemy.orm import Session

from nalm_server.db.engine import table_of
from nalm_server.results.series.models import FunctionSeriesRow, FunctionValueRow
from nalm_server.results.series.repository import added

METRICS = ("ipp", "calls", "cpp", "eipc")
"""Metrics with a history by function, by the catalogue's names."""


class FunctionValue(NamedTuple):
    """One run's figures of a series."""

    series_id: int
    run_id: int
    ipp: float
    calls: float
    cpp: float | None
    error: float | None


class FunctionKey(NamedTuple):
    """Key of a series within a scenario and host class."""

    stage: str
    function: str
    source: str


class Newest(NamedTuple):
    """A series with the value of its newest run."""

    stage: str
    function: str
    ipp: float
    calls: float
    run_number: int


LAST = (
    select(func.max(FunctionValueRow.run_id))
    .where(FunctionValueRow.series_id == FunctionSeriesRow.id)
    .correlate(FunctionSeriesRow)
    .scalar_subquery()
)
"""Number of a series' newest run."""


def _series(scenario_id: int, host_class: str) -> Select[int, str, str, str]:
    return select(
        FunctionSeriesRow.id, FunctionSeriesRow.stage, FunctionSeriesRow.function, FunctionSeriesRow.source
    ).where(FunctionSeriesRow.scenario_id == scenario_id, FunctionSeriesRow.host_class == host_class)


def series_ids(
    session: Session, scenario_id: int, host_class: str, keys: Iterable[FunctionKey]
) -> dict[FunctionKey, int]:
    """Numbers of the scenario's series; adds those of these keys that there are not yet. The caller holds the
    project's lock."""
    found = session.execute(_series(scenario_id, host_class))
    known = {FunctionKey(*key): number for number, *key in found}
    new = {
        key: FunctionSeriesRow(scenario_id=scenario_id, host_class=host_class, **key._asdict())
        for key in dict.fromkeys(keys)
        if key not in known
    }
    return known | added(session, new)


def series_of(
    session: Session, scenario_id: int, host_class: str, names: Collection[tuple[str, str]]
) -> dict[int, FunctionKey]:
    """By id: series of the given (stage, function)."""
    matching = _series(scenario_id, host_class).where(
        FunctionSeriesRow.function.in_({function for _, function in names}),
        FunctionSeriesRow.stage.in_({stage for stage, _ in names}),
    )
    found = [(number, FunctionKey(*key)) for number, *key in session.execute(matching)]
    return {number: key for number, key in found if (key.stage, key.function) in names}


def add_values(session: Session, found: Iterable[FunctionValue]) -> None:
    rows = [one._asdict() for one in found]
    if rows:
        session.execute(insert(table_of(FunctionValueRow)), rows)


def values(session: Session, series: Iterable[int], since: int) -> list[FunctionValue]:
    """Values in runs with number `since` or more."""
    columns = (getattr(FunctionValueRow, name) for name in FunctionValue._fields)
    found = session.execute(
        select(*columns).where(FunctionValueRow.series_id.in_(series), FunctionValueRow.run_id >= since)
    )
    return [FunctionValue._make(row) for row in found]


def newest(session: Session, scenario_id: int, host_class: str, part: str | None, limit: int) -> list[Newest]:
    """Series of the newest run first, most expensive first; part: of the stage's or the function's name."""
    columns = (
        FunctionSeriesRow.stage,
        FunctionSeriesRow.function,
        FunctionValueRow.ipp,
        FunctionValueRow.calls,
        FunctionValueRow.run_id,
    )
    query = (
        select(*columns)
        .join(FunctionValueRow, FunctionValueRow.series_id == FunctionSeriesRow.id)
        .where(
            FunctionSeriesRow.scenario_id == scenario_id,
            FunctionSeriesRow.host_class == host_class,
            FunctionValueRow.run_id == LAST,
        )
    )
    if part is not None:
        names = (FunctionSeriesRow.function, FunctionSeriesRow.stage)
        query = query.where(or_(*(name.icontains(part, autoescape=True) for name in names)))
    newest_first = (FunctionValueRow.run_id.desc(), FunctionValueRow.ipp.desc(), FunctionSeriesRow.id)
    return [Newest._make(row) for row in session.execute(query.order_by(*newest_first).limit(limit))]


def newest_run(session: Session, scenario_id: int, host_class: str) -> int | None:
    """Number of the newest run that counted functions."""
    found: int | None = session.scalar(
        select(func.max(LAST))
        .select_from(FunctionSeriesRow)
        .where(FunctionSeriesRow.scenario_id == scenario_id, FunctionSeriesRow.host_class == host_class)
    )
    return found
