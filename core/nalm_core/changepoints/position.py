# SPDX-License-Identifier: Apache-2.0
"""The position of a change: its likeliest first value, and an interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints.constants import POSITION_LEVEL

Values = NDArray[np.float64]

CAP = 4.5


def placed(x: Values, bounds: tuple[int, int, int], scale: float) -> tuple[int, int, int]:
    """(index, low, high): the likeliest first index of the new level between its neighbours, and the smallest
    interval around it with POSITION_LEVEL of the posterior (flat prior). bounds: (start, change, end)."""
    start, at, end = bounds
    part = x[start:end]
    old, new = float(part[: at - start].mean()), float(part[at - start :].mean())
    gain = _cost(part - new, scale) - _cost(part - old, scale)  # of each value, if it has the old level
    score = np.concatenate([[0.0], np.cumsum(gain)])[1:-1]
    if len(score) == 0:
        return at, at, at
    weight = np.exp(score - score.max())
    weight /= weight.sum()
    best = int(weight.argmax())
    low = high = best
    held = weight[best]
    while held < POSITION_LEVEL and (low > 0 or high < len(weight) - 1):
        below = weight[low - 1] if low > 0 else -1.0
        above = weight[high + 1] if high < len(weight) - 1 else -1.0
        low, high = (low - 1, high) if below >= above else (low, high + 1)
        held += max(below, above)
    return best + 1 + start, low + 1 + start, high + 1 + start


def _cost(residual: Values, scale: float) -> Values:
    return np.asarray(np.minimum((residual / scale) ** 2 / 2, CAP))
