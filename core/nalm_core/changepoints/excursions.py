# SPDX-License-Identifier: Apache-2.0
"""Removes excursions: a few values that leave a level and return are outliers, not two changes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import constants as c
from nalm_core.changepoints.robust import location

Values = NDArray[np.float64]

NEWEST = 3
"""Values at a history's end that show a return; elsewhere more than those that were away."""
LEFT_OVER = 2.0
"""Standard deviations of a change of level that remains when the excursion is removed."""


def without(y: Values, at: list[int], scale: float) -> list[int]:
    """The remaining changes."""
    at = list(at)
    i = 0
    while i + 1 < len(at):
        before, first, second = (at[i - 1] if i else 0), at[i], at[i + 1]
        after = at[i + 2] if i + 2 < len(at) else len(y)
        left = _left_over(y, (before, first, second, after), scale)
        if left is None:
            i += 1
            continue
        at[i : i + 2] = [second] if abs(left) > LEFT_OVER * scale else []
        i = max(0, i - 1)
    return at


def _left_over(y: Values, bounds: tuple[int, int, int, int], scale: float) -> float | None:
    """The change of level around an excursion; None if it is not an excursion."""
    _, first, second, after = bounds
    returned = NEWEST if after == len(y) else second - first + 1
    if second - first >= c.EXCURSION_VALUES or after - second < min(returned, second - first + 1):
        return None
    level, away, back = (location(y[a:b], scale) for a, b in pairwise(bounds))
    return back - level if abs(back - level) < c.RETURN_SHARE * abs(away - level) else None
