# SPDX-License-Identifier: Apache-2.0
"""The slope of a line through points in blocks, each block with its own level.

Median of the slopes of all pairs of points of one block (Theil 1950, Sen 1968), its interval from the
variance of Kendall's S summed over the blocks (Hirsch, Slack & Smith 1982, who have seasons for blocks). With
one block it is scipy.stats.theilslopes. Up to 29 % of the points may be outliers. Assumed: blocks and points
scatter independently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, stdev

import numpy as np
import numpy.typing as npt

from nalm_core.stats.quantiles import t_quantile

MOST_POINTS = 600
"""Most points of a block: longer blocks are thinned to medians of neighbours, so that pairs fit into
memory."""

Point = tuple[float, float]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Slope:
    """A slope in the values' unit per unit of time."""

    middle: float
    low: float
    high: float

    def widened(self, reach: float) -> Slope:
        """With an interval that reaches at least so far to either side."""
        return Slope(self.middle, min(self.low, self.middle - reach), max(self.high, self.middle + reach))


def theil_sen(blocks: Sequence[Sequence[Point]], confidence: float) -> Slope | None:
    """The slope of (time, value) points; None without two points of one block at different times."""
    slopes, variance = list[Floats](), 0.0
    for block in blocks:
        times, values = _thinned(np.asarray(block, dtype=np.float64).reshape(-1, 2))
        slopes.append(_pairs(times, values))
        variance += _variance_of_s(values)
    every = np.sort(np.concatenate(slopes)) if slopes else np.empty(0)
    if every.size == 0:
        return None
    reach = NormalDist().inv_cdf((1 + confidence) / 2) * max(variance, 0.0) ** 0.5
    low = max(0, round((every.size - reach) / 2) - 1)
    high = min(every.size - 1, round((every.size + reach) / 2))
    return Slope(float(np.median(every)), float(every[low]), float(every[high]))


def with_scatter(found: Slope, blocks: Sequence[Sequence[Point]], confidence: float) -> Slope | None:
    """The slope `found` of these blocks, with an interval that also holds if something outside changes their
    slopes: it is at least that of their mean by Student's t. None with fewer than two blocks."""
    own = [one.middle for block in blocks if (one := theil_sen([block], confidence)) is not None]
    if len(own) < 2:
        return None
    reach = t_quantile(len(own) - 1, (1 + confidence) / 2) * stdev(own) / len(own) ** 0.5
    return found.widened(reach)


def _pairs(times: Floats, values: Floats) -> Floats:
    first, second = np.triu_indices(times.size, 1)
    apart = times[second] - times[first]
    kept = apart != 0
    found: Floats = (values[second] - values[first])[kept] / apart[kept]
    return found


def _variance_of_s(values: Floats) -> float:
    """Kendall's S of values without a trend, ties among them taken into account."""
    _, ties = np.unique(values, return_counts=True)
    sizes = np.append(ties, values.size).astype(np.float64)
    terms = sizes * (sizes - 1) * (2 * sizes + 5) / 18
    return float(terms[-1] - terms[:-1].sum())


def _thinned(points: Floats) -> tuple[Floats, Floats]:
    """At most MOST_POINTS points: medians of equal runs of neighbours."""
    run = -(-len(points) // MOST_POINTS)
    if run <= 1:
        return points[:, 0], points[:, 1]
    whole = points[: len(points) // run * run].reshape(-1, run, 2)
    medians: Floats = np.median(whole, axis=1)
    return medians[:, 0], medians[:, 1]
