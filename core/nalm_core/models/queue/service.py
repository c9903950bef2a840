# SPDX-License-Identifier: Apache-2.0
"""Times of batches by their size (Geissler et al., Section 4.1): from measured batches, or from a line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor, sqrt

import numpy as np
from numpy.typing import NDArray

from nalm_core.models.quantity import ModelInputError, Values, require_positive
from nalm_core.models.queue.gaps import STEP_NS

SAMPLES = 50
"""Batches of a size above which its measured mean is used; other sizes are on the fitted line."""
REACH = 12.0
"""Standard deviations above the mean at which distributions end."""
ROUNDING = 1e-16
"""Probability that is a rounding error."""


@dataclass(frozen=True, slots=True)
class BatchTimes:
    """Time of a batch, Poisson around its mean. means: shape (batch + 1,), in steps, by size from 0.

    Size 0 is the time of a poll that finds nothing.
    """

    means: Values
    fitted: frozenset[int] = frozenset()
    """Sizes whose mean is on a fitted line because too few batches were measured."""

    def __post_init__(self) -> None:
        if len(self.means) < 2:
            raise ModelInputError("batch", "expected at least one packet per batch")
        if not (np.isfinite(self.means).all() and (self.means > 0).all()):
            size = int(np.flatnonzero(~(self.means > 0))[0]) if not (self.means > 0).all() else 0
            raise ModelInputError("time of a batch", f"expected a time above 0 for a batch of {size}")

    @property
    def batch(self) -> int:
        """Largest batch."""
        return len(self.means) - 1

    @property
    def squares(self) -> Values:
        """E[B_i^2] by size, in steps squared."""
        return np.asarray(self.means * (self.means + 1))

    @property
    def steps(self) -> int:
        """Length of the distributions."""
        return _end(float(self.means.max()))

    def pmf(self, sizes: NDArray[np.int_]) -> Values:
        """P(B_i = t), shape (len(sizes), steps)."""
        from scipy.special import gammaln, xlogy

        mean, t = self.means[sizes][:, None], np.arange(self.steps, dtype=float)[None, :]
        found = np.exp(xlogy(t, mean) - mean - gammaln(t + 1))
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def full_batches(self, weights: Values) -> Values:
        """P(time of K full batches = t), K being distributed as weights, from 0.

        A sum of Poisson times is Poisson.
        """
        from scipy.special import gammaln, xlogy

        numbers = np.flatnonzero(weights > ROUNDING)
        mean = float(self.means[-1])
        found = np.zeros(_end(float(numbers[-1]) * mean) + 1)
        for number in numbers:
            middle = float(number) * mean
            first = max(0, floor(middle - REACH * sqrt(middle)) - 40)
            t = np.arange(first, _end(middle) + 1, dtype=float)
            found[first : first + len(t)] += weights[number] * np.exp(
                xlogy(t, middle) - middle - gammaln(t + 1)
            )
        return found

    @property
    def slowest_packet(self) -> float:
        """Steps per packet of full batches: arrivals at shorter gaps overload the lcore."""
        return float(self.means[-1]) / self.batch


def _end(mean: float) -> int:
    """The value above which a Poisson distribution has no probability but rounding errors."""
    return ceil(mean + REACH * sqrt(mean)) + 40


def linear_times(batch: int, base: float, per_packet: float) -> BatchTimes:
    """B_i = base + per_packet * i, in steps."""
    if batch < 1:
        raise ModelInputError("batch", f"expected at least 1 packet, not {batch}")
    require_positive("time of an empty poll", base, "steps")
    return BatchTimes(base + per_packet * np.arange(batch + 1, dtype=float))


def measured_times(
    batches: Mapping[int, tuple[int, float]],
    batch: int,
    tsc_hz: float,
    step_ns: float = STEP_NS,
    *,
    all_loads: Mapping[int, tuple[int, float]] | None = None,
) -> BatchTimes:
    """Times from a probe's batches: count and TSC cycles by size.

    Sizes with more than SAMPLES batches have their measured mean; others are on one line, fitted by counts.
    all_loads: batches of several loads at this speed, for that line and for sizes that lack batches here.
    Raises ModelInputError if the sizes do not determine a line that others need.
    """
    require_positive("TSC frequency", tsc_hz, "Hz")
    fitted = batches if all_loads is None else all_loads
    if too_large := sorted(size for size in {*batches, *fitted} if not 0 <= size <= batch):
        raise ModelInputError("batches", f"size {too_large[0]} is not within 0 to {batch}, the largest batch")
    sizes, counts, steps = _means(fitted, 1e9 / step_ns / tsc_hz)
    if len(sizes) < 2:
        raise ModelInputError(
            "batches", f"{len(sizes)} sizes were measured, expected at least 2: measure several loads"
        )
    slope, base = np.polynomial.Polynomial.fit(sizes, steps, 1, w=np.sqrt(counts)).convert().coef[::-1]
    means = base + slope * np.arange(batch + 1, dtype=float)
    known: set[int] = set()
    for part in (fitted, batches):
        for size, count, mean in zip(*_means(part, 1e9 / step_ns / tsc_hz), strict=True):
            if count > SAMPLES:
                means[int(size)] = mean
                known.add(int(size))
    if not (means > 0).all():
        raise ModelInputError(
            "batches",
            f"the line through them is not above 0 for a batch of {int(np.flatnonzero(means <= 0)[0])}",
        )
    return BatchTimes(means, frozenset(range(batch + 1)) - known)


def _means(batches: Mapping[int, tuple[int, float]], steps_per_cycle: float) -> tuple[Values, Values, Values]:
    """Measured sizes, how many batches each has, and their mean time in steps."""
    there = sorted((size, *pair) for size, pair in batches.items() if pair[0] > 0)
    sizes, counts, cycles = np.array(there, dtype=float).reshape(-1, 3).T
    return sizes, counts, cycles / counts * steps_per_cycle
