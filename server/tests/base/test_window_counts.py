# SPDX-License-Identifier: Apache-2.0
"""Counts in windows of time: of each key, until its window is over."""

from __future__ import annotations

import threading

from limits import RateLimitItemPerMinute
from limits.strategies import FixedWindowRateLimiter
from nalm_server.base.window_counts import SWEEP_SECONDS, WindowCounts


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_a_limit_holds_until_its_window_is_over() -> None:
    clock = Clock()
    limiter, limit = FixedWindowRateLimiter(WindowCounts(clock)), RateLimitItemPerMinute(2)
    assert [limiter.hit(limit, "a") for _ in range(3)] == [True, True, False]
    assert limiter.hit(limit, "b")
    assert limiter.get_window_stats(limit, "a").reset_time == clock.now + 60
    clock.now += 59.9
    assert not limiter.hit(limit, "a")
    clock.now += 0.1
    assert limiter.hit(limit, "a")


def test_counts_of_past_windows_are_removed() -> None:
    clock = Clock()
    counts = WindowCounts(clock)
    for number in range(100):
        counts.incr(str(number), 30)
    clock.now += SWEEP_SECONDS
    assert counts.get("1") == 0
    assert counts.incr("1", 30) == 1 and len(counts) == 1
    counts.clear("1")
    assert (counts.get("1"), counts.reset(), counts.check()) == (0, 0, True)


def test_counting_starts_no_thread() -> None:
    before = threading.active_count()
    counts = WindowCounts()
    assert [counts.incr("a", 60) for _ in range(5)] == [1, 2, 3, 4, 5]
    assert threading.active_count() == before
