# SPDX-License-Identifier: Apache-2.0
"""Probabilities: a new level may be the first visit of a state, and noise may explain it; p values."""

from __future__ import annotations

import numpy as np
import pytest
from histories import history
from nalm_core.changepoints import constants
from nalm_core.changepoints.certainty import Certainty, Evidence, certainties
from nalm_core.changepoints.detect import detections

NOISE = 0.003


def newest(before: int, values: int) -> tuple[list[int], list[int]]:
    """Places of (changes, suspicions) where a level of 5 % has lasted for so many values."""
    deviations = np.random.default_rng(41).normal(0, NOISE, before + values)
    (found,) = detections([history(deviations, {before: 0.05})])
    return [one.index for one in found.changes], [one.index for one in found.suspicions]


@pytest.mark.parametrize(("before", "reported"), [(30, 5), (100, 3)])
def test_a_level_is_suspected_as_long_as_it_may_be_a_first_visit(before: int, reported: int) -> None:
    """A history of 100 values without a visit shows that its machine seldom has states."""
    for values in range(2, reported):
        assert newest(before, values) == ([], [before])
    for values in range(reported, reported + 8):
        assert newest(before, values) == ([before], [])


def test_the_probability_rises_with_each_value_that_a_level_holds() -> None:
    deviations = np.random.default_rng(42).normal(0, NOISE, 56)
    values = history(deviations, {40: 0.05})
    found = [detections([values[:length]])[0] for length in range(45, 56)]
    probabilities = [one.probability for each in found for one in each.changes]
    assert probabilities == sorted(probabilities) and len(set(probabilities[:8])) == 8
    assert probabilities[0] < 0.75 and probabilities[-1] > 0.99


@pytest.mark.parametrize(("held", "suspected"), [(9, True), (16, False)])
def test_a_return_is_suspected_while_the_level_may_have_been_a_visit(held: int, suspected: bool) -> None:
    deviations = np.random.default_rng(43).normal(0, NOISE, 260)
    deviations[100 : 100 + held] += 0.05
    values = history(deviations)
    back = 100 + held
    for length in (back + 5, back + 25, back + constants.STATE_PAUSE - 1):
        (found,) = detections([values[:length]])
        assert [one.index for one in found.changes] == ([100] if suspected else [100, back])
        assert [one.index for one in found.suspicions] == ([back] if suspected else [])
    (found,) = detections([values])
    assert [one.index for one in found.changes] == [100, back]


def test_a_level_that_returned_and_comes_again_soon_is_a_visit() -> None:
    deviations = np.random.default_rng(44).normal(0, NOISE, 143)
    deviations[100:108] += 0.05
    deviations[140:] += 0.05
    (found,) = detections([history(deviations)])
    assert (found.changes, found.suspicions) == ([], [])
    assert [(one.first, one.last, one.open) for one in found.visits] == [
        (100, 107, False),
        (140, 142, True),
    ]


def certain(x: np.ndarray, nats: float, values: int = 5) -> Certainty:
    """Of one step before the last values of a history, its level subtracted."""
    at = len(x) - values
    step = Evidence((at, at), values, 4.0, nats)
    (found,) = certainties(x, [(0, at), (at, len(x))], [step], [])
    return found


def test_evidence_counts_for_less_where_noise_gives_as_much() -> None:
    rng = np.random.default_rng(45)
    quiet = rng.normal(0, 1, 205)
    batches = quiet + np.repeat(rng.normal(0, 1.5, 41), 5)
    assert certain(quiet, 14).probability > constants.SUSPECTED
    assert certain(batches, 14).probability < 0.3
    assert certain(batches, 300).probability > 0.9
    assert certain(batches, 14).p_value == certain(quiet, 14).p_value


def test_the_p_value_does_not_depend_on_what_a_level_may_become() -> None:
    x = np.random.default_rng(46).normal(0, 1, 205)
    young, old = certain(x[-35:], 40), certain(x, 40)
    assert young.p_value == old.p_value < 0.01
    assert young.probability < 0.75
    assert old.probability > 0.9
