# SPDX-License-Identifier: Apache-2.0
"""One figure of the history, with its interval over launches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt

import numpy as np
from pydantic import Field

from nalm_core.report.defaults import CONFIDENCE
from nalm_core.report.run_report import Model


class HistoryFigure(Model):
    """One metric of the chain or of a stage, in the catalogue's unit."""

    value: float
    """Mean over launches; an exact count itself."""
    low: float | None
    high: float | None
    """t interval over `units` at defaults.CONFIDENCE; None with fewer than two."""
    samples: list[float] = Field(default_factory=list)
    """One per round of ArmSummary.rounds, in its order; empty for a count without rounds."""
    launches: list[float] = Field(default_factory=list)
    """Median over the rounds of each launch, in order."""
    units: list[float] = Field(default_factory=list)
    """Independent values: those of the launches, or the means of layouts (rounds.unit_means)."""
    source: str


def exact(value: float, source: str) -> HistoryFigure:
    """A count that repeats."""
    return HistoryFigure(value=value, low=value, high=value, source=source)


def over_launches(
    launches: list[float],
    source: str,
    *,
    units: list[float] | None = None,
    samples: list[float] | None = None,
) -> HistoryFigure:
    """A value of each launch. units: None if each launch is one."""
    units = launches if units is None else units
    value, low, high = t_interval(units)
    return HistoryFigure(
        value=value,
        low=low,
        high=high,
        samples=samples or [],
        launches=launches,
        units=units,
        source=source,
    )


def instructions_per(cycles: HistoryFigure, ipp: float, source: str) -> HistoryFigure | None:
    """eIPC of an exact IPP and CPP's scatter; None where no cycles were counted."""
    if any(one <= 0 for one in (cycles.value, *cycles.samples, *cycles.launches)):
        return None
    return HistoryFigure(
        value=ipp / cycles.value,
        low=None if not cycles.high else ipp / cycles.high,
        high=None if not cycles.low or cycles.low <= 0 else ipp / cycles.low,
        samples=[ipp / one for one in cycles.samples],
        launches=[ipp / one for one in cycles.launches],
        units=[ipp / one for one in cycles.units],
        source=source,
    )


def t_interval(values: Sequence[float]) -> tuple[float, float | None, float | None]:
    """(mean, low, high) at defaults.CONFIDENCE; no interval of a single value."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, None, None
    error = float(np.std(values, ddof=1)) / sqrt(len(values))
    half = _t_quantile(len(values) - 1) * error
    return mean, mean - half, mean + half


@lru_cache(maxsize=256)
def _t_quantile(degrees: int) -> float:
    """At CONFIDENCE. A report has hundreds of figures of equally many launches."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))
