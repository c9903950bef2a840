# SPDX-License-Identifier: Apache-2.0
"""The likeliest path of levels (Viterbi 1967), of many histories at once.

Model: each value is one of a grid of levels plus noise of a known density; staying on a level is free,
another level costs a penalty. Histories are lanes of one array, so that a step in Python serves all of them;
a history's second half is a lane too, backwards, and the two paths are joined in the middle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import density
from nalm_core.changepoints.robust import median

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
    """Levels the history may have had: cells of running medians, and of the means of its newest values. Cells
    begin at the median, so that the unit of the values moves none of them to another."""
    from scipy.ndimage import median_filter

    tails = [np.mean(y[-k:]) for k in range(2, 9) if len(y) > k]
    seen = np.concatenate(
        [median_filter(y, 5, mode="nearest"), median_filter(y, 3, mode="nearest"), tails, [median(y)]]
    )
    seen -= median(y)
    step = GRID * scale
    found = np.unique(np.rint(seen / step))
    while len(found) > MOST_LEVELS:
        step *= len(found) / (0.75 * MOST_LEVELS)
        found = np.unique(np.rint(seen / step))
    return np.asarray(median(y) + found * step)


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
    length, width = max(_middle(one) for one in lanes), max(len(one.levels) for one in lanes)
    costs = np.zeros((length, 2 * len(lanes), width))
    for number, one in enumerate(lanes):
        for half, table in zip((number, len(lanes) + number), _halves(one), strict=True):
            costs[: len(table), half, : len(one.levels)] = table
            costs[:, half, len(one.levels) :] = np.inf
    totals, ceilings = _forward(costs, penalty)
    found = []
    for number, one in enumerate(lanes):
        ahead = totals[: _middle(one), number], ceilings[: _middle(one), number]
        left, behind = len(one.y) - _middle(one), len(lanes) + number
        found.append(_joined(ahead, (totals[:left, behind], ceilings[:left, behind])))
    return found


def _middle(lane: Lane) -> int:
    return (len(lane.y) + 1) // 2


def _halves(lane: Lane) -> tuple[Values, Values]:
    """Costs by time and level: of the first half, and of the second half backwards."""
    table = lane.cost[density.cells((lane.y[:, None] - lane.levels[None, :]) / lane.scale[:, None])]
    table /= lane.temper
    return table[: _middle(lane)], table[_middle(lane) :][::-1]


def _forward(costs: Values, penalty: float) -> tuple[Values, Values]:
    """(costs of the cheapest paths by time, lane and last level, written to `costs`; by time and lane, the
    cost of the cheapest path plus a change of level)."""
    least = np.empty((*costs.shape[:2], 1))
    reach = np.empty(costs.shape[1:])
    for t in range(len(costs)):
        if t:
            costs[t] += np.minimum(costs[t - 1], least[t - 1], out=reach)
        np.minimum.reduce(costs[t], axis=1, keepdims=True, out=least[t])
        least[t] += penalty
    return costs, least[:, :, 0]


def _joined(ahead: tuple[Values, Values], behind: tuple[Values, Values]) -> list[int]:
    """First indices of new levels from the costs and ceilings of a history's two halves."""
    end, ceiling = behind[0][-1], behind[1][-1]
    level = int((ahead[0][-1] + np.minimum(end, ceiling)).argmin())
    after = int(end.argmin()) if end[level] > ceiling else level
    middle, length = len(ahead[0]), len(ahead[0]) + len(behind[0])
    between = [middle] if after != level else []
    later = [length - one for one in _trace(*behind, after)]
    return [*_trace(*ahead, level), *between, *later[::-1]]


def _trace(total: Values, ceiling: Values, level: int) -> list[int]:
    """Follows the path that ends on this level backwards: it changes where staying costs more than a change
    from the cheapest level."""
    found: list[int] = []
    t = len(total) - 1
    while len(costlier := np.flatnonzero(total[:t, level] > ceiling[:t])):
        t = int(costlier[-1])
        found.append(t + 1)
        level = int(total[t].argmin())
    return found[::-1]
