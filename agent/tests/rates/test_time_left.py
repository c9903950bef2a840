# SPDX-License-Identifier: Apache-2.0
"""Time left of launches that measure and of those that count events."""

from __future__ import annotations

import pytest
from nalm_agent.rates.load_events import COUNTED_S
from nalm_agent.rates.time_left import Left, TimeLeft


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_launches_that_count_events_are_part_of_the_whole() -> None:
    clock = Clock()
    time_left = TimeLeft(4, clock)
    assert time_left.measured(0.0) == Left(0.0, None)
    time_left.started([0.5, 0.25])
    clock.now += 10
    counts = 4 * (0.5 + COUNTED_S)
    done, seconds = time_left.measured(0.5)
    assert seconds == pytest.approx(10 + counts)
    assert done == pytest.approx(10 / (20 + counts))
    clock.now += 10
    assert time_left.counted() == Left(pytest.approx(20 / (20 + counts)), pytest.approx(counts))
    clock.now += 2
    assert time_left.counted() == Left(pytest.approx(22 / 28), pytest.approx(6)), "as long as the first took"


def test_without_events_launches_are_all() -> None:
    clock = Clock()
    time_left = TimeLeft(0, clock)
    clock.now += 30
    assert time_left.measured(0.75) == Left(pytest.approx(0.75), pytest.approx(10))
