# SPDX-License-Identifier: Apache-2.0
"""The interval of paired differences: exact, and right without normal noise."""

from math import inf

import numpy as np
import pytest
from nalm_core.stats.signed_rank import Differences, least_differences, omitted_averages
from scipy.stats import wilcoxon


@pytest.mark.parametrize("count", [6, 10, 17])
def test_the_interval_is_the_set_of_shifts_that_the_exact_test_accepts(count: int) -> None:
    values = np.random.default_rng(count).normal(0.3, 1, count)
    found = Differences(list(values)).location(0.05)
    for shift, accepted in (
        (found.low - 1e-6, False),
        (found.low + 1e-6, True),
        (found.high - 1e-6, True),
        (found.high + 1e-6, False),
    ):
        assert bool(wilcoxon(values - shift, method="exact").pvalue > 0.05) is accepted


def test_tabulated_limits() -> None:
    """Critical values of T, two-sided: 8 of 10 at 0.05, 3 of 10 and 7 of 12 at 0.01, 37 of 20 at 0.01."""
    assert omitted_averages(10, 0.05) == 8
    assert omitted_averages(10, 0.01) == 3
    assert omitted_averages(12, 0.01) == 7
    assert omitted_averages(20, 0.01) == 37


def test_too_few_differences_have_no_bounds() -> None:
    assert least_differences(0.01) == 8
    assert omitted_averages(7, 0.01) is None
    assert omitted_averages(8, 0.01) == 0
    found = Differences([1.0] * 7).location(0.01)
    assert (found.estimate, found.low, found.high) == (1.0, -inf, inf)
    assert Differences([1.0] * 8).location(0.01).low == 1.0


def test_no_differences() -> None:
    with pytest.raises(ValueError, match="no differences"):
        Differences([])


@pytest.mark.parametrize("noise", ["normal", "cauchy", "zeros"])
def test_the_interval_misses_no_more_often_than_its_rate(noise: str) -> None:
    rng, runs, rate = np.random.default_rng(5), 4000, 0.05
    missed = 0
    for _ in range(runs):
        values = rng.standard_cauchy(16) if noise == "cauchy" else rng.normal(0, 1, 16)
        if noise == "zeros":
            values = np.where(rng.random(16) < 0.7, 0.0, values)
        found = Differences(list(values)).location(rate)
        missed += not found.low <= 0 <= found.high
    assert missed / runs <= rate + 3 * (rate * (1 - rate) / runs) ** 0.5
