# SPDX-License-Identifier: Apache-2.0
"""Which commit changed a figure: the search alone, without measuring.

Commits are places 0 (good) to `last` (bad) along the first parent; every candidate is compared with good. The
ends are asked first: without a change between them there is nothing to find. Then the candidates between the
last that is like good and the first that is like bad are halved. A candidate that cannot be told is skipped
for its nearest neighbour; when only such remain, the answer is a range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from nalm_core.report.defaults import BUDGET_SECONDS

GROWTH: Final = 2
"""By which the time for a candidate grows when it was undecided."""
LONGEST_SECONDS: Final = 8 * BUDGET_SECONDS
"""A candidate still undecided after so long is skipped."""


class Finding(StrEnum):
    """What comparing a candidate with good came to."""

    GOOD = "good"
    """Like good."""
    BAD = "bad"
    """Changed as bad is."""
    SKIP = "skip"
    """It does not build, does not run, or stays undecided."""


@dataclass(frozen=True)
class Measure:
    """Ask about this place next."""

    place: int


@dataclass(frozen=True)
class Culprit:
    """This place changed it; the one before was measured and is like good."""

    place: int


@dataclass(frozen=True)
class Range:
    """One of low + 1 to high changed it; those between could not be told apart."""

    low: int
    high: int


@dataclass(frozen=True)
class NoChange:
    """Bad is like good."""


@dataclass(frozen=True)
class Undecided:
    """Whether bad differs from good cannot be told."""


Step = Measure | Culprit | Range | NoChange | Undecided


def next_step(last: int, findings: Mapping[int, Finding]) -> Step:
    """What to do with what is known so far. last: bad's place, at least 1."""
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

    spent: what the last one was given; None: what nalm.toml says.
    """
    longer = (spent or BUDGET_SECONDS) * GROWTH
    return longer if longer <= LONGEST_SECONDS else None
