# SPDX-License-Identifier: Apache-2.0
"""Designs: every term can be told, main effects clear of pairs, what is held out is not fitted."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nalm_core.experiments.constants import FEW_FEATURES, HELD_OUT_SETS
from nalm_core.experiments.cost_model import contains
from nalm_core.experiments.design import DesignError, FeatureSpace, Row, feature_design
from nalm_core.experiments.fraction import resolution_iv
from nalm_core.report.cell import Use
from nalm_core.stats.least_squares import NotEstimableError, require_estimable
from tiers import size_of_tier


@st.composite
def spaces(draw: st.DrawFn) -> FeatureSpace:
    names = [f"f{number}" for number in range(draw(st.integers(1, 11)))]
    always = set(draw(st.lists(st.sampled_from(names), max_size=len(names) - 1)))
    optional = [name for name in names if name not in always]
    chosen = set(draw(st.lists(st.sampled_from(names)))) | always
    pairs = list(combinations(optional, 2))
    picked = draw(st.lists(st.sampled_from(pairs), max_size=3, unique=True)) if pairs else []
    reference = tuple(name for name in names if name in chosen)
    return FeatureSpace(tuple(names), reference, tuple(sorted(always)), tuple(picked))


def usable(space: FeatureSpace, seed: int) -> list[Row] | None:
    """None for the few spaces without a feature set to compare."""
    return feature_design(space, seed) if space.optional and space.reference else None


@given(spaces(), st.integers(0, 99))
@settings(max_examples=size_of_tier(150, 50), deadline=None)
def test_every_term_can_be_distinguished_from_the_fitted_rows(space: FeatureSpace, seed: int) -> None:
    rows = usable(space, seed)
    if rows is None:
        return
    at = contains(space.reference, space.terms())
    require_estimable(
        np.array([contains(row.features, space.terms()) - at for row in rows if row.use is Use.FIT])
    )


@given(spaces(), st.integers(0, 99))
@settings(max_examples=size_of_tier(150, 50), deadline=None)
def test_sets_keep_the_order_what_is_always_on_and_what_is_held_out(space: FeatureSpace, seed: int) -> None:
    rows = usable(space, seed)
    if rows is None:
        return
    fitted = [row.features for row in rows if row.use is Use.FIT]
    held_out = [row.features for row in rows if row.use is Use.HELD_OUT]
    for features in [*fitted, *held_out]:
        assert features == tuple(name for name in space.order if name in features)
        assert set(space.always) <= set(features)
    assert len(set(fitted + held_out)) == len(fitted + held_out)
    assert space.reference not in fitted + held_out
    assert len(held_out) <= HELD_OUT_SETS
    if len(space.optional) > FEW_FEATURES:
        assert len(held_out) == HELD_OUT_SETS
    assert rows[0].use is rows[-1].use is Use.REFERENCE


@given(st.integers(1, 20))
@settings(max_examples=20, deadline=None)
def test_the_fraction_has_resolution_iv(factors: int) -> None:
    signs = np.array(resolution_iv(factors)) * 2 - 1
    assert signs[0].min() == 1 and (signs == -1).all(axis=1).sum() >= 1
    assert (signs.sum(axis=0) == 0).all(), "each is as often on as off"
    for one, other in combinations(range(factors), 2):
        pair = signs[:, one] * signs[:, other]
        assert pair.sum() == 0, "no main effect is another one"
        assert all((pair * signs[:, third]).sum() == 0 for third in range(factors)), "nor a pair"


def test_named_pairs_are_distinguished_and_the_plan_is_the_same_each_time() -> None:
    names = tuple("abcdefgh")
    space = FeatureSpace(names, names, (), (("a", "b"), ("c", "d"), ("e", "f")))
    rows = feature_design(space, seed=3)
    assert rows == feature_design(space, seed=3) != feature_design(space, seed=4)
    assert sum(row.use is Use.FIT for row in rows) < 2 ** len(names) / 4


@pytest.mark.parametrize(
    ("space", "said"),
    [
        (FeatureSpace(("a",), ("a",), ("a",)), "nothing to turn off"),
        (FeatureSpace(("a", "b"), ("a",), ("b",)), "b is always on, but not in the scenario's features"),
        (FeatureSpace(("a", "b"), ("a", "x")), "x is not among the features a, b"),
        (FeatureSpace(("a", "b"), ("a", "b"), ("a",), (("a", "b"),)), "a pair with it cannot be estimated"),
        (FeatureSpace(("a", "b"), ("a", "b"), (), (("a", "b"), ("b", "a"))), "each pair once"),
    ],
)
def test_what_cannot_be_reported_is_refused(space: FeatureSpace, said: str) -> None:
    with pytest.raises(DesignError, match=said):
        feature_design(space, 0)


def test_columns_that_cannot_be_distinguished_are_named() -> None:
    with pytest.raises(NotEstimableError) as refused:
        require_estimable(np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]]))
    assert refused.value.places == (0, 1)
