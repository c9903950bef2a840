# SPDX-License-Identifier: Apache-2.0
"""Chooses the feature sets that are measured against the reference, so that each cost can be estimated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from nalm_core.experiments.constants import FEW_FEATURES, HELD_OUT_SETS, REFERENCE_EVERY
from nalm_core.experiments.fraction import resolution_iv
from nalm_core.report.cell import Use

FeatureSet = tuple[str, ...]


class DesignError(ValueError):
    """No experiment can estimate the requested costs. The message says why, and what to change."""


@dataclass(frozen=True)
class FeatureSpace:
    """Features that can be turned off and on. Sets keep the order of `order`, which is that of the chain."""

    order: FeatureSet
    reference: FeatureSet
    always: FeatureSet = ()
    interactions: tuple[tuple[str, str], ...] = ()

    @property
    def optional(self) -> FeatureSet:
        return tuple(name for name in self.order if name not in self.always)

    def ordered(self, chosen: set[str]) -> FeatureSet:
        return tuple(name for name in self.order if name in chosen)

    def terms(self) -> list[list[str]]:
        """Terms that are fitted in addition to the bare chain."""
        return [*([name] for name in self.optional), *(list(pair) for pair in self.interactions)]

    def require_sound(self) -> None:
        """Raises DesignError."""
        if strange := sorted({*self.reference, *self.always, *_flat(self.interactions)} - {*self.order}):
            raise DesignError(f"{', '.join(strange)} is not among the features {', '.join(self.order)}")
        if absent := [name for name in self.always if name not in self.reference]:
            raise DesignError(f"{', '.join(absent)} is always on, but not in the scenario's features")
        if not self.optional:
            raise DesignError("every feature is always on: there is nothing to turn off")
        if fixed := sorted({*_flat(self.interactions)} & {*self.always}):
            raise DesignError(
                f"{', '.join(fixed)} is always on: the cost of a pair with it cannot be estimated"
            )
        pairs = [frozenset(pair) for pair in self.interactions]
        if any(len(pair) != 2 for pair in pairs) or len(set(pairs)) != len(pairs):
            raise DesignError("interactions: expected pairs of two features, each pair once")


@dataclass(frozen=True)
class Row:
    """A feature set that is measured against the reference."""

    features: FeatureSet
    use: Use


def feature_design(space: FeatureSpace, seed: int) -> list[Row]:
    """Shuffled rows in the order of measurement, with the reference at both ends and in between. Raises
    DesignError."""
    space.require_sound()
    few = len(space.optional) <= FEW_FEATURES
    fitted = _unique(_one_by_one(space) if few else _fraction(space), space.reference)
    random = Random(seed)
    rows = [Row(one, Use.FIT) for one in fitted]
    rows += [Row(one, Use.HELD_OUT) for one in _held_out(space, fitted, random)]
    random.shuffle(rows)
    return list(_with_reference(rows, Row(space.reference, Use.REFERENCE)))


def _one_by_one(space: FeatureSpace) -> Iterator[FeatureSet]:
    """The reference with each feature inverted, then with each pair inverted."""
    for turned in [*((name,) for name in space.optional), *space.interactions]:
        yield space.ordered({*space.reference} ^ {*turned})


def _fraction(space: FeatureSpace) -> Iterator[FeatureSet]:
    place = {name: number for number, name in enumerate(space.optional)}
    pairs = [(place[one], place[other]) for one, other in space.interactions]
    for run in resolution_iv(len(space.optional), pairs):
        on = {name for name, level in zip(space.optional, run, strict=True) if level}
        yield space.ordered(on | {*space.always})


def _unique(sets: Iterator[FeatureSet], reference: FeatureSet) -> list[FeatureSet]:
    return [one for one in dict.fromkeys(sets) if one != reference]


def _held_out(space: FeatureSpace, fitted: Sequence[FeatureSet], random: Random) -> list[FeatureSet]:
    """Sets that are neither fitted nor the reference: the bare chain if it is free, and random others."""
    taken = {*fitted, space.reference}
    bare = space.ordered({*space.always})
    found = [bare] if bare and bare not in taken else []
    if len(space.optional) <= FEW_FEATURES:
        free = [one for one in _all_sets(space) if one and one not in {*taken, *found}]
        return found + random.sample(free, min(HELD_OUT_SETS - len(found), len(free)))
    while len(found) < HELD_OUT_SETS:  # few of 2^k sets are taken
        one = space.ordered({name for name in space.optional if random.random() < 0.5} | {*space.always})
        if one and one not in {*taken, *found}:
            found.append(one)
    return found


def _all_sets(space: FeatureSpace) -> Iterator[FeatureSet]:
    for size in range(len(space.optional) + 1):
        for chosen in combinations(space.optional, size):
            yield space.ordered({*chosen, *space.always})


def _with_reference(rows: Sequence[Row], reference: Row) -> Iterator[Row]:
    for number, row in enumerate(rows):
        if number % REFERENCE_EVERY == 0:
            yield reference
        yield row
    yield reference


def _flat(pairs: Sequence[Sequence[str]]) -> Iterator[str]:
    return (name for pair in pairs for name in pair)
