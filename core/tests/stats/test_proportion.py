# SPDX-License-Identifier: Apache-2.0
"""Exact bounds against what they are defined by and against published values."""

from __future__ import annotations

import pytest
from nalm_core.stats.proportion import lower_bound, upper_bound
from scipy.stats import binom


@pytest.mark.parametrize(("hits", "trials"), [(0, 1), (0, 200), (1, 20), (7, 31), (199, 200)])
def test_the_upper_bound_makes_so_few_hits_just_unlikely(hits: int, trials: int) -> None:
    assert binom.cdf(hits, trials, upper_bound(hits, trials, 0.95)) == pytest.approx(0.05)


def test_no_hits_is_the_rule_of_three() -> None:
    assert upper_bound(0, 200, 0.95) == pytest.approx(3 / 200, rel=0.01)


def test_bounds_mirror_each_other() -> None:
    assert lower_bound(19, 20, 0.95) == pytest.approx(1 - upper_bound(1, 20, 0.95))


def test_nothing_is_known_without_trials() -> None:
    assert (lower_bound(0, 0, 0.95), upper_bound(0, 0, 0.95)) == (0.0, 1.0)


def test_more_hits_than_trials_is_refused() -> None:
    with pytest.raises(ValueError, match="3 of 2"):
        upper_bound(3, 2, 0.95)
