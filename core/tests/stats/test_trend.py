# SPDX-License-Identifier: Apache-2.0
"""Slopes of known truth."""

import numpy as np
import pytest
from nalm_core.stats.trend import MOST_POINTS, theil_sen
from scipy.stats import theilslopes

rng = np.random.default_rng(3)


def points(number: int, slope: float, level: float = 0.0, noise: float = 1.0) -> list[tuple[float, float]]:
    return [(float(t), level + slope * t + float(rng.normal(0, noise))) for t in range(number)]


def test_one_block_is_scipys() -> None:
    block = points(60, 0.3)
    times, values = zip(*block, strict=True)
    expected = theilslopes(values, times, alpha=0.99)
    found = theil_sen([block], 0.99)
    assert found is not None
    assert (found.middle, found.low, found.high) == pytest.approx(
        (expected.slope, expected.low_slope, expected.high_slope)
    )


def test_blocks_have_levels_of_their_own() -> None:
    found = theil_sen([points(40, 0.5), points(40, 0.5, level=1000), points(10, 0.5, level=-50)], 0.99)
    assert found is not None
    assert found.middle == pytest.approx(0.5, abs=0.05)
    assert found.low < 0.5 < found.high


def test_the_interval_holds_its_level() -> None:
    missed = 0
    for _ in range(400):
        found = theil_sen([points(25, 0.0), points(25, 0.0, level=9)], 0.95)
        assert found is not None
        missed += not found.low <= 0 <= found.high
    assert missed <= 400 * 0.05 + 3 * (400 * 0.05 * 0.95) ** 0.5


def test_what_never_changes_has_no_slope() -> None:
    found = theil_sen([[(float(t), 7.0) for t in range(30)]] * 2, 0.99)
    assert found is not None
    assert (found.middle, found.low, found.high) == (0, 0, 0)


def test_long_blocks_are_thinned() -> None:
    found = theil_sen([points(MOST_POINTS * 5, 0.01)], 0.99)
    assert found is not None
    assert found.middle == pytest.approx(0.01, rel=0.05)


def test_too_little() -> None:
    assert theil_sen([], 0.99) is None
    assert theil_sen([[(1.0, 2.0)]], 0.99) is None
    assert theil_sen([[(1.0, 2.0), (1.0, 3.0)]], 0.99) is None
