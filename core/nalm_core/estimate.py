# SPDX-License-Identifier: Apache-2.0
"""Ratio of two means over launches, with a t interval: the launch is the random unit.

The estimate is mean(head) / mean(base), so figures per arm, their ratio and their sum over stages agree
exactly. Its error comes from the launches' own ratios by linearisation (the delta method for a ratio
estimator: Cochran, Sampling Techniques, 3rd ed., Section 6.4). Assumptions and their limits:
docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student_t

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RatioEstimate:
    """ln(mean head / mean base), its standard error, and the launches behind it."""

    ln_ratio: float
    standard_error: float
    launches: int
    """Pairs of launches, or the smaller number of the two sides when they are not paired."""
    degrees: float
    """Degrees of freedom of the standard error."""

    @property
    def ratio(self) -> float:
        return exp(self.ln_ratio)

    def interval(self, error_rate: float) -> tuple[float, float]:
        """Two-sided interval of the ratio that misses the truth with at most this rate."""
        half = student_t.ppf(1 - error_rate / 2, self.degrees) * self.standard_error
        return exp(self.ln_ratio - half), exp(self.ln_ratio + half)

    def p_value(self) -> float:
        """Two-sided, of equal means."""
        if self.ln_ratio == 0:
            return 1.0
        statistic = abs(self.ln_ratio) / self.standard_error if self.standard_error > 0 else inf
        return float(2 * student_t.sf(statistic, self.degrees))


def estimate_ratio(
    base: Sequence[float], head: Sequence[float], *, paired: bool = True
) -> RatioEstimate | None:
    """One value per launch. None with fewer than two launches, or a mean that is not positive.

    paired: launch i of base ran beside launch i of head, so what moves both cancels. Else Welch's
    approximation.
    """
    if paired and len(base) != len(head):
        raise ValueError(f"{len(base)} launches of base, {len(head)} of head: they must be pairs")
    if min(len(base), len(head)) < 2:
        return None
    b, h = np.asarray(base, dtype=float), np.asarray(head, dtype=float)
    mean_b, mean_h = float(b.mean()), float(h.mean())
    if not (mean_b > 0 and mean_h > 0 and isfinite(mean_b) and isfinite(mean_h)):
        return None
    error, degrees = _paired(b / mean_b, h / mean_h) if paired else _welch(b / mean_b, h / mean_h)
    return RatioEstimate(log(mean_h) - log(mean_b), error, min(len(b), len(h)), degrees)


def _paired(base: Values, head: Values) -> tuple[float, float]:
    """(standard error, degrees of freedom) of the ln ratio; values are relative to their mean."""
    return float((head - base).std(ddof=1)) / sqrt(len(base)), len(base) - 1


def _welch(base: Values, head: Values) -> tuple[float, float]:
    parts = [float(side.var(ddof=1)) / len(side) for side in (base, head)]
    total = sum(parts)
    if total == 0:
        return 0.0, min(len(base), len(head)) - 1
    return sqrt(total), total**2 / sum(
        part**2 / (len(side) - 1) for part, side in zip(parts, (base, head), strict=True)
    )
