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
    """t interval over launches at defaults.CONFIDENCE; None with fewer than two launches."""
    samples: list[float] = Field(default_factory=list)
    """One per round of ArmSummary.rounds, in its order; empty for a count without rounds."""
    launches: list[float] = Field(default_factory=list)
    """Median over the rounds of each launch, in order."""
    source: str


def exact(value: float, source: str) -> HistoryFigure:
    """A count that repeats."""
    return HistoryFigure(value=value, low=value, high=value, source=source)


def over_launches(launches: list[float], source: str) -> HistoryFigure:
    """A value of each launch, without rounds."""
    value, low, high = t_interval(launches)
    return HistoryFigure(value=value, low=low, high=high, launches=launches, source=source)


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
        source=source,
    )


def t_interval(launches: Sequence[float]) -> tuple[float, float | None, float | None]:
    """(mean, low, high) at defaults.CONFIDENCE; no interval for a single launch."""
    mean = float(np.mean(launches))
    if len(launches) < 2:
        return mean, None, None
    error = float(np.std(launches, ddof=1)) / sqrt(len(launches))
    half = _t_quantile(len(launches) - 1) * error
    return mean, mean - half, mean + half


@lru_cache(maxsize=256)
def _t_quantile(degrees: int) -> float:
    """At CONFIDENCE. A report has hundreds of figures of equally many launches."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))
