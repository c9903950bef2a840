# SPDX-License-Identifier: Apache-2.0
"""Packets and buffers that an NF retains between turns: packets under way between its lcores, packet buffers.

Rings and batches fill up and stop growing. Growth through both halves of every launch is permanent: packets
lost without an outcome, or leaking buffers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from statistics import median

from nalm_core.report.defaults import MIN_KEPT
from nalm_core.report.run_report import BufferLook, Round

MIN_TURNS = 3
HALF_SHARE = 0.25
"""Least share of a launch's gain in each of its halves for the gain to be lasting."""

LOOK_PARTS = 4
"""Number of equal parts of a longer look: a leak grows in each of them."""
LOOK_SHARE = 0.5
"""Least rate of growth of a leak in the second half of a longer look, as a share of that in the launch
before: a bounded store grows ever more slowly, or stops."""

Measure = Callable[[Round], int]


def vanished_share(rounds: Sequence[Round], entered: Measure, ended: Measure) -> float:
    """Packets taken in without an end, or the reverse, as a share of those taken in: the median over
    launches. With one lcore no packet is under way while it is parked, and the figure is exact."""
    launches = list(_by_launch(rounds).values())
    if all(len(one.lcores) == 1 for one in rounds):
        total = sum(entered(one) for one in rounds)
        return abs(total - sum(ended(one) for one in rounds)) / total
    return median(_vanished(turns, entered, ended) for turns in launches)


def leaked_share(rounds: Sequence[Round], entered: Measure, ended: Measure) -> float | None:
    """Buffers not returned per packet taken in: the median over launches.

    Buffers of packets under way do not count. None if the NF does not count its buffers, or ran too few
    turns.
    """
    found = [
        leak for turns in _by_launch(rounds).values() if (leak := _leaked(turns, entered, ended)) is not None
    ]
    return median(found) if found else None


def look_leaks(look: BufferLook) -> float:
    """Buffers not returned per packet of the longer look; 0 if their growth ended or slowed down.

    A store that fills at a constant rate for longer than the look counts as a leak.
    """
    levels = _levels(look)
    launch, longer = levels[: look.turns], levels[look.turns - 1 :]
    size = (len(longer) - 1) // LOOK_PARTS
    packets = sum(look.taken_in[look.turns :])
    if len(launch) < MIN_TURNS or size < 1 or not packets:
        return 0.0
    marks = [longer[part * size] for part in range(LOOK_PARTS)] + [longer[-1]]
    gained = marks[-1] - marks[0]
    in_every_part = all(after > before for before, after in pairwise(marks))
    first = (launch[-1] - launch[0]) / max(sum(look.taken_in[1 : look.turns]), 1)
    half = LOOK_PARTS // 2
    late = (marks[-1] - marks[half]) / max(sum(look.taken_in[look.turns + half * size :]), 1)
    steady = in_every_part and late >= LOOK_SHARE * first
    return gained / packets if gained >= MIN_KEPT and steady else 0.0


def _levels(look: BufferLook) -> list[int]:
    """Buffers without those of packets under way, at the end of each turn."""
    flows = zip(look.taken_in[1:], look.ended[1:], strict=True)
    under_way = accumulate((taken - ended for taken, ended in flows), initial=0)
    return [held - way for held, way in zip(look.buffers, under_way, strict=True)]


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
    """The rise of a level if it rose in both halves; otherwise 0."""
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
