# SPDX-License-Identifier: Apache-2.0
"""Removes runs of one band: noise with two bands stays in one of them for a while by chance.

A run of values counts as a change if it is too unlikely around the level that it would have without the
change, under the noise's density as estimated from all other values.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import constants as c
from nalm_core.changepoints import density
from nalm_core.changepoints.robust import location

Values = NDArray[np.float64]
Known = dict[tuple[int, int], float]
"""Locations of levels, by their bounds."""


def without(y: Values, at: list[int], scale: float) -> list[int]:
    """The remaining changes, after dropping runs by chance, the least surprising first."""
    at = list(at)
    known: Known = {}
    while at:
        surprises = _surprises(y, at, scale, known)
        nats, changes = min(surprises, key=lambda one: one[0] - c.RUN_NATS * len(one[1]), default=(0.0, []))
        if not changes or nats >= c.RUN_NATS * len(changes):
            break
        at = [one for one in at if one not in changes]
    return at


def _surprises(y: Values, at: list[int], scale: float, known: Known) -> list[tuple[float, list[int]]]:
    """(nats, changes to drop) of each run: both changes of a run that returns, otherwise each change."""
    bounds = [0, *at, len(y)]
    for a, b in pairwise(bounds):
        if (a, b) not in known:
            known[a, b] = location(y[a:b], scale)
    levels = [known[one] for one in pairwise(bounds)]
    residual = (y - np.repeat(levels, np.diff(bounds))) / scale
    count = density.counts(residual)
    found = []
    for i in range(len(levels)):
        for outer, changes in _without_level(i, bounds, levels):
            a, b = bounds[i], bounds[i + 1]
            cost = density.learned_from(count - density.counts(residual[a:b]))
            away = (y[a:b] - outer) / scale
            nats = float((cost[density.cells(away)] - cost[density.cells(residual[a:b])]).sum())
            found.append((nats, changes))
    return found


def _without_level(i: int, bounds: list[int], levels: list[float]) -> list[tuple[float, list[int]]]:
    """(level of its values, changes to drop) if this level, which is shorter than its neighbours, were
    removed."""
    length = bounds[i + 1] - bounds[i]
    before = i > 0 and bounds[i] - bounds[i - 1] > length
    after = i + 2 < len(bounds) and bounds[i + 2] - bounds[i + 1] > length
    if before and after:
        apart = abs(levels[i + 1] - levels[i - 1])
        if apart < c.RETURN_SHARE * abs(levels[i] - levels[i - 1]):
            return [((levels[i - 1] + levels[i + 1]) / 2, [bounds[i], bounds[i + 1]])]
    found = []
    if before:
        found.append((levels[i - 1], [bounds[i]]))
    if after:
        found.append((levels[i + 1], [bounds[i + 1]]))
    return found
