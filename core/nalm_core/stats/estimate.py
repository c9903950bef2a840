# SPDX-License-Identifier: Apache-2.0
"""Ratio of two means over launches, with a t interval: the launch is the random unit.

The estimate is mean(head) / mean(base) over the same launches for chain and stages, so figures per arm, their
ratio and their sum over stages agree exactly. Its error comes from the launches' residuals by linearisation
(the delta method for a ratio estimator: Cochran, Sampling Techniques, 3rd ed., Section 6.4). Launches at both
ends of the chain's ratio may be left out: its error is then that of a trimmed mean, from the winsorised
residuals (Tukey & McLaughlin, Sankhya A 25 (1963)). Assumptions and their limits: docs/statistics.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, log, sqrt

import numpy as np
from numpy.typing import NDArray

from nalm_core.report.defaults import LAUNCH_TRIM_SHARE
from nalm_core.stats.quantiles import t_cdf, t_quantile

Values = NDArray[np.float64]

MAX_QUANTILE = 1e9
MAX_LN = 100.0
"""Largest half width of an interval, so that JSON can represent it."""


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
        """Two-sided interval that misses the true ratio with at most this error rate."""
        quantile = abs(t_quantile(self.degrees, error_rate / 2))
        if not isfinite(quantile):  # an error rate next to 0
            quantile = MAX_QUANTILE
        half = min(quantile * self.standard_error, MAX_LN)
        return exp(self.ln_ratio - half), exp(self.ln_ratio + half)

    def p_value(self) -> float:
        """Two-sided, of equal means."""
        if self.ln_ratio == 0:
            return 1.0
        statistic = abs(self.ln_ratio) / self.standard_error if self.standard_error > 0 else inf
        return 2 * t_cdf(self.degrees, -statistic)


@dataclass(frozen=True, slots=True)
class MiddleLaunches:
    """The launches without LAUNCH_TRIM_SHARE of them at each end, by the ratio of the chain's CPP."""

    indices: list[int]
    base: Sequence[float]
    head: Sequence[float]
    """The chain's CPP in all launches."""

    def of(self, values: Sequence[float]) -> list[float]:
        """Those of these launches."""
        return [values[index] for index in self.indices]


def trimmed_launches(launches: int) -> int:
    """The number of launches that are left out at each end."""
    return int(launches * LAUNCH_TRIM_SHARE)


def middle_launches(base: Sequence[float], head: Sequence[float]) -> MiddleLaunches:
    """The middle launches. base, head: CPP of the chain by launch."""
    ratios = [new / old for new, old in zip(head, base, strict=True)]
    order = sorted(range(len(ratios)), key=ratios.__getitem__)
    cut = trimmed_launches(len(order))
    return MiddleLaunches(sorted(order[cut : len(order) - cut]), base, head)


def estimate_ratio(
    base: Sequence[float], head: Sequence[float], *, kept: MiddleLaunches | None = None
) -> RatioEstimate | None:
    """One value per launch. Launch i of base ran beside launch i of head, so common disturbances cancel.

    kept: the launches whose means are compared, the same for chain and stages; all without it. None with
    fewer than two launches, or a mean that is not positive.
    """
    if len(base) != len(head):
        raise ValueError(f"{len(base)} launches of base, {len(head)} of head: they must be pairs")
    b, h = np.asarray(base, dtype=float), np.asarray(head, dtype=float)
    indices = np.arange(len(b)) if kept is None else np.asarray(kept.indices, dtype=int)
    means = _usable_means(b[indices], h[indices])
    if means is None:
        return None
    residuals = h / means[1] - b / means[0]
    cut = (len(b) - len(indices)) // 2
    if kept is None or not cut:
        error = sqrt(_variance(residuals) / len(b))
    else:
        is_chain = base is kept.base and head is kept.head
        error = (
            sqrt(_trimmed_variance(residuals, len(indices), cut))
            if is_chain
            else _trimmed_error(residuals, indices, _residuals(kept), cut)
        )
    return RatioEstimate(log(means[1] / means[0]), error, len(b), len(indices) - 1)


def _residuals(kept: MiddleLaunches) -> Values:
    """Those of the chain."""
    base, head = np.asarray(kept.base, dtype=float), np.asarray(kept.head, dtype=float)
    indices = np.asarray(kept.indices, dtype=int)
    return head / _mean(head[indices]) - base / _mean(base[indices])


def _trimmed_error(own: Values, indices: NDArray[np.int_], chain: Values, cut: int) -> float:
    """Standard error of the mean of launches that the chain's ratio chooses. own: residuals of the series,
    with mean 0 over these launches, as the chain's.

    The part of the series that follows the chain has the error of the chain's trimmed mean; the rest is not
    trimmed, so it has that of a plain mean.
    """
    count = len(indices)
    of_chain = _trimmed_variance(chain, count, cut)
    near, far = chain[indices], own[indices]
    squares = float(near @ near)
    slope = float(near @ far) / squares if squares > 0 else 0.0
    rest = far - slope * near
    return sqrt(slope**2 * of_chain + float(rest @ rest) / (count - 2) / count)


def _trimmed_variance(chain: Values, count: int, cut: int) -> float:
    """Of the chain's trimmed mean, of `count` launches."""
    ends = np.sort(chain)
    winsorised = np.minimum(np.maximum(chain, ends[cut]), ends[-cut - 1])
    return _variance(winsorised) * len(chain) / count**2


def estimate_ratio_unpaired(base: Sequence[float], head: Sequence[float]) -> RatioEstimate | None:
    """The estimate for launches of two runs, by Welch's approximation, without cancellation."""
    b, h = np.asarray(base, dtype=float), np.asarray(head, dtype=float)
    means = _usable_means(b, h)
    if means is None:
        return None
    sides = [(b / means[0], len(b)), (h / means[1], len(h))]
    parts = [(_variance(values) / size, size - 1) for values, size in sides]
    total, smallest = sum(part for part, _ in parts), min(len(b), len(h))
    degrees = total**2 / sum(part**2 / free for part, free in parts) if total > 0 else smallest - 1
    return RatioEstimate(log(means[1] / means[0]), sqrt(total), smallest, degrees)


def _usable_means(base: Values, head: Values) -> tuple[float, float] | None:
    """Means of both sides; None with fewer than two launches, or a mean that is not positive."""
    if min(len(base), len(head)) < 2:
        return None
    means = _mean(base), _mean(head)
    return means if all(mean > 0 and isfinite(mean) for mean in means) else None


# NumPy's own mean and variance take several times as long for some dozen values, and plans compute thousands.


def _mean(values: Values) -> float:
    return float(values.sum()) / len(values)


def _variance(values: Values) -> float:
    """Of a sample."""
    apart = values - _mean(values)
    return float(apart @ apart) / (len(values) - 1)
