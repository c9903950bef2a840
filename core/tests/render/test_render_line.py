# SPDX-License-Identifier: Apache-2.0
"""The one line of a verdict: outcome, size, place and cause, in what room there is."""

import re
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_core.render.line import cut, line
from nalm_core.report.run_report import RunStatus
from nalm_core.verdict.verdict import judge
from nalm_synthetic import COSTS, IPPS, Side, changed, make_report
from rendering import measured, under_load

DPI = Side({**COSTS, "dpi": 200.0}, {**IPPS, "dpi": 400}, ["nat", "dpi", "l3fwd"], "b")
N = "instructions"
SIZE = r"[+-]\d+\.\d+ % \[[+-]\d+\.\d+, [+-]\d+\.\d+\]"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (
            changed(nat=180.0, ipp={"nat": 400}),
            rf"regressed {SIZE} in nat: instructions; 70 {N} more",
        ),
        (
            changed(nat=180.0, ipp={"nat": 300}),
            rf"regressed {SIZE} in nat: pipeline use; 30 {N} fewer",
        ),
        (changed(l3fwd=85.0), rf"regressed {SIZE} in l3fwd: pipeline use"),
        (changed(nat=165.0, l3fwd=85.0), rf"regressed {SIZE} in l3fwd, nat: pipeline use"),
        (changed(Side(ipps=None), nat=180.0), rf"regressed {SIZE} in nat: cause unknown"),
        (
            changed(nat=120.0, ipp={"nat": 250}),
            rf"improved {SIZE} in nat: instructions; 80 {N} fewer",
        ),
        (changed(), rf"same {SIZE}"),
    ],
)
def test_outcome_size_place_and_cause(head: Side, expected: str) -> None:
    assert re.fullmatch(expected, line(judge(make_report(head))))


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (RunStatus.BROKEN, "broken: nat.c:12: error"),
        (RunStatus.FAILED, "could not measure: nat.c:12: error"),
        (RunStatus.UNCHANGED, "same: The NF loads the same functions and data"),
    ],
)
def test_what_was_not_measured_says_why(status: RunStatus, expected: str) -> None:
    report = make_report(changed(nat=180.0))
    report = report.model_copy(update={"status": status, "failure": "nat.c:12: error\nninja: stopped"})
    assert line(judge(report)).startswith(expected)


def test_feature_has_its_price() -> None:
    assert "features +dpi: " in line(judge(make_report(DPI)))


@given(st.text(), st.integers(min_value=1, max_value=300))
def test_always_one_line_within_the_limit(text: str, limit: int) -> None:
    made = cut(text, limit)
    assert len(made) <= limit and all(one.isprintable() for one in made)


@pytest.mark.parametrize("outcome", ["regressed", "improved"])
def test_under_load_the_figure_that_changed_is_named_with_its_size(
    outcome: Literal["regressed", "improved"],
) -> None:
    size = "+30.0 %" if outcome == "regressed" else "-30.0 %"
    assert line(under_load(outcome)).startswith(f"{outcome}: Latency p99 {size} {outcome}")
    assert "cause" not in line(under_load(outcome))


@pytest.mark.parametrize("margin", [0.01, 0.002])
def test_digits_follow_from_the_size_of_a_change_and_not_from_the_margin(margin: float) -> None:
    large = line(measured(nat=175.0, ipp=400, margin=margin).verdict)
    assert re.match(r"regressed \+\d+\.\d % \[\+\d+\.\d, \+\d+\.\d\] in nat", large)
