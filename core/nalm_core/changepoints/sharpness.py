# SPDX-License-Identifier: Apache-2.0
"""Tests whether a change is sharp or gradual."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import constants as c
from nalm_core.changepoints.fits import Move
from nalm_core.changepoints.robust import location

Values = NDArray[np.float64]

NEEDED_Z = 4.0
PART = 0.4
"""Largest share of a level's values that is used: of a drift they contain less than SHARP_SHARE."""
NEWEST_VALUES = 6
"""Number of values that are used at a history's end."""


def gradual(x: Values, at: list[Move], sizes: Values, scale: float) -> int:
    """The number of changes that are not sharp: drifts, and steps that look like one."""
    begins, ends = [first for first, _ in at] + [len(x)], [0] + [last for _, last in at]
    found = 0
    for number, ((first, last), size) in enumerate(zip(at, sizes, strict=True)):
        around = ends[number], first, begins[number + 1]
        found += first < last or not is_sharp(x, around, float(size), scale)
    return found


def is_sharp(x: Values, bounds: tuple[int, int, int], size: float, scale: float) -> bool:
    """bounds: of the two levels; size: of the change from one to the other."""
    before, here, after = bounds
    if size == 0:
        return False
    needed = max(3, int(np.ceil(2 * (NEEDED_Z * scale / abs(size)) ** 2)))
    least = NEWEST_VALUES if after == len(x) else 3
    left = min(needed, max(3, int(PART * (here - before))), here - before)
    right = min(needed, max(least, int(PART * (after - here))), after - here)
    jump = location(x[here : here + right], scale) - location(x[here - left : here], scale)
    error = 1.1 * scale * np.sqrt(1 / left + 1 / right)
    return bool(jump / size >= c.SHARP_SHARE and abs(jump) / error >= c.SHARP_Z)
