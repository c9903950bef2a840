# SPDX-License-Identifier: Apache-2.0
"""The likeliest path of levels (Viterbi 1967), of many histories at once.

Model: each value is one of a grid of levels plus noise of a known density; staying on a level is free,
another level costs a penalty. Histories are lanes of one array, so that a step in Python serves all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import median_filter

from nalm_core.detection import density
from nalm_core.detection.robust import median

Values = NDArray[np.float64]

GRID = 0.3
"""Distance of levels, standard deviations of the noise."""
MOST_LEVELS = 240
LANE_CELLS = 4_000_000
"""Values times levels computed at once, at most: bounds memory."""


@dataclass
class Lane:
    """One history: values, noise scale of each, levels, cost table; evidence is divided by `temper`."""

    y: Values
    scale: Values
    levels: Values
    temper: float
    cost: Values


def level_grid(y: Values, scale: float) -> Values:
    """Levels the history may have had: cells of running medians, and of the means of its newest values."""
    tails = [np.mean(y[-k:]) for k in range(2, 9) if len(y) > k]
    seen = np.concatenate(
        [median_filter(y, 5, mode="nearest"), median_filter(y, 3, mode="nearest"), tails, [median(y)]]
    )
    step = GRID * scale
    found = np.unique(np.rint(seen / step))
    while len(found) > MOST_LEVELS:
        step *= len(found) / (0.75 * MOST_LEVELS)
        found = np.unique(np.rint(seen / step))
    return np.asarray(found * step)


def changes(lanes: list[Lane], penalty: float) -> list[list[int]]:
    """By lane, the first index of each new level along the likeliest path."""
    found: list[list[int]] = []
    start = 0
    while start < len(lanes):
        end, longest, widest = start, 0, 0
        while end < len(lanes):
            longest = max(longest, len(lanes[end].y))
            widest = max(widest, len(lanes[end].levels))
            if end > start and (end + 1 - start) * longest * widest > LANE_CELLS:
                break
            end += 1
        found += _together(lanes[start:end], penalty)
        start = end
    return found


def _together(lanes: list[Lane], penalty: float) -> list[list[int]]:
    length, width = max(len(one.y) for one in lanes), max(len(one.levels) for one in lanes)
    costs = np.zeros((length, len(lanes), width))
    for number, one in enumerate(lanes):
        table = one.cost[density.cells((one.y[:, None] - one.levels[None, :]) / one.scale[:, None])]
        costs[: len(one.y), number, : len(one.levels)] = table / one.temper
        costs[: len(one.y), number, len(one.levels) :] = np.inf
    return _traced(lanes, *_forward(costs, penalty))


def _forward(costs: Values, penalty: float) -> tuple[Values, Values]:
    """(costs of the cheapest paths by time, lane and last level, put into `costs`; by time and lane, what the
    cheapest of them and a change of level cost)."""
    least = np.empty((*costs.shape[:2], 1))
    reach = np.empty(costs.shape[1:])
    for t in range(1, len(costs)):
        ceiling = np.minimum.reduce(costs[t - 1], axis=1, keepdims=True, out=least[t - 1])
        ceiling += penalty
        np.minimum(costs[t - 1], ceiling, out=reach)
        costs[t] += reach
    return costs, least[:, :, 0]


def _traced(lanes: list[Lane], totals: Values, ceilings: Values) -> list[list[int]]:
    return [_trace(totals[: len(one.y), n, : len(one.levels)], ceilings[:, n]) for n, one in enumerate(lanes)]


def _trace(total: Values, ceiling: Values) -> list[int]:
    """Back along the path: where the level before was dearer than any other and a change."""
    found: list[int] = []
    t = len(total) - 1
    level = int(total[t].argmin())
    while len(dearer := np.flatnonzero(total[:t, level] > ceiling[:t])):
        t = int(dearer[-1])
        found.append(t + 1)
        level = int(total[t].argmin())
    return found[::-1]
