# SPDX-License-Identifier: Apache-2.0
"""nalm_core.features.cost_model: prices add up, and what was never measured is not guessed."""

from __future__ import annotations

from math import sqrt

import pytest
from nalm_core.features.cost_model import CostModel, Term
from nalm_core.report.defaults import CONFIDENCE
from pydantic import ValidationError
from scipy.special import stdtrit

MODEL = CostModel(
    terms=[
        Term(features=[], cycles=100.0),
        Term(features=["nat"], cycles=40.0),
        Term(features=["dpi"], cycles=200.0),
        Term(features=["nat", "dpi"], cycles=-10.0),
    ],
    covariance=[[1.0, -0.5, 0, 0], [-0.5, 2.0, 0, 0], [0, 0, 4.0, 0], [0, 0, 0, 1.0]],
    degrees=8,
    varied=["nat", "dpi"],
    fixed=["l3fwd"],
    sets=[["l3fwd"], ["l3fwd", "nat"], ["l3fwd", "dpi"], ["l3fwd", "nat", "dpi"]],
)


def test_a_set_costs_the_sum_of_its_terms() -> None:
    assert MODEL.expected(["l3fwd"]).value == 100
    assert MODEL.expected(["nat", "l3fwd"]).value == 140
    assert MODEL.expected(["dpi", "nat", "l3fwd"]).value == 330


def test_the_interval_is_that_of_the_sum() -> None:
    found = MODEL.expected(["l3fwd", "nat"])
    half = float(stdtrit(8, (1 + CONFIDENCE) / 2)) * sqrt(1 + 2 - 2 * 0.5)
    assert found.low == pytest.approx(140 - half)
    assert found.high == pytest.approx(140 + half)


def test_without_an_error_there_is_no_interval() -> None:
    bare = MODEL.model_copy(update={"covariance": None, "degrees": None})
    assert bare.expected(["l3fwd"]).low is None
    assert bare.expected(["l3fwd"]).high is None


def test_a_set_that_was_never_varied_is_refused_with_its_reason() -> None:
    with pytest.raises(ValueError, match="no price for acl"):
        MODEL.expected(["l3fwd", "acl"])
    with pytest.raises(ValueError, match="only fitted on sets with l3fwd"):
        MODEL.expected(["nat"])


def test_the_price_of_a_feature_is_its_own_term() -> None:
    price = MODEL.price("dpi")
    assert price is not None
    assert price.value == 200
    assert MODEL.price("l3fwd") is None


def test_a_covariance_that_does_not_fit_its_terms_is_refused() -> None:
    with pytest.raises(ValidationError, match="4 rows of 4"):
        CostModel.model_validate(MODEL.model_dump() | {"covariance": [[1.0]]})


def test_it_is_stored_and_read_again() -> None:
    assert CostModel.model_validate_json(MODEL.model_dump_json()) == MODEL
