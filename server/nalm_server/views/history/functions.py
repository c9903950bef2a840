# SPDX-License-Identifier: Apache-2.0
"""Series of C functions: names and values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import NormalDist

from nalm_core.profiles.function_costs import LEAST_SAMPLES
from nalm_core.report.catalogue import METRICS
from nalm_core.report.defaults import CONFIDENCE
from sqlalchemy.orm import Session

from nalm_server.base.errors import InvalidError, NotFoundError
from nalm_server.results.series import functions_repository as repository
from nalm_server.results.series.functions_repository import FunctionValue
from nalm_server.results.series.values import Figure, Figures
from nalm_server.views.history.schemas import FunctionSummary

SAMPLED = "tsc+samples"
NOT_SAMPLED = (
    f"no run has {LEAST_SAMPLES} samples of a function that is asked for: its cycles are missing (perf "
    "samples functions after the rounds; nalm doctor says whether it can)"
)
DEVIATIONS = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
"""Standard errors from a figure to an end of its interval at CONFIDENCE."""
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
            f"C functions have {has}; {metric} is of the chain or of stages: leave out function, or choose "
            f"one of {has}."
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


def values_of(session: Session, series: Iterable[int], since: int) -> list[FunctionValue]:
    numbers = list(series)
    return repository.values(session, numbers, since) if numbers else []


def add_values(
    figures: Figures, series: Mapping[int, tuple[str, str]], values: Iterable[FunctionValue], metric: str
) -> None:
    """Adds the figures of each series to those of the stages."""
    for one in values:
        name, source = series[one.series_id]
        figure = _figure(one, metric, source)
        if figure is not None:
            figures.setdefault(name, {})[one.run_id] = figure


def _figure(one: FunctionValue, metric: str, source: str) -> Figure | None:
    """Counts are exact; cycles and what depends on them have the interval of sampling."""
    if metric in ("ipp", "calls"):
        exact = one.ipp if metric == "ipp" else one.calls
        return exact, exact, exact, source
    if one.cpp is None or one.error is None:
        return None
    low, high = one.cpp - DEVIATIONS * one.error, one.cpp + DEVIATIONS * one.error
    if metric == "cpp":
        return one.cpp, low, high, SAMPLED
    return one.ipp / one.cpp, one.ipp / high, one.ipp / low if low > 0 else None, f"{SAMPLED}+{source}"


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
