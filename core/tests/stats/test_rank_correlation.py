# SPDX-License-Identifier: Apache-2.0
"""Spearman's rank correlation of known series."""

from __future__ import annotations

import pytest
from nalm_core.stats.rank_correlation import rank_correlation

CYCLES = [140.0, 260.0, 320.0, 400.0, 1500.0]


def test_a_rate_that_falls_with_each_cycle_is_minus_one() -> None:
    assert rank_correlation(CYCLES, [1 / one for one in CYCLES]) == pytest.approx(-1)


def test_order_alone_counts() -> None:
    assert rank_correlation(CYCLES, [9.0, 7.0, 8.0, 2.0, 1.0]) == pytest.approx(1 - 6 * 38 / 120)
    assert rank_correlation(CYCLES, [2.0, 2.0, 2.0, 3.0, 3.0]) == pytest.approx(0.8660, abs=1e-4)


@pytest.mark.parametrize(
    ("x", "y"), [(CYCLES[:3], [3.0, 2.0, 1.0]), (CYCLES, [1.0] * 5), ([1.0] * 5, CYCLES), ([], [])]
)
def test_what_has_no_order_has_no_correlation(x: list[float], y: list[float]) -> None:
    assert rank_correlation(x, y) is None
