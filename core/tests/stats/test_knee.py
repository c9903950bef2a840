# SPDX-License-Identifier: Apache-2.0
"""Knees of simulated curves whose knee is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from nalm_core.stats.knee import KneeRule, Observation, find_knee, knee_shift

RULE = KneeRule(change=0.02, confidence=0.95, draws=300, least_loads=5)
HZ, FULL = 2e9, 32
SHARES = np.array([0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
Cpp = Callable[[float], float]


def polled(poll: float, packet: float) -> tuple[Cpp, float, float]:
    """An NF with CPP(batch) = poll/batch + packet under equal gaps: its curve, its knee, the greatest load.

    While a gap is longer than a batch of one, packets are alone; then the batch grows until CPP is the gap.
    """

    def cpp(pps: float) -> float:
        return max(min(poll + packet, HZ / pps), poll / FULL + packet)

    return cpp, (1 + RULE.change) * HZ / (poll + packet), HZ / (poll / FULL + packet)


def seen(cpp: Cpp, greatest: float, noise: float, seed: int = 0, launches: int = 5) -> list[Observation]:
    """Trials with noise, in launches with levels of their own."""
    random = np.random.default_rng(seed)
    return [
        Observation(load, cpp(load) * float(np.exp(level + random.normal(0, noise))), launch)
        for launch, level in enumerate(random.normal(0, 0.05, launches))
        for load in map(float, SHARES * greatest)
    ]


@pytest.mark.parametrize(("poll", "packet"), [(300, 100), (100, 300), (900, 100)])
def test_the_analytic_knee(poll: float, packet: float) -> None:
    cpp, knee, greatest = polled(poll, packet)
    found = find_knee(seen(cpp, greatest, 1e-6), RULE)
    assert found is not None and found.load is not None
    assert found.load == pytest.approx(knee, rel=0.05)
    assert found.end / found.level == pytest.approx((poll / FULL + packet) / (poll + packet), rel=0.02)


@pytest.mark.nightly
@pytest.mark.parametrize(("poll", "packet", "noise"), [(300, 100, 0.01), (300, 100, 0.04), (100, 300, 0.01)])
def test_the_interval_covers_the_knee(poll: float, packet: float, noise: float) -> None:
    """95 % nominal; 45 of 50 or more are expected of a true rate of 95 % with a probability of 0.96."""
    cpp, knee, greatest = polled(poll, packet)
    covered = 0
    for seed in range(50):
        found = find_knee(seen(cpp, greatest, noise, seed), RULE)
        assert found is not None and found.interval is not None
        covered += found.interval.low <= knee and (found.interval.high is None or knee <= found.interval.high)
    assert covered >= 43


def test_a_level_curve_has_no_knee() -> None:
    found = [find_knee(seen(lambda _: 400.0, 1e6, 0.003, seed), RULE) for seed in range(20)]
    assert [one.reason for one in found if one is not None].count("it does not change with the load") >= 19


def test_a_curve_that_falls_at_once_has_no_level() -> None:
    found = find_knee(seen(lambda pps: 1e7 / pps**0.5, 1e6, 0.005), RULE)
    assert found is not None and found.load is None
    assert found.reason == "it changes from the least load on"


@pytest.mark.parametrize("noise", [0.005, 0.03])
def test_a_bend_in_a_falling_curve_is_no_knee(noise: float) -> None:
    """Small loads leave caches cold: CPP falls slowly at first, then as batches grow."""

    def cpp(pps: float) -> float:
        return 2300 * (pps / 5e4) ** -0.25 * min(1.0, (pps / 4e5) ** -0.6)

    found = [find_knee(seen(cpp, 1e6, noise, seed), RULE) for seed in range(20)]
    reasons = [one.reason for one in found if one is not None]
    assert reasons.count("it changes from the least load on") >= 19


def test_a_knee_that_only_some_draws_have_is_unbounded_above() -> None:
    cpp: Cpp = lambda pps: 400.0 if pps < 8e5 else 389.0  # noqa: E731 # one line of truth
    highs = [
        one.interval.high
        for seed in range(20)
        if (one := find_knee(seen(cpp, 1e6, 0.01, seed), RULE)) is not None and one.interval is not None
    ]
    assert highs and None in highs


def test_a_moved_knee_and_one_that_stayed() -> None:
    (old, _, greatest), (new, _, _) = polled(300, 100), polled(240, 100)
    moved = stayed = 0
    for seed in range(20):
        base, head, again = (
            find_knee(seen(one, greatest, 0.01, at), RULE)
            for one, at in ((old, seed), (new, seed + 100), (old, seed + 200))
        )
        assert base is not None and head is not None and again is not None
        shift, same = knee_shift(base, head, RULE), knee_shift(base, again, RULE)
        assert shift is not None and shift.low is not None and shift.high is not None
        assert same is not None and same.low is not None and same.high is not None
        assert shift.ratio == pytest.approx(400 / 340, rel=0.08)
        moved += shift.low > 1
        stayed += same.low <= 1 <= same.high
    assert (moved, stayed) == (20, 20)


def test_few_loads_and_one_launch() -> None:
    cpp, knee, greatest = polled(300, 100)
    every = seen(cpp, greatest, 1e-6, launches=1)
    assert find_knee(every[:4], RULE) is None
    one = find_knee(every, RULE)
    assert one is not None and one.load == pytest.approx(knee, rel=0.05)
    assert one.interval is None
