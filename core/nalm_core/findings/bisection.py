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
"""Factor by which the time for what is undecided grows."""
MOST_MEASUREMENTS: Final = 4
"""Measurements after which a candidate that is still undecided is skipped."""


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


def more_time(given: float | None) -> float:
    """Seconds for the rounds of another measurement of what is undecided.

    given: to those of the last one, by its report; None: the report does not say.
    """
    return GROWTH * (given or BUDGET_SECONDS)


def next_budget(given: float | None, measurements: int) -> float | None:
    """As more_time, for a candidate with so many measurements; None: it is skipped."""
    return more_time(given) if measurements < MOST_MEASUREMENTS else None
