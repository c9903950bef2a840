# SPDX-License-Identifier: Apache-2.0
"""States of the machine that recur, drifts beside steps, and what one newest value shows."""

from __future__ import annotations

import numpy as np
import pytest
from histories import history
from nalm_core.changepoints import constants
from nalm_core.changepoints.detect import detect, detections

NOISE = 0.003


def visited(rng: np.random.Generator, n: int, size: float) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """(deviations with a second state of 3 to 12 commits, its visits: first and last)."""
    deviations, visits = rng.normal(0, NOISE, n), []
    at = 30
    while at + 14 < n:
        end = at + int(rng.integers(3, 13))
        deviations[at:end] += size
        visits.append((at, end - 1))
        at = end + int(rng.integers(18, 45))
    return deviations, visits


@pytest.mark.parametrize("size", [0.02, -0.04])
def test_a_state_that_recurs_is_no_change_and_its_visits_are_named(size: float) -> None:
    rng = np.random.default_rng(21)
    changes = named = planted = 0
    for _ in range(10):
        deviations, visits = visited(rng, 300, size)
        (found,) = detections([history(deviations)])
        changes += len(found.changes)
        planted += len(visits)
        named += sum(
            any(abs(one.first - a) <= 1 and abs(one.last - b) <= 1 for one in found.visits) for a, b in visits
        )
        assert all(one.size == pytest.approx(size, abs=0.012) for one in found.visits)
    assert changes <= 1
    assert named >= 0.8 * planted


def test_a_step_among_visits_of_a_state_is_found() -> None:
    rng = np.random.default_rng(22)
    hits = false = 0
    for _ in range(10):
        deviations, _ = visited(rng, 300, 0.05)
        found = detect(history(deviations, {150: 0.03}))
        hits += any(abs(one.index - 150) <= 2 for one in found)
        false += sum(abs(one.index - 150) > 5 for one in found)
    assert hits >= 9
    assert false <= 3


def test_one_level_that_returns_is_two_changes() -> None:
    rng = np.random.default_rng(23)
    deviations = rng.normal(0, NOISE, 200)
    deviations[80:92] += 0.04
    (found,) = detections([history(deviations)])
    assert [(one.index, one.size > 0) for one in found.changes] == [(80, True), (92, False)]
    assert found.visits == []


def test_a_visit_that_has_not_ended_is_open_and_becomes_a_change_when_it_lasts() -> None:
    rng = np.random.default_rng(24)
    deviations = rng.normal(0, NOISE, 200)
    for first in (40, 90):
        deviations[first : first + 6] += 0.04
    deviations[150:] += 0.04
    values = history(deviations)
    (early,) = detections([values[:155]])
    assert early.changes == []
    assert [(one.first, one.last, one.open) for one in early.visits][-1] == (150, 154, True)
    assert [one.index for one in detect(values)] == [150]


@pytest.mark.parametrize("length", [40, 60, 90])
@pytest.mark.parametrize("ended", [True, False])
def test_a_slow_drift_is_one_drift_with_its_ends(length: int, ended: bool) -> None:
    rng = np.random.default_rng(25)
    n = 120 + length + (80 if ended else 0)
    ramp = np.clip((np.arange(n) - 119) / length, 0, 1) * 0.08
    (found,) = detect(history(rng.normal(0, 0.0025, n) + ramp))
    assert found.kind == "drift"
    assert found.low == pytest.approx(120, abs=length / 4)
    assert found.high == pytest.approx(119 + length, abs=length / 4)
    assert found.size == pytest.approx(np.expm1(0.08), abs=0.015)


@pytest.mark.parametrize("histories", [6, pytest.param(40, marks=pytest.mark.nightly)])
def test_drifts_and_steps_that_follow_each_other_at_once_are_answered(histories: int) -> None:
    rng = np.random.default_rng(31)
    for _ in range(histories):
        n = int(rng.integers(80, 200))
        level = np.zeros(n)
        at = 12
        while at < n - 5:
            length = int(rng.integers(1, 30))
            size = rng.uniform(0.02, 0.1) * rng.choice([-1, 1])
            level[at:] += size * np.clip((np.arange(n - at) + 1) / length, 0, 1)
            at += length + int(rng.integers(0, 4))
        values = history(rng.normal(0, 0.002, n) + level)
        for length in range(20, n, 7):
            (found,) = detections([values[:length]])
            assert all(0 < one.low <= one.index <= one.high < length for one in found.changes)
            assert all(
                np.isfinite(one.size) and constants.SUSPECTED <= one.probability <= 1 for one in found.changes
            )


