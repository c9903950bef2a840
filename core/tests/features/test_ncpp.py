# SPDX-License-Identifier: Apache-2.0
"""NCPP puts versions of different feature sets on one scale, and gives no figure where none can be had."""

from __future__ import annotations

from math import hypot

import pytest
from nalm_core.features.cost_model import CostModel, Expected, Term
from nalm_core.features.ncpp import Ncpp, normalise

MODEL = CostModel(
    terms=[Term(features=[], cycles=100.0), Term(features=["nat"], cycles=100.0)],
    covariance=[[1.0, 0.0], [0.0, 1.0]],
    degrees=30,
    varied=["nat"],
    fixed=["l3fwd"],
    sets=[["l3fwd"], ["l3fwd", "nat"]],
)


def price(value: float, half: float | None = None, level: float = 0.95) -> Expected:
    low, high = (None, None) if half is None else (value - half, value + half)
    return Expected(value=value, low=low, high=high, level=level)


def found(cpp: float, features: list[str], came_at: dict[str, Expected] | None = None) -> Ncpp:
    ncpp = normalise(cpp, (cpp * 0.99, cpp * 1.01), features, MODEL, came_at or {})
    assert isinstance(ncpp, Ncpp)
    return ncpp


def test_as_efficient_as_the_reference_is_one_whatever_the_features() -> None:
    assert found(100, ["l3fwd"]).value == found(200, ["l3fwd", "nat"]).value == 1


def test_slower_than_the_reference_is_above_one() -> None:
    assert found(220, ["nat", "l3fwd"]).value == pytest.approx(1.1)


def test_both_errors_are_in_the_interval() -> None:
    expected = MODEL.expected(["l3fwd"])
    assert expected.low is not None and expected.high is not None
    one = found(100, ["l3fwd"])
    half = hypot(0.01, (expected.high - expected.low) / 200)
    assert (one.low, one.high) == (pytest.approx(1 - half), pytest.approx(1 + half))
    assert normalise(100, (None, None), ["l3fwd"], MODEL, {}).low is None  # type: ignore[union-attr]


def test_a_later_feature_is_expected_at_the_price_it_came_with() -> None:
    one = found(620, ["l3fwd", "nat", "dpi"], {"dpi": price(400.0)})
    assert (one.value, one.expected_cycles, one.extended) == (pytest.approx(620 / 600), 600, ["dpi"])


def test_the_error_of_that_price_is_in_the_interval() -> None:
    """Of its run's interval, whatever its level. It was left out."""
    exact, known, later = (
        found(500, ["l3fwd", "dpi"], {"dpi": price(400.0, *about)})
        for about in ((0.0,), (50.0,), (50.0 * 2.576 / 1.960, 0.99))
    )
    assert exact.high is not None and known.high is not None
    assert known.high - 1 == pytest.approx(hypot(exact.high - 1, 50 / 500))
    assert later.high == pytest.approx(known.high, abs=1e-4)
    assert found(500, ["l3fwd", "dpi"], {"dpi": price(400.0)}).high is None


def test_without_a_price_the_reason_is_said() -> None:
    reason = normalise(620, (None, None), ["l3fwd", "dpi"], MODEL, {})
    assert reason == "the cost model has no price for dpi"
    assert "only fitted on sets with l3fwd" in str(normalise(100, (None, None), ["nat"], MODEL, {}))
    less = normalise(100, (None, None), ["l3fwd", "x"], MODEL, {"x": price(-100.0)})
    assert "expects no cycles" in str(less)
