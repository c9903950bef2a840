# SPDX-License-Identifier: Apache-2.0
"""Joins successive changes in one direction into a drift if a straight slope explains them as well."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints.fits import Move

Values = NDArray[np.float64]

CAP = 4.5
"""Highest cost of one value, in nats."""
STEP_NATS = 5.5
"""Least gain of each further step over a slope, in nats."""
LONGEST = 250
"""Most commits of a drift."""
REACH = 40
"""Number of values around a drift that are used."""


def joined(x: Values, at: list[int], scale: float) -> list[Move]:
    """The changes in order, with those of one drift as one. at: first values of new levels."""
    levels = [float(np.mean(part)) for part in np.split(x, at)]
    found: list[tuple[list[int], Move]] = []
    for number, change in enumerate(at):
        if found:
            group = [*found[-1][0], change]
            first = number + 1 - len(group)
            rises = {levels[i + 1] > levels[i] for i in range(first, number + 1)}
            if len(rises) == 1 and change - group[0] <= LONGEST and (slope := _slope(x, at, group, scale)):
                found[-1] = (group, slope)
                continue
        found.append(([change], (change, change)))
    return _apart([move for _, move in found])


def _apart(moves: list[Move]) -> list[Move]:
    """The same, with a value at least between one's end and the next one's begin."""
    found: list[Move] = []
    for first, last in moves:
        begin = max(first, found[-1][1] + 1) if found else first
        found.append((begin, max(begin, last)))
    return found


def _slope(x: Values, at: list[int], group: list[int], scale: float) -> Move | None:
    """The ends of the slope that explains these changes; None if steps explain them better."""
    start, end = group[0], group[-1]
    i, j = at.index(start), at.index(end)
    a = max(at[i - 1] if i else 0, start - REACH)
    b = min(at[j + 1] if j + 1 < len(at) else len(x), end + REACH)
    part = x[a:b]
    steps = sum(
        float(_costs(piece - piece.mean(), scale)) for piece in np.split(part, [one - a for one in group])
    )
    wing = max(2, (end - start) // (2 * (len(group) - 1)))
    wings = (0, wing // 2, wing, 2 * wing)
    low = np.array([max(1, start - a - left) for left in wings for _ in wings])
    high = np.array([min(len(part) - 1, end - a + right) for _ in wings for right in wings])
    costs = _slope_costs(part, low, high, scale)
    best = int(np.argmin(costs))
    move = int(low[best]) + a, int(high[best]) + a
    return move if costs[best] <= steps + STEP_NATS * (len(group) - 1) else None


def _slope_costs(part: Values, low: NDArray[np.intp], high: NDArray[np.intp], scale: float) -> Values:
    """The cost of the best slope between two levels from low to high, for each pair of them: shape (pairs,).
    Least squares by its two normal equations, which both levels having values keeps regular."""
    share = (np.arange(len(part)) - low[:, None] + 1) / (high - low + 1)[:, None]
    share = np.clip(share, 0, 1)
    rest = 1 - share
    within, beside, across = (share * share).sum(1), (rest * rest).sum(1), (share * rest).sum(1)
    upper, lower = share @ part, rest @ part
    determinant = within * beside - across * across
    first = (lower * within - upper * across) / determinant
    last = (upper * beside - lower * across) / determinant
    residual = part - rest * first[:, None] - share * last[:, None]
    return _costs(residual, scale)


def _costs(residual: Values, scale: float) -> Values:
    """The cost of each row of residuals."""
    return np.asarray(np.minimum((residual / scale) ** 2 / 2, CAP).sum(-1))
