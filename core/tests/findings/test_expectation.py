# SPDX-License-Identifier: Apache-2.0
"""What commits declare of themselves, floors taught by false alarms, and the worth of a finding."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_core.findings.expectation import Expectation, OutcomeExpectation, declared, expected_outcomes
from nalm_core.findings.noise_floor import FLOOR_HALF_LIFE_DAYS, FLOOR_MAX_MARGINS, floor_left, floor_taught
from nalm_core.findings.severity import (
    change_for_the_worse,
    logarithmic,
    magnitude_of,
    severity_of,
    size_of,
)
from nalm_core.report.catalogue import METRICS


def test_several_are_declared_in_one_message() -> None:
    text = """nat: longer keys

Nalm-Expect: sfc_a cpp +3% keys are twice as long
 nalm-expect : * pps -2.5%  one more header
Nalm-Expect: sfc_a cpp +4% more than thought
Signed-off-by: Ann"""
    assert declared(text).mistakes == []
    assert declared(text).expectations == [
        Expectation("sfc_a", "cpp", 1.04, "more than thought"),
        Expectation("*", "pps", 0.975, "one more header"),
    ]


def test_an_outcome_is_declared_by_stage_and_name() -> None:
    text = """nat: fewer ports

Nalm-Expect: sfc_* nat:no_port +0.3% fewer ports for a subscriber
Nalm-Expect: sfc_a tx:* +1% a smaller queue"""
    found = declared(text)
    assert (found.mistakes, found.expectations) == ([], [])
    assert found.outcomes == [
        OutcomeExpectation("sfc_*", "nat", "no_port", 0.003, "fewer ports for a subscriber"),
        OutcomeExpectation("sfc_a", "tx", "*", 0.01, "a smaller queue"),
    ]
    assert [one.stage for one in expected_outcomes([text], "sfc_b")] == ["nat"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "expected `Nalm-Expect:"),
        ("sfc_a cpp +3%", "with a reason"),
        ("sfc_a cpu +3% x", "'cpu' is not a metric"),
        ("sfc_a cpp 3% x", "with a sign"),
        ("sfc_a cpp +3 x", "with a sign"),
        ("sfc_a cpp -3% faster", "an improvement needs no declaration"),
        ("sfc_a pps +3% faster", "an improvement needs no declaration"),
        ("sfc_a cpp +0% x", "out of bounds"),
        ("sfc_a cpp +9999% x", "out of bounds"),
        ("sfc;a cpp +3% x", "is not a scenario name"),
        ("sfc_a nat:no_port -1% x", "such as +0.3% for nat:no_port"),
        ("sfc_a nat:no_port 1% x", "with a plus"),
        ("sfc_a nat:no_port +0% x", "out of bounds"),
        ("sfc_a nat:no_port +101% x", "out of bounds"),
    ],
)
def test_a_mistake_is_named_with_its_line(line: str, said: str) -> None:
    found = declared(f"subject\n\nNalm-Expect: {line}")
    assert found.expectations == []
    (mistake,) = found.mistakes
    assert mistake.startswith("line 3, Nalm-Expect: ") and said in mistake


@given(st.text())
def test_any_text_is_read_and_only_worse_is_expected(text: str) -> None:
    for one in declared(text + "\nNalm-Expect: " + text).expectations:
        assert size_of(METRICS[one.metric].better, one.bound) > 0


@given(st.sampled_from(sorted(METRICS)), st.floats(0.01, 100))
def test_size_is_worse_in_the_direction_of_the_metric(metric: str, ratio: float) -> None:
    better = METRICS[metric].better
    worse = ratio < 1 if better == "higher" else ratio > 1
    assert (size_of(better, ratio) > 0) == worse
    assert size_of(better, 1 / ratio) == pytest.approx(-size_of(better, ratio))
    assert size_of(better, None) > abs(size_of(better, ratio))


def test_a_change_from_or_to_zero_has_no_ratio() -> None:
    assert [logarithmic(one) for one in (None, 0.0, -0.5, 2.0)] == [None, None, None, 2.0]
    assert [change_for_the_worse(one, None) for one in ("lower", "higher")] == ["from 0", "to 0"]
    assert change_for_the_worse("higher", 0.9) == "-10.0 %"
    assert magnitude_of(None) == pytest.approx(magnitude_of(2.0), abs=0.01)
    assert magnitude_of(2.0) == magnitude_of(0.5)


@given(st.floats(0, 1), st.floats(0, 0.1), st.floats(0, 2000), st.floats(0, 2000))
def test_a_floor_is_capped_and_only_sinks(size: float, before: float, early: float, late: float) -> None:
    margin = 0.01
    floor = floor_taught(size, margin, before)
    assert before <= floor <= max(before, FLOOR_MAX_MARGINS * margin)
    assert floor_left(floor, max(early, late), margin) <= floor_left(floor, min(early, late), margin) <= floor
    assert floor_left(floor, 20 * FLOOR_HALF_LIFE_DAYS, margin) == 0


def test_severity_is_size_times_scenarios() -> None:
    assert severity_of({"a": math.log(1.05), "b": 0.01}) == pytest.approx(2 * math.log(1.05))
    assert severity_of({}) == 0
