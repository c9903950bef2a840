# SPDX-License-Identifier: Apache-2.0
"""Agreement of found change points with the truth."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from detection_histories import Change, History

TOLERANCE = 5
"""Maximum distance in commits between a found change and a true one."""
Detector = Callable[[list[float]], list[int]]


@dataclass
class Score:
    """Hits, misses and false alarms among a number of commits."""

    hits: int = 0
    misses: int = 0
    false: int = 0
    commits: int = 0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        requested = 2 * self.hits + self.misses + self.false
        return 2 * self.hits / requested if requested else 1.0

    @property
    def false_per_1000(self) -> float:
        """False alarms per 1,000 commits."""
        return 1000 * self.false / self.commits if self.commits else 0.0


def scored(detector: Detector, histories: Iterable[History]) -> Score:
    """The sum of all scores."""
    total = Score()
    for one in histories:
        hits, false = _compared(detector(one.values), one)
        total.hits += hits
        total.misses += sum(change.required for change in one.changes) - hits
        total.false += false
        total.commits += len(one.values)
    return total


def _compared(found: list[int], truth: History) -> tuple[int, int]:
    """(required changes hit, false alarms). A change is hit once; more within a ramp are no false alarms."""
    hit: set[Change] = set()
    false = 0
    for index in sorted(found):
        if any(_near(index, *zone) for zone in truth.ignore):
            continue
        near = [change for change in truth.changes if _near(index, change.low, change.high)]
        free = [change for change in near if change not in hit]
        if free:
            hit.add(min(free, key=lambda one: (not one.required, abs(2 * index - one.low - one.high))))
        elif all(change.required and change.low == change.high for change in near):
            false += 1
    return sum(change.required for change in hit), false


def _near(index: int, low: int, high: int) -> bool:
    return low - TOLERANCE <= index <= high + TOLERANCE


def labelled(folder: Path) -> list[History]:
    """Real histories with labels, of `labelled.json`."""
    found = []
    for one in json.loads((folder / "labelled.json").read_text()):
        truth = one["truth"]
        changes = [Change(c["lo"], c["hi"], c["required"]) for c in truth["changes"]]
        ignore = tuple((a, b) for a, b in truth["ignore"])
        found.append(History("labelled", one["series"]["values"], changes, ignore))
    return found
