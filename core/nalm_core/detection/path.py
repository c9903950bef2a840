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
    total = costs[0].copy()
    came_from = np.zeros((length, len(lanes)), np.intp)
    moved = np.zeros((length, len(lanes), width), bool)
    for t in range(1, length):
        best = total.argmin(axis=1)
        came_from[t] = best
        ceiling = total.min(axis=1)[:, None] + penalty
        np.greater(total, ceiling, out=moved[t])
        np.minimum(total, ceiling, out=total)
        total += costs[t]
    return [_trace(one, total[n], moved[:, n], came_from[:, n]) for n, one in enumerate(lanes)]


def _trace(lane: Lane, total: Values, moved: NDArray[np.bool_], came_from: NDArray[np.intp]) -> list[int]:
    """Back along the path. Beyond a lane's own end its costs are 0: nothing moves there."""
    level = int(total[: len(lane.levels)].argmin())
    found = []
    for t in range(len(lane.y) - 1, 0, -1):
        if moved[t, level]:
            found.append(t)
            level = int(came_from[t])
    return found[::-1]
