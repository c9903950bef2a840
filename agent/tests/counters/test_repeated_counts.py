# SPDX-License-Identifier: Apache-2.0
"""Counts of lcores side by side stand if two of at most three are equal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from nalm_agent.counters.callgrind_parse import Profile
from nalm_agent.counters.simulated import Counted, repeated
from nalm_agent.runtime.errors import SourceError


def counts(*totals: int, packets: int = 1000) -> list[Counted]:
    return [Counted([], Profile({("poll",): total}, {}), [], packets) for total in totals]


@pytest.mark.parametrize(
    ("totals", "kept", "left"),
    [
        ((100_000, 100_040, 1), 0, 1),
        ((100_000, 100_140, 100_001), 0, 0),
        ((100_140, 100_000, 100_001), 1, 0),
    ],
)
def test_two_equal_counts_stand(totals: tuple[int, ...], kept: int, left: int) -> None:
    made = counts(*totals)
    more: Iterator[Counted] = iter(made[1:])
    assert repeated(made[0], lambda: next(more)) is made[kept]
    assert len(list(more)) == left


def test_other_numbers_of_packets_do_not_matter() -> None:
    (first,), (second,) = counts(100_000), counts(110_000, packets=1100)
    assert repeated(first, lambda: second) is first


def test_three_different_counts_are_refused_with_their_difference() -> None:
    first, *rest = counts(100_000, 133_000, 120_000)
    more = iter(rest)
    with pytest.raises(SourceError, match=r"differ, two of them by \+33\.0 %: its lcores hand packets"):
        repeated(first, lambda: next(more))
