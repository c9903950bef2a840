# SPDX-License-Identifier: Apache-2.0
"""Histories cut at changes of environment, and what more values cannot change."""

from __future__ import annotations

import numpy as np
from histories import history
from hypothesis import given, settings
from hypothesis import strategies as st
from nalm_core.changepoints import constants
from nalm_core.changepoints.detect import detect, detect_many
from nalm_core.changepoints.segments import detect_between, parts


def test_parts_hold_every_commit_once() -> None:
    assert parts(10, [4, 7, 4, 0, 10, -2, 99]) == [(0, 4), (4, 7), (7, 10)]
    assert parts(0, []) == [(0, 0)]


def test_a_cut_is_no_change_and_each_part_is_judged_alone() -> None:
    rng = np.random.default_rng(1)
    values = history(rng.normal(0, 0.003, 240), {50: 0.04, 120: 0.2, 180: -0.05})
    found = detect_between(values, [120])
    left, right = detect_many([values[:120], values[120:]])
    assert found == [*left, *[type(one)(**{**vars(one), **shifted(one, 120)}) for one in right]]
    assert [min(abs(one.index - at) for at in (50, 180)) <= 1 for one in found] == [True, True]


def shifted(one: object, by: int) -> dict[str, int]:
    return {name: getattr(one, name) + by for name in ("index", "low", "high")}


def test_parts_that_ended_before_are_not_judged_again() -> None:
    rng = np.random.default_rng(2)
    values = history(rng.normal(0, 0.003, 240), {50: 0.04, 180: -0.05})
    assert detect_between(values, [120], since=130) == [
        one for one in detect_between(values, [120]) if one.index >= 120
    ]


def test_one_value_after_the_other_tells_what_the_whole_history_does() -> None:
    """What was told as values came, kept where windows are full, is what is told at the end."""
    rng = np.random.default_rng(3)
    values = history(rng.normal(0, 0.004, 2 * constants.WINDOW), {150: 0.03, 400: -0.04, 600: 0.05})
    reported = {one.index: one for one in detect(values[: constants.WINDOW])}
    for length in range(constants.WINDOW + 16, len(values) + 1, 16):
        newest = {one.index: one for one in detect(values[:length], since=length - 16)}
        from_here = min(newest, default=length)
        reported = {index: one for index, one in reported.items() if index < from_here} | newest
    assert [reported[index] for index in sorted(reported)] == detect(values)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000))
def test_the_same_backwards_in_sign(seed: int) -> None:
    """A metric of which more is better: direction turns, nothing else."""
    values = history(np.random.default_rng(seed).normal(0, 0.004, 120), {60: 0.03})
    up, down = detect(values), detect([1e6 / v for v in values])
    assert [(one.index, one.low, one.high) for one in up] == [(one.index, one.low, one.high) for one in down]
    assert all((1 + one.size) * (1 + other.size) - 1 < 1e-6 for one, other in zip(up, down, strict=True))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), missing=st.lists(st.integers(0, 119), max_size=12))
def test_not_measured_commits_change_places_only(seed: int, missing: list[int]) -> None:
    values = history(np.random.default_rng(seed).normal(0, 0.004, 120), {60: 0.03})
    holed = [None if i in missing else v for i, v in enumerate(values)]
    kept = [i for i in range(120) if i not in missing]
    assert [one.index for one in detect(holed)] == [
        kept[one.index] for one in detect([values[i] for i in kept])
    ]


@settings(max_examples=10, deadline=None)
@given(seeds=st.lists(st.integers(0, 1000), min_size=2, max_size=5, unique=True))
def test_histories_together_give_the_same_as_alone(seeds: list[int]) -> None:
    histories = [
        history(np.random.default_rng(one).normal(0, 0.004, 40 + one % 90), {30: 0.03}) for one in seeds
    ]
    assert detect_many(histories) == [detect(one) for one in histories]
    assert detect_many(histories[::-1]) == detect_many(histories)[::-1]
