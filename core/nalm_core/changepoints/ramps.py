# SPDX-License-Identifier: Apache-2.0
"""Joins successive changes in one direction into a drift if a straight slope explains them as well."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

CAP = 4.5
"""Highest cost of one value, in nats."""
STEP_NATS = 5.5
"""Least gain of each further step over a slope, in nats."""
LONGEST = 80
"""Most commits of a drift."""
REACH = 40
"""Number of values around a drift that are used."""


def groups(x: Values, at: list[int], scale: float) -> list[list[int]]:
    """The changes in order, with those of one drift in one list."""
    levels = [float(np.mean(part)) for part in np.split(x, at)]
    found: list[list[int]] = []
    for number, change in enumerate(at):
        rises = levels[number + 1] > levels[number]
        if found:
            group = [*found[-1], change]
            first = number + 1 - len(group)
            same_way = all((levels[i + 1] > levels[i]) == rises for i in range(first, number))
            if same_way and change - group[0] <= LONGEST and _is_slope(x, at, group, scale):
                found[-1] = group
                continue
        found.append([change])
    return found


def _is_slope(x: Values, at: list[int], group: list[int], scale: float) -> bool:
    start, end = group[0], group[-1]
    i, j = at.index(start), at.index(end)
    a = max(at[i - 1] if i else 0, start - REACH)
    b = min(at[j + 1] if j + 1 < len(at) else len(x), end + REACH)
    part = x[a:b]
    steps = sum(_cost(piece - piece.mean(), scale) for piece in np.split(part, [one - a for one in group]))
    wing = max(2, (end - start) // (2 * (len(group) - 1)))
    slopes = []
    for width in (0, wing // 2, wing):
        low, high = max(1, start - a - width), min(len(part) - 1, end - a + width)
        share = np.clip((np.arange(len(part)) - low) / max(1, high - low), 0, 1)
        columns = np.stack([1 - share, share], axis=1)
        levels, *_ = np.linalg.lstsq(columns, part, rcond=None)
        slopes.append(_cost(part - columns @ levels, scale))
    return min(slopes) <= steps + STEP_NATS * (len(group) - 1)


def _cost(residual: Values, scale: float) -> float:
    return float(np.minimum((residual / scale) ** 2 / 2, CAP).sum())
