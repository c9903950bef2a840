# SPDX-License-Identifier: Apache-2.0
"""States of the machine: levels that hold for a few commits, return, and come again by the same amount.

A machine has states of its own (a clock, a neighbour, another placement of huge pages) that last for hours
and recur. A change of the code stays, or is undone once. So a short level that returns is a state if another
one like it is in the same history. Its values are moved back to the level around them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import constants as c
from nalm_core.changepoints.robust import location

Values = NDArray[np.float64]

ROUNDS = 4
"""Searches, each without the visits found before."""
MOST_LEVELS = 5
"""Levels in one search that returns: several states may follow each other."""
LEAST_FLANK = 3
"""Least number of values beside a visit."""
FLANK = 24
"""Values beside a visit that show the level around it."""
SEEN_BEFORE = 2
"""Least number of other visits beside which one that does not return is taken for a visit."""
RECURRING_FROM = 3
"""Least number of values of a visit that has not ended that show a level to recur."""
LEAST_Z = 3.0
"""Least distance of a visit from the level around it, in standard errors."""


@dataclass(frozen=True)
class Visit:
    """Values [first, end) are off by `offset`, with this standard error. open: cut off by an end of the
    history. step: the end of the visit at which the level around it changed, if it did."""

    first: int
    end: int
    offset: float
    error: float
    open: bool = False
    step: int | None = None


@dataclass(frozen=True)
class Machine:
    """A history without its recurring states. at: the remaining candidates. visits: what was removed; the
    last one is open if the newest values are in a state."""

    y: Values
    at: list[int]
    visits: list[Visit]


def without(y: Values, at: list[int], scale: float, removed: Sequence[Visit] = ()) -> Machine:
    """Removes the states that recur. at: candidates, first indices of new levels; scale: of one value;
    removed: visits that are no longer in the values."""
    visits = list(removed)
    closed = _closed(y, at, scale)
    for _ in range(ROUNDS):
        known = [*(one for one in visits if not one.open), *closed]
        several = sum(not one.open for one in visits) >= c.STATE_VISITS
        found = [
            one for one in closed if several or any(_alike(one, other) for other in known if other is not one)
        ]
        if not found:
            break
        y, at = _moved(y, at, found)
        visits += found
        closed = _closed(y, at, scale)
    beside = _beside_a_step(y, at, scale, visits, [*visits, *closed])
    for one in beside:
        y, at = _moved(y, at, [one], keep=one.step)
        visits.append(one)
    if beside:
        closed = _closed(y, at, scale)
    begun = _open(y, at, scale, [*visits, *closed])
    begun += [one for one in closed if any(_recurs(one, other) for other in begun)]
    y, at = _moved(y, at, begun)
    return Machine(y, at, sorted([*visits, *begun], key=lambda one: one.first))


def _recurs(one: Visit, begun: Visit) -> bool:
    """True if a level that returned once comes again, soon, at an end of the history."""
    soon = max(begun.first - one.end, one.first - begun.end) <= c.STATE_PAUSE
    enough = begun.end - begun.first >= RECURRING_FROM
    return soon and enough and _alike(one, begun, c.OPEN_STATE_SHARE)


def _moved(
    y: Values, at: list[int], visits: list[Visit], keep: int | None = None
) -> tuple[Values, list[int]]:
    """(values without these visits, the candidates that are left, with `keep`)."""
    if not visits:
        return y, at
    moved = y.copy()
    for one in visits:
        moved[one.first : one.end] -= one.offset
    return moved, [k for k in at if k == keep or not any(one.first <= k <= one.end for one in visits)]


def _closed(y: Values, at: list[int], scale: float) -> list[Visit]:
    """Short levels that return, whether or not they recur."""
    bounds = [0, *at, len(y)]
    level = cache(lambda first, end: location(y[first:end], scale))
    found: list[Visit] = []
    i = 1
    while i < len(bounds) - 2:
        visits: list[Visit] = []
        for j in range(i + 1, min(i + 1 + MOST_LEVELS, len(bounds) - 1)):
            if bounds[j] - bounds[j - 1] > c.STATE_VALUES:
                break
            if visits := _visits(bounds, i, j, scale, level):
                i = j
                break
        found += visits
        i += not visits
    return found


def _visits(
    bounds: list[int], i: int, j: int, scale: float, level: Callable[[int, int], float]
) -> list[Visit]:
    """Levels from bounds[i] to bounds[j] that differ from the one level around them. level: of the values
    [first, end)."""
    inner = list(pairwise(bounds[i : j + 1]))
    longest = max(b - a for a, b in inner)
    before = max(bounds[i - 1], bounds[i] - FLANK), bounds[i]
    after = bounds[j], min(bounds[j + 1], bounds[j] + FLANK)
    lengths = before[1] - before[0], after[1] - after[0]
    short, long = sorted(lengths)
    if short < LEAST_FLANK or long < longest:
        return []
    old, new = level(*before), level(*after)
    error = scale * np.sqrt(1 / short + 1 / long)
    base = (old * lengths[0] + new * lengths[1]) / (short + long)
    found = []
    for a, b in inner:
        offset = level(a, b) - base
        found.append(Visit(a, b, float(offset), float(np.hypot(scale / np.sqrt(b - a), error / 2))))
    if any(abs(one.offset) < LEAST_Z * one.error for one in (found[0], found[-1])):
        return []
    found = [one for one in found if abs(one.offset) >= LEAST_Z * one.error]
    away = min(abs(one.offset) for one in found)
    returned = abs(new - old) <= min(max(c.RETURN_SHARE * away, 2.5 * error), away / 2)
    return found if returned else []


def _beside_a_step(
    y: Values, at: list[int], scale: float, known: list[Visit], once: list[Visit]
) -> list[Visit]:
    """Visits of known states that end, or begin, where the level around them changed as well. once: known
    ones, and levels that returned once. They suffice for a visit that ended a few values ago, since these do
    not show yet whether it returned."""
    bounds = [0, *at, len(y)]
    found: list[Visit] = []
    for i in range(1, len(bounds) - 2):
        first, end = bounds[i], bounds[i + 1]
        if end - first > c.STATE_VALUES or (found and found[-1].end == first):
            continue
        level = location(y[first:end], scale)
        sides = (y[bounds[i - 1] : first][-FLANK:], end), (y[end : bounds[i + 2]][:FLANK], first)
        newest = len(y) - end < LEAST_FLANK
        for values, step in sides:
            if len(values) >= end - first:
                offset = level - location(values, scale)
                error = scale * np.sqrt(1 / (end - first) + 1 / len(values))
                visit = Visit(first, end, float(offset), float(error), step=step)
                alike = sum(_alike(visit, other) for other in (once if newest else known))
                if alike >= (1 if newest else SEEN_BEFORE):
                    found.append(visit)
                    break
    return found


def _open(y: Values, at: list[int], scale: float, known: list[Visit]) -> list[Visit]:
    """The first and the last level, if they may be visits of a known state, cut off."""
    if not at or not known:
        return []
    found = []
    for here, beside in (((0, at[0]), y[at[0] :][:FLANK]), ((at[-1], len(y)), y[: at[-1]][-FLANK:])):
        values = y[slice(*here)]
        if len(values) <= c.STATE_VALUES:
            offset = location(values, scale) - location(beside, scale)
            error = scale * np.sqrt(1 / len(values) + 1 / len(beside))
            visit = Visit(*here, float(offset), float(error), open=True)
            if any(_alike(visit, other, c.OPEN_STATE_SHARE) for other in known):
                found.append(visit)
    return found


def _alike(one: Visit, other: Visit, share: float = c.STATE_SHARE) -> bool:
    """True if both may be visits of one state: their sizes differ by this share at most, or by chance."""
    if one.offset * other.offset <= 0:
        return False
    apart, error = abs(one.offset - other.offset), np.hypot(one.error, other.error)
    larger = max(abs(one.offset), abs(other.offset))
    return bool(apart <= max(c.STATE_Z * error, share * larger) and apart <= larger / 2)
