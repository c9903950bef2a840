# SPDX-License-Identifier: Apache-2.0
"""The search for the commit that changed a figure, without measuring.

Commits are places 0 (good) to `last` (bad) along the first parent; every candidate is compared with good. The
search measures the ends first: without a change between them there is nothing to find. Then it halves the
range between the last good and the first bad candidate. It skips an undecided candidate for its nearest
neighbour; if only such candidates remain, the answer is a range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from nalm_core.report.defaults import BUDGET_SECONDS

GROWTH: Final = 2
"""Factor by which the time for an undecided candidate grows."""
LONGEST_SECONDS: Final = 8 * BUDGET_SECONDS
"""Time after which a candidate that is still undecided is skipped."""


class Finding(StrEnum):
    """The result of comparing a candidate with good."""

    GOOD = "good"
    """Like good."""
    BAD = "bad"
    """Changed like bad."""
    SKIP = "skip"
    """The candidate does not build, does not run, or stays undecided."""


@dataclass(frozen=True)
class Measure:
    """Measure this place next."""

    place: int


@dataclass(frozen=True)
class Culprit:
    """This place changed the figure; the place before was measured and is like good."""

    place: int


@dataclass(frozen=True)
class Range:
    """One of low + 1 to high changed the figure; the places between are undecided."""

    low: int
    high: int


@dataclass(frozen=True)
class NoChange:
    """Bad is like good."""


@dataclass(frozen=True)
class Undecided:
    """It is undecided whether bad differs from good."""


Step = Measure | Culprit | Range | NoChange | Undecided


def next_step(last: int, findings: Mapping[int, Finding]) -> Step:
    """The next step after the findings so far. last: bad's place, at least 1."""
    if last < 1:
        raise ValueError(f"bad must come after good, not at place {last}")
    match findings.get(last):
        case None:
            return Measure(last)
        case Finding.GOOD:
            return NoChange()
        case Finding.SKIP:
            return Undecided()
    high = min(place for place, finding in findings.items() if finding is Finding.BAD)
    low = max((p for p, one in findings.items() if one is Finding.GOOD and p < high), default=0)
    unknown = [place for place in range(low + 1, high) if place not in findings]
    if unknown:
        middle = (low + high) / 2
        return Measure(min(unknown, key=lambda place: (abs(place - middle), place)))
    return Culprit(high) if high == low + 1 else Range(low, high)


def next_budget(spent: float | None) -> float | None:
    """Seconds for another measurement of an undecided candidate; None: it is skipped.

    spent: time of the last measurement; None: that of nalm.toml.
    """
    longer = (spent or BUDGET_SECONDS) * GROWTH
    return longer if longer <= LONGEST_SECONDS else None


def times_as_long(budget_seconds: float | None) -> float:
    """How many times as long as by nalm.toml a run of rates or a soak is, to which a budget is given.

    Budgets are of a run of cycles, which has BUDGET_SECONDS by default. The least result is 1.
    """
    return max(1.0, (budget_seconds or BUDGET_SECONDS) / BUDGET_SECONDS)
