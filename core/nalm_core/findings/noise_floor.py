# SPDX-License-Identifier: Apache-2.0
"""Noise floors by false alarms: the size up to which a series is known to move without a cause.

A mark raises the series' noise floor to the size that was marked, so that the same movement makes no alert
again. The floor is capped, so that it never hides a large change, and it halves with time, because hosts and
code change. Below a share of the margin it ends.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

FLOOR_MARKS: Final = 1
"""Number of false alarms that raise the floor."""
FLOOR_MAX_MARGINS: Final = 3.0
"""Largest floor, in margins."""
FLOOR_HALF_LIFE_DAYS: Final = 90.0
"""Half-life of a floor."""
FLOOR_LEAST_MARGINS: Final = 0.5
"""Least floor, in margins; a lower floor ends."""
DOCUMENTED: Final = MappingProxyType({name: value for name, value in globals().items() if name.isupper()})


def floor_taught(size: float, margin: float, before: float = 0.0) -> float:
    """The floor after a mark. All sizes are |ln ratio|; `before`: the rest of an earlier floor."""
    return max(before, min(abs(size), FLOOR_MAX_MARGINS * margin))


def floor_left(size: float, age_days: float, margin: float) -> float:
    """The rest of a floor of this size after a number of days; 0 if it has ended."""
    left = float(size * 0.5 ** (max(age_days, 0.0) / FLOOR_HALF_LIFE_DAYS))
    return left if left >= FLOOR_LEAST_MARGINS * margin else 0.0
