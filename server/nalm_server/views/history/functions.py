# SPDX-License-Identifier: Apache-2.0
"""Series of C functions: names and values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nalm_core.report.catalogue import METRICS
from sqlalchemy.orm import Session

from nalm_server.base.errors import InvalidError, NotFoundError
from nalm_server.results.series import functions_repository as repository
from nalm_server.results.series.values import Figures
from nalm_server.views.history.schemas import FunctionSummary

MARK = ">"
"""Separates stage and function in the name of a series; no stage's name contains it."""


def split(name: str) -> tuple[str, str | None]:
    """(stage, function) of a series' name; function None: the stage's own series."""
    stage, _, function = name.partition(MARK)
    return stage, function or None


def require_metric(metric: str) -> None:
    """Raises InvalidError for a metric that functions do not have."""
    if "function" not in METRICS[metric].scopes:
        has = " and ".join(repository.METRICS)
        raise InvalidError(
            f"C functions have {has}, counted by callgrind; {metric} is of the chain or of stages: leave out "
            f"function, or choose one of {has}."
        )


def require_known(names: Iterable[str], known: Iterable[str]) -> None:
    """Raises NotFoundError for the first name without a series."""
    every = set(known)
    for name in names:
        if name not in every:
            raise NotFoundError(
                f"Function {name!r} has no history here. Only a run's most expensive functions begin one: "
                "/projects/PROJECT/scenarios/SCENARIO/functions lists them."
            )


def names_of(
    session: Session, scenario_id: int, host_class: str, names: Iterable[str]
) -> dict[int, tuple[str, str]]:
    """By id of the series: name and source, of those that exist."""
    keys = {(stage, function) for stage, function in map(split, names) if function is not None}
    found = repository.series_of(session, scenario_id, host_class, keys)
    return {number: (f"{key.stage}{MARK}{key.function}", key.source) for number, key in found.items()}


def add_values(
    session: Session,
    figures: Figures,
    series: Mapping[int, tuple[str, str]],
    metric: str,
    since: int,
) -> None:
    """Adds the figures of each series to those of the stages."""
    for series_id, run_number, value in repository.values(session, series, metric, since) if series else ():
        name, source = series[series_id]
        figures.setdefault(name, {})[run_number] = (value, value, value, source)


def list_functions(
    session: Session, scenario_id: int, host_class: str, part: str | None, limit: int
) -> list[FunctionSummary]:
    """Those of the newest run first, most expensive first."""
    last = repository.newest_run(session, scenario_id, host_class)
    return [
        FunctionSummary(
            stage=one.stage, name=one.function, ipp=one.ipp, calls=one.calls, gone=one.run_number != last
        )
        for one in repository.newest(session, scenario_id, host_class, part, limit)
    ]
