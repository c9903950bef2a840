# SPDX-License-Identifier: Apache-2.0
"""What an NF keeps from turn to turn: packets under way between its lcores, and packet buffers.

Rings and batches fill up and stop. What grows through both halves of a launch, launch after launch, is kept
for good: packets that were lost without a name, or buffers that leak.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import accumulate
from statistics import median

from nalm_core.defaults import MIN_KEPT
from nalm_core.report import Round

MIN_TURNS = 3
HALF_SHARE = 0.25
"""Least share of a launch's gain that each of its halves must have, for the gain to be a lasting one."""

Measure = Callable[[Round], int]


def vanished_share(rounds: Sequence[Round], entered: Measure, ended: Measure) -> float:
    """Packets taken in and never ended, or the other way round, as a share of those taken in: the median over
    launches. With one lcore nothing is under way while it is parked, and the figure is exact."""
    launches = list(_by_launch(rounds).values())
    if all(len(one.lcores) == 1 for one in rounds):
        total = sum(entered(one) for one in rounds)
        return abs(total - sum(ended(one) for one in rounds)) / total
    return median(_vanished(turns, entered, ended) for turns in launches)


def leaked_share(rounds: Sequence[Round], entered: Measure, ended: Measure) -> float | None:
    """Buffers that were not given back, for each packet taken in: the median over launches.

    Buffers of packets under way are not leaked. None if the NF does not tell its buffers, or ran too few
    turns.
    """
    found = [
        leak for turns in _by_launch(rounds).values() if (leak := _leaked(turns, entered, ended)) is not None
    ]
    return median(found) if found else None


def _vanished(turns: Sequence[Round], entered: Measure, ended: Measure) -> float:
    under_way = list(accumulate(entered(one) - ended(one) for one in turns))
    gain = max(_lasting_gain(under_way), _lasting_gain([-level for level in under_way]))
    return gain / max(sum(entered(one) for one in turns), 1)


def _leaked(turns: Sequence[Round], entered: Measure, ended: Measure) -> float | None:
    buffers = [one.buffers_in_use for one in turns if one.buffers_in_use is not None]
    packets = sum(entered(one) for one in turns[1:])
    if len(buffers) != len(turns) or len(turns) < MIN_TURNS or not packets:
        return None
    under_way = accumulate((entered(one) - ended(one) for one in turns[1:]), initial=0)
    return _lasting_gain([held - way for held, way in zip(buffers, under_way, strict=True)]) / packets


def _lasting_gain(levels: Sequence[int]) -> int:
    """How much a level rose, if it rose through both halves; else 0."""
    if len(levels) < MIN_TURNS:
        return 0
    middle = levels[len(levels) // 2]
    gained = levels[-1] - levels[0]
    steady = min(middle - levels[0], levels[-1] - middle) >= HALF_SHARE * gained
    return gained if gained >= MIN_KEPT and steady else 0


def _by_launch(rounds: Sequence[Round]) -> dict[int, list[Round]]:
    launches: dict[int, list[Round]] = defaultdict(list)
    for one in sorted(rounds, key=lambda one: (one.launch, one.turn)):
        launches[one.launch].append(one)
    return launches