def test_two_steps_are_no_drift() -> None:
    rng = np.random.default_rng(26)
    for apart in (12, 20, 30):
        found = detect(history(rng.normal(0, NOISE, 200), {100: 0.03, 100 + apart: 0.03}))
        assert [one.kind for one in found] == ["step", "step"]
        assert found[0].index == pytest.approx(100, abs=1)
        assert found[1].index == pytest.approx(100 + apart, abs=1)


def test_a_change_in_a_gap_begins_after_the_last_measured_commit() -> None:
    rng = np.random.default_rng(27)
    values: list[float | None] = list(history(rng.normal(0, NOISE, 160), {100: 0.05}))
    values[95:105] = [None] * 10
    (found,) = detect(values)
    assert 90 <= found.low <= 95
    assert found.index == found.high == 105


def test_one_newest_value_is_a_suspicion() -> None:
    rng = np.random.default_rng(28)
    values = history(rng.normal(0, NOISE, 100))
    (one,) = detections([[*values, 1.5 * values[-1]]])
    assert one.changes == []
    assert [found.index for found in one.suspicions] == [100]
    assert one.suspicions[0].probability < 0.5
    (three,) = detections([[*values, *(1.5 * v for v in values[-3:])]])
    assert [found.index for found in three.changes] == [100] and three.suspicions == []


@pytest.mark.parametrize("unit", [1e101, 1e300, 1e-101, 1e-310])
def test_values_of_any_size_are_scaled(unit: float) -> None:
    rng = np.random.default_rng(29)
    values = history(rng.normal(0, NOISE, 120), {60: 0.04})
    expected = detect(values)
    found = detect([v / 1000 * unit for v in values])
    assert [(one.index, round(one.size, 6)) for one in found] == [
        (o.index, round(o.size, 6)) for o in expected
    ]


def test_a_number_too_large_for_floating_point_is_not_measured() -> None:
    values = history(np.random.default_rng(30).normal(0, NOISE, 120), {60: 0.04})
    assert detect([10**400, *values[1:]]) == detect([None, *values[1:]])
    assert detect([[10**400, None, values[0]], *values[1:]]) == detect(values)


def test_each_value_of_a_second_visit_leaves_it_a_visit() -> None:
    """The likeliest path of levels may lose a short visit with one more value; a state is still one."""
    false = 0
    for seed in range(8):
        rng = np.random.default_rng([31, seed])
        deviations = rng.normal(0, NOISE, 130)
        for first in (40, 100):
            deviations[first : first + 6] += 5 * NOISE
        values = history(deviations)
        for length in range(103, 130):
            false += any(abs(one.index - 103) <= 5 for one in detect(values[:length]))
    assert false <= 8, "of 216"


def test_values_that_were_taken_over_do_not_make_a_history_quiet() -> None:
    """A third of the commits have the value of the one before, as of equal builds."""
    alarms = 0
    for seed in range(10):
        rng = np.random.default_rng([32, seed])
        deviations = rng.normal(0, NOISE, 200)
        for at in np.flatnonzero(rng.random(199) < 1 / 3) + 1:
            deviations[at] = deviations[at - 1]
        alarms += len(detect(history(deviations)))
    assert alarms <= 2, "of 2,000 commits"


def test_commits_of_one_batch_share_an_offset_which_is_no_change() -> None:
    """Each batch of 12 to 25 commits has an offset as large as the noise."""
    false = hits = 0
    for seed in range(8):
        rng = np.random.default_rng([33, seed])
        deviations, at = rng.normal(0, NOISE, 350), 0
        while at < 350:
            end = at + int(rng.integers(12, 26))
            deviations[at:end] += rng.normal(0, NOISE)
            at = end
        found = detect(history(deviations, {150: 0.03}))
        hits += any(abs(one.index - 150) <= 5 for one in found)
        false += sum(abs(one.index - 150) > 5 for one in found)
    assert hits == 8
    assert false <= 4, "of 2,800 commits"


def test_a_machine_with_states_has_others() -> None:
    rng = np.random.default_rng(34)
    deviations = rng.normal(0, NOISE, 300)
    for first in (30, 80, 190, 240):
        deviations[first : first + 7] += 0.04
    deviations[130:138] -= 0.06
    (found,) = detections([history(deviations)])
    assert found.changes == []
    assert [(one.first, one.last) for one in found.visits if one.size < 0] == [(130, 137)]
    alone = rng.normal(0, NOISE, 300)
    alone[130:138] -= 0.06
    assert [one.index for one in detect(history(alone))] == [130, 138]
