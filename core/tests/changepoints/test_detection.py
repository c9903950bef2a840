# SPDX-License-Identifier: Apache-2.0
"""Change points: found soon where planted, and not where there is only noise, of whatever kind."""

from __future__ import annotations

from statistics import median

import numpy as np
import pytest
from histories import NOISE, history
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nalm_core.changepoints import constants
from nalm_core.changepoints.detect import ChangePoint, detect, detect_many
from tiers import by_night

FALSE_ALARMS_PER_1000 = 1.0


@pytest.mark.parametrize("kind", NOISE)
def test_noise_alone_alarms_at_most_once_in_a_thousand_commits(kind: str) -> None:
    rng = np.random.default_rng(7)
    lengths = [30] * 20 + [100] * 15 + [300] * 8 + [1000] * 4
    found = detect_many([history(NOISE[kind](n, rng)) for n in lengths])
    assert 1000 * sum(map(len, found)) / sum(lengths) <= FALSE_ALARMS_PER_1000


@pytest.mark.parametrize("kind", NOISE)
def test_a_step_of_five_per_cent_is_found_where_it_is_in_every_noise(kind: str) -> None:
    rng = np.random.default_rng(3)
    histories = [history(NOISE[kind](160, rng), {100: 0.05}) for _ in range(20)]
    hits = sum(any(98 <= one.index <= 102 for one in found) for found in detect_many(histories))
    assert hits >= 19


@pytest.mark.parametrize(("size", "noise", "commits"), [*by_night((0.01, 0.003, 3)), (0.02, 0.01, 5)])
def test_a_small_step_is_found_within_a_few_commits(size: float, noise: float, commits: int) -> None:
    rng = np.random.default_rng(55)
    delays = []
    for _ in range(30):
        values = history(rng.normal(0, noise, 130), {100: size})
        reported = detect_many([values[: 100 + k] for k in range(1, commits + 8)])
        near = (k for k, found in enumerate(reported, 1) if any(96 <= one.index <= 103 for one in found))
        delays.append(next(near, 99))
    assert median(delays) <= commits


def test_size_interval_and_probability() -> None:
    rng = np.random.default_rng(11)
    (found,) = detect(history(rng.normal(0, 0.003, 200), {120: -0.04}))
    assert found.size == pytest.approx(-0.04, abs=0.003)
    assert found.low <= found.index <= found.high
    assert found.index == 120
    assert found.probability > 0.99


def test_a_slope_is_one_drift() -> None:
    rng = np.random.default_rng(2)
    ramp = np.clip((np.arange(200) - 80) / 30, 0, 1) * 0.06
    (found,) = detect(history(rng.normal(0, 0.002, 200) + ramp))
    assert 75 <= found.low <= found.index <= found.high <= 115
    assert found.high - found.low >= 10
    assert found.size == pytest.approx(0.06, abs=0.01)


def test_outliers_that_return_are_no_changes() -> None:
    rng = np.random.default_rng(4)
    deviations = rng.normal(0, 0.003, 150)
    deviations[60:63] += 0.08
    assert detect(history(deviations)) == []


def test_what_is_not_measured_is_left_out_and_keeps_its_place() -> None:
    rng = np.random.default_rng(6)
    values: list[float | None] = list(history(rng.normal(0, 0.003, 160), {100: 0.05}))
    for missing in (3, 50, 99, 101, 102):
        values[missing] = None
    (found,) = detect(values)
    assert found.index in (98, 100)


def test_samples_of_a_commit_count_by_their_median() -> None:
    rng = np.random.default_rng(8)
    values = history(rng.normal(0, 0.003, 120), {70: 0.05})
    samples = [[v, v * 0.999, v * 1.001, v * 40] for v in values]
    assert [one.index for one in detect(samples)] == [one.index for one in detect(values)]


def test_long_histories_give_the_same_once_their_windows_are_full() -> None:
    rng = np.random.default_rng(9)
    steps = {250: 0.03, 700: -0.04, 1100: 0.05}
    values = history(rng.normal(0, 0.005, 1500), steps)
    whole = detect(values)
    for length in (900, 1152, 1344):
        settled = length - constants.WINDOW
        early = [one for one in detect(values[:length]) if one.index < settled]
        assert early == [one for one in whole if one.index < settled]
    assert detect(values, since=1110) == [one for one in whole if one.index >= 1100]
    assert all(any(abs(one.index - at) <= 2 for one in whole) for at in steps)
    assert len(whole) <= len(steps) + 1


@settings(max_examples=25, deadline=None)
@given(unit=st.floats(1e-9, 1e9), seed=st.integers(0, 1000))
@example(unit=3.0, seed=349)  # a level between two cells
def test_the_unit_changes_nothing(unit: float, seed: int) -> None:
    values = history(np.random.default_rng(seed).normal(0, 0.004, 120), {60: 0.03})
    places = [one.index for one in detect(values)]
    assert [one.index for one in detect([unit * v for v in values])] == places


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000))
def test_more_cycles_and_fewer_are_found_alike(seed: int) -> None:
    values = history(np.random.default_rng(seed).normal(0, 0.004, 120), {60: 0.03})
    up, down = detect(values), detect([1 / v for v in values])
    assert [one.index for one in up] == [one.index for one in down]
    assert [one.size > 0 for one in up] == [one.size < 0 for one in down]


@pytest.mark.parametrize("values", [[], [1.0] * 5, [None] * 40, [5.0] * 200, [0.0] * 50, [-3.0] * 30])
def test_histories_without_anything_to_find(values: list[float | None]) -> None:
    assert detect(values) == []


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True)), min_size=1, max_size=4)
    .flatmap(lambda few: st.lists(st.sampled_from(few), max_size=60))
    .filter(len)
)
@example([0.0, 1e-45, 1e38, 1e308, None] * 12)
@example([1.0, 2.0] * 20)
@example([5e-324, 1e-9, 1e308] * 9)
def test_any_list_is_answered(values: list[float | None]) -> None:
    found = detect(values)
    assert all(isinstance(one, ChangePoint) and 0 < one.index < len(values) for one in found)
