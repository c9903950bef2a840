# SPDX-License-Identifier: Apache-2.0
"""How certain a change is: whether noise explains it, and whether its level stays.

A change has to exceed what the history's own noise does elsewhere: where runs of values move far from their
level and return (batches, swings, heavy tails), evidence counts for less. And a new level may be the first
visit of a state of the machine: the less likely, the longer it holds, and the longer there was no visit.
The shares are those of made histories (docs/statistics.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import constants as c
from nalm_core.changepoints.fits import Move
from nalm_core.changepoints.states import Visit

Values = NDArray[np.float64]

SHORTEST_VISIT, LONGEST_VISIT = 3, c.STATE_VALUES - 1
"""Values of visits; all lengths between are equally likely."""
LEAST_FOR_OWN = 4
"""Least number of values of a level that shows its noise."""
BEYOND_OWN = 1000.0
"""Evidence, nats, that the noise of clipped values leaves certain."""
NOT_YOUNG, MOST_YOUNG = 0.3, 2.5
"""SHORT_VALUES by the values before a change: the share from which it counts, and the most that it counts."""
LARGEST = 50.0
"""Most log odds."""


@dataclass(frozen=True)
class Evidence:
    """One change. move: the first values of its begin and its end. shorter: values on its shorter side. size:
    in standard deviations, signed. nats: of its fit."""

    move: Move
    shorter: int
    size: float
    nats: float


@dataclass(frozen=True)
class Certainty:
    """As of a `ChangePoint`."""

    probability: float
    p_value: float


def certainties(
    x: Values, levels: Sequence[Move], changes: Sequence[Evidence], visits: Sequence[Visit]
) -> list[Certainty]:
    """Of each change, in order. x: values in standard deviations; levels: first value and end of each;
    visits: known ones of recurring states."""
    length, own = len(x), _own_evidence(x, levels)
    known = any(not one.open for one in visits)
    begins = [0, *(one.move[0] for one in changes), length]
    returns = [False, *(_returns(*two) for two in pairwise(changes)), False]
    found = []
    for number, one in enumerate(changes):
        before, first, end = begins[number : number + 3]
        nats = one.nats
        if nats < BEYOND_OWN:
            nats *= _credit(own(min(one.shorter, c.OWN_VALUES)), length - first)
        few = c.FEW_VALUES_ODDS * min(first - before, end - first) - c.FEW_VALUES_EVEN
        real = min(_beyond_noise(nats - c.VISITED_NATS * known, first, length - first), _probability(few))
        lasting = end - first
        if returns[number + 1] and length - end < c.STATE_PAUSE:
            lasting = SHORTEST_VISIT
        stays = _no_visit(lasting, first < c.STATE_PAUSE or bool(visits))
        if returns[number]:
            soon = known or length - first < c.STATE_PAUSE
            stays = min(stays, c.RETURNS if soon else c.RETURNS_OLD)
        found.append(Certainty(real * stays, _p_value(one, length, bool(visits))))
    return found


def _own_evidence(x: Values, levels: Sequence[Move]) -> Callable[[int], float]:
    """By number of values: the most evidence that so many in a row give against their own level."""
    parts = [x[a:b] - x[a:b].mean() for a, b in levels if b - a >= LEAST_FOR_OWN]
    sums = [np.concatenate([[0.0], np.cumsum(part)]) for part in parts]

    @cache
    def most(values: int) -> float:
        found = 0.0
        for total in sums:
            length = len(total) - 1
            if length >= 2 * values:
                run = float(np.abs(total[values:] - total[:-values]).max())
                found = max(found, run * run / values / (1 - values / length) / 2)
        return found

    return most


def _credit(own: float, since: int) -> float:
    """The share of evidence that counts where noise itself gives `own`. since: values after the change."""
    share = min(1.0, c.OWN_NATS / own) if own > 0 else 1.0
    return share if since <= c.OWN_VALUES else float(np.sqrt(share))


def _beyond_noise(nats: float, before: int, since: int) -> float:
    """Probability by evidence. before, since: values before and after the change."""
    late = c.LATE_NATS * max(0.0, log(min(since, c.LATE_VALUES) / c.NEW_STEP_VALUES))
    settled = before + max(0, since - c.OWN_VALUES)
    young = c.YOUNG_NATS * min(MOST_YOUNG, max(0.0, c.SHORT_VALUES / settled - NOT_YOUNG))
    evident = log(c.SUSPECTED / (1 - c.SUSPECTED))
    return _probability(evident + c.EVIDENCE_SLOPE * (nats - c.EVIDENT_NATS - late - young))


def _no_visit(held: int, likely: bool) -> float:
    """Probability that a level which held for so many values is no visit. likely: visits are."""
    share = c.VISITS_YOUNG if likely else c.VISITS_OLD
    longer = (LONGEST_VISIT + 1 - held) / (LONGEST_VISIT + 1 - SHORTEST_VISIT)
    return (1 - share) / (1 - share + share * min(1.0, max(0.0, longer)))


def _returns(one: Evidence, other: Evidence) -> bool:
    """True if the second change undoes the first after no more values than a visit has."""
    left = abs(one.size + other.size) < c.RETURN_SHARE * abs(one.size)
    return left and one.size * other.size < 0 and other.move[0] - one.move[0] <= LONGEST_VISIT


def _p_value(one: Evidence, length: int, with_states: bool) -> float:
    """By the evidence, and by the few values between the change and an end of the history, each of which may
    be an outlier: the smaller odds count. with_states: the machine has states."""
    first, last = one.move
    values = min(max(last, 1), length - first)
    even = c.STATES_EVEN_NATS if with_states else c.OUTLIER_EVEN_NATS
    return _probability(-min(one.nats - c.EVEN_NATS, c.OUTLIER_NATS * values - even))


def _probability(log_odds: float) -> float:
    return 1 / (1 + exp(-max(-LARGEST, min(log_odds, LARGEST))))
