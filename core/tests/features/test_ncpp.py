# SPDX-License-Identifier: Apache-2.0
"""NCPP puts versions of different feature sets on one scale, and gives no figure where none can be had."""

from __future__ import annotations

from math import hypot

import pytest
from nalm_core.features.cost_model import CostModel, Term
from nalm_core.features.ncpp import Ncpp, normalise

MODEL = CostModel(
    terms=[Term(features=[], cycles=100.0), Term(features=["nat"], cycles=100.0)],
    covariance=[[1.0, 0.0], [0.0, 1.0]],
    degrees=30,
    varied=["nat"],
    fixed=["l3fwd"],
    sets=[["l3fwd"], ["l3fwd", "nat"]],
)


def found(cpp: float, features: list[str], came_at: dict[str, float] | None = None) -> Ncpp:
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
    one = found(620, ["l3fwd", "nat", "dpi"], {"dpi": 400.0})
    assert (one.value, one.expected_cycles, one.extended) == (pytest.approx(620 / 600), 600, ["dpi"])


def test_without_a_price_the_reason_is_said() -> None:
    reason = normalise(620, (None, None), ["l3fwd", "dpi"], MODEL, {})
    assert reason == "the cost model has no price for dpi"
    assert "only fitted on sets with l3fwd" in str(normalise(100, (None, None), ["nat"], MODEL, {}))
    assert "expects no cycles" in str(normalise(100, (None, None), ["l3fwd", "x"], MODEL, {"x": -100.0}))
