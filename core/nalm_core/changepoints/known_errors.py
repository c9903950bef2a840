# SPDX-License-Identifier: Apache-2.0
"""Change points of a linked history: its noise is a random walk of known size.

Levels that are sums of compared pairs wander even where nothing changes, which looks like small steps. But
the error between any two commits is known from the pairs, so a change must be larger than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nalm_core.changepoints import constants as c
from nalm_core.changepoints.series_changes import SeriesChange

Between = Callable[[int, int], tuple[float, float] | None]
"""(ln of the level at the second index to that at the first, its standard error); None: not known."""


def beyond_errors(found: Sequence[SeriesChange], between: Between) -> list[SeriesChange]:
    """Those whose jump, from the last commit surely of the old level to the first surely of the new one, has
    their direction and exceeds its error by MIN_Z."""
    kept = []
    for one in found:
        jump = between(max(one.low - 1, 0), one.high)
        if jump is None or (abs(jump[0]) >= c.MIN_Z * jump[1] and (jump[0] > 0) == (one.ratio > 1)):
            kept.append(one)
    return kept
