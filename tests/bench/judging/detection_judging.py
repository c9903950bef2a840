# SPDX-License-Identifier: Apache-2.0
"""Judges a detector on families of histories: whole histories, drifts, one commit after the other, and
whether its probabilities hold.

A point is a hit if it lies within TOLERANCE commits of a change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar
from zlib import crc32

import numpy as np
from detection_control_families import Controlled
from detection_histories import Change, Generator, History
from detection_score import TOLERANCE, Score, scored
from nalm_core.changepoints.results import ChangePoint

Made = History | Controlled
Counted = TypeVar("Counted", Score, "Drifts", "Online")
Detected = Callable[[Made, int], list[ChangePoint]]
"""Changes of a history's first values, their number given."""
WITHIN = 5
"""Commits of the new level after which an online alarm is still in time."""
WARM_UP = 12
"""Commits before online alarms count."""
BINS = (0.5, 0.7, 0.85, 0.95, 0.99, 1.0)
"""Bounds of probabilities that are compared with the share that holds."""


def histories(families: Mapping[str, Callable[[Generator], Made]], first: int, each: int) -> Iterator[Made]:
    """`each` histories of each family, from this seed on. Those of a family do not depend on the others."""
    for name, make in families.items():
        for number in range(each):
            yield make(np.random.default_rng([first + number, crc32(name.encode())]))


@dataclass
class Drifts:
    """required: drifts; found: hit by any point; marked: as one, both ends within a quarter of its length.
    merged: pairs of neighbouring steps that were reported as one drift, of `pairs`."""

    required: int = 0
    found: int = 0
    marked: int = 0
    pairs: int = 0
    merged: int = 0


@dataclass
class Online:
    """required: required steps; in_time, in_three: alarmed when WITHIN, or 3, commits of the new level were
    measured; false alarms; commits; vanished: alarms that were gone within 3 commits; alarms: all."""

    required: int = 0
    in_time: int = 0
    in_three: int = 0
    false: int = 0
    commits: int = 0
    alarms: int = 0
    vanished: int = 0


@dataclass
class Calibration:
    """By bin of probability: points, those that are changes, and the sum of their probabilities."""

    points: list[int] = field(default_factory=lambda: [0] * len(BINS))
    held: list[int] = field(default_factory=lambda: [0] * len(BINS))
    probability: list[float] = field(default_factory=lambda: [0.0] * len(BINS))

    def add(self, probability: float, held: bool) -> None:
        """One point."""
        number = int(np.searchsorted(BINS[:-1], probability, side="right"))
        self.points[number] += 1
        self.held[number] += held
        self.probability[number] += probability

    @classmethod
    def of(cls, parts: Iterable[Calibration]) -> Calibration:
        """The sum of several."""
        found = cls()
        for one in parts:
            for own, added in zip(vars(found).values(), vars(one).values(), strict=True):
                own[:] = [a + b for a, b in zip(own, added, strict=True)]
        return found

    def curve(self) -> list[dict[str, float]]:
        """Mean probability and share that holds, of bins with points."""
        return [
            {"points": n, "probability": round(p / n, 3), "held": round(h / n, 3)}
            for n, h, p in zip(self.points, self.held, self.probability, strict=True)
            if n
        ]


def total_of(kind: type[Counted], parts: Iterable[Counted]) -> Counted:
    """The sum of each count."""
    parts = list(parts)
    return kind(**{name: sum(vars(one)[name] for one in parts) for name in vars(kind())})


def whole(detected: Detected, made: Iterable[Made]) -> tuple[Score, Score]:
    """(score on all of them, score on those without a change)."""
    everything, quiet = Score(), Score()
    for one in made:
        points = [point.index for point in detected(one, len(one.values))]
        plain = History(one.kind, one.values, one.changes, getattr(one, "ignore", ()))
        found = scored(lambda _, points=points: points, [plain])  # type: ignore[misc]
        for total in (everything, quiet) if not one.changes else (everything,):
            total.hits += found.hits
            total.misses += found.misses
            total.false += found.false
            total.commits += found.commits
    return everything, quiet


def drifts(detected: Detected, made: Iterable[Made]) -> Drifts:
    """How drifts, and steps near each other, are reported."""
    total = Drifts()
    for one in made:
        points = detected(one, len(one.values))
        for change in one.changes:
            if change.high > change.low:
                total.required += 1
                near = [p for p in points if _near(p.index, change) or _overlap(p, change)]
                total.found += bool(near)
                slack = max(TOLERANCE, (change.high - change.low) / 4)
                total.marked += any(
                    p.kind == "drift"
                    and abs(p.low - change.low) <= slack
                    and abs(p.high - change.high) <= slack
                    for p in near
                )
        steps = [change for change in one.changes if change.low == change.high]
        for a, b in pairwise(steps):
            if b.low - a.low <= 30:
                total.pairs += 1
                total.merged += any(
                    p.kind == "drift" and p.low <= a.low + 3 and p.high >= b.low - 3 for p in points
                )
    return total


def online(detected: Detected, made: Iterable[Made], calibration: Calibration) -> Online:
    """One commit after the other: a point alarms when it is first reported as a change."""
    total = Online()
    for one in made:
        alarmed: list[ChangePoint] = []
        fresh: list[tuple[int, ChangePoint]] = []
        for length in range(WARM_UP, len(one.values) + 1):
            points = detected(one, length)
            for point in points:
                if not any(abs(point.index - o.index) <= TOLERANCE or _overlap(point, o) for o in alarmed):
                    alarmed.append(point)
                    fresh.append((length, point))
                    true = _true(point, one.changes, length)
                    total.alarms += 1
                    total.false += not true
                    calibration.add(point.probability, true)
            for at, point in fresh:
                if length == at + 3 and not any(abs(point.index - o.index) <= TOLERANCE for o in points):
                    total.vanished += 1
        for change in one.changes:
            if change.required and change.low == change.high and change.low >= WARM_UP - WITHIN:
                total.required += 1
                hits = [at - change.low for at, point in fresh if _near(point.index, change)]
                total.in_time += any(one <= WITHIN for one in hits)
                total.in_three += any(one <= 3 for one in hits)
        total.commits += len(one.values)
    return total


def calibrated(detected: Detected, made: Iterable[Made]) -> Calibration:
    """Probabilities of whole histories."""
    total = Calibration()
    for one in made:
        for point in detected(one, len(one.values)):
            total.add(point.probability, _true(point, one.changes, len(one.values)))
    return total


def _true(point: ChangePoint, changes: Sequence[Change], length: int) -> bool:
    return any(change.low < length and _near(point.index, change) for change in changes)


def _near(index: int, change: Change) -> bool:
    return change.low - TOLERANCE <= index <= change.high + TOLERANCE


def _overlap(point: ChangePoint, other: ChangePoint | Change) -> bool:
    """A drift's interval meets the other's."""
    drifts = point.high - point.low > TOLERANCE and other.high - other.low > TOLERANCE
    return drifts and point.low <= other.high and other.low <= point.high
