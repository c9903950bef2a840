# SPDX-License-Identifier: Apache-2.0
"""Location of paired differences with a distribution-free interval: Hodges-Lehmann estimate and the interval
of the Wilcoxon signed-rank test (Hollander, Wolfe & Chicken, Nonparametric Statistical Methods, 3.1 to 3.3).

Assumption: the differences are independent, each symmetric around the location. They need not have one
distribution, nor a variance. Two equal arms in exchanged order fulfil it exactly around 0. Ties and zeros
make the interval wider than necessary, never narrower.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Location:
    """Estimate and interval of the location of differences."""

    estimate: float
    low: float
    high: float
    """Infinite if there are too few differences for the error rate."""


class Differences:
    """Paired differences, one per launch."""

    def __init__(self, values: Sequence[float]) -> None:
        """Raises ValueError without values."""
        if not values:
            raise ValueError("no differences")
        one = np.asarray(values, dtype=float)
        rows, columns = _pairs(len(one))
        self._count = len(one)
        self._walsh = np.sort((one[rows] + one[columns]) / 2)

    @property
    def estimate(self) -> float:
        """Hodges and Lehmann's."""
        averages = len(self._walsh)
        return float(self._walsh[(averages - 1) // 2] + self._walsh[averages // 2]) / 2

    def location(self, error_rate: float) -> Location:
        """The two-sided interval misses the location with at most this error rate."""
        estimate = self.estimate
        omitted = omitted_averages(self._count, error_rate)
        if omitted is None:
            return Location(estimate, -inf, inf)
        return Location(estimate, float(self._walsh[omitted]), float(self._walsh[-1 - omitted]))


def omitted_averages(count: int, error_rate: float) -> int | None:
    """Walsh averages outside the interval at each end; None if even the whole range misses more often."""
    below = int(np.searchsorted(_cumulative(count), error_rate / 2, side="right"))
    return below - 1 if below else None


def least_differences(error_rate: float) -> int:
    """The fewest differences that give a finite interval at this error rate."""
    count = 1
    while 2.0 ** (1 - count) > error_rate:
        count += 1
    return count


@lru_cache(maxsize=64)
def _pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Indices of both values of each Walsh average."""
    return np.triu_indices(count)


@lru_cache(maxsize=64)
def _cumulative(count: int) -> NDArray[np.float64]:
    """P(T <= t) of the signed-rank statistic for t = 0, 1, ..."""
    chances = np.zeros(count * (count + 1) // 2 + 1)
    chances[0] = 1.0
    for rank in range(1, count + 1):
        chances[rank:] = (chances[rank:] + chances[:-rank]) / 2
        chances[:rank] /= 2
    return np.cumsum(chances)
