# SPDX-License-Identifier: Apache-2.0
"""Which findings hold together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_core.stats.discovery import discoveries
from scipy.stats import false_discovery_control

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(P_VALUES)
def test_the_same_as_by_adjusted_p_values(p_values: list[float]) -> None:
    adjusted = false_discovery_control(p_values)
    clear = [abs(one - 0.05) > 1e-9 for one in adjusted]
    found = discoveries(p_values, 0.05)
    assert all(
        is_found == (one <= 0.05) for is_found, one, sure in zip(found, adjusted, clear, strict=True) if sure
    )


@given(P_VALUES, st.integers(0, 1000))
def test_more_tests_that_found_nothing_never_add_a_finding(p_values: list[float], more: int) -> None:
    alone = discoveries(p_values, 0.05)
    among = discoveries(p_values, 0.05, len(p_values) + more)
    assert all(one or not other for one, other in zip(alone, among, strict=True))


def test_a_lone_finding_among_many_needs_more_than_several() -> None:
    assert discoveries([0.001], 0.05, 100) == [False]
    assert discoveries([0.001] * 3, 0.05, 100) == [True] * 3
    assert discoveries([], 0.05, 100) == []
    with pytest.raises(ValueError, match="2 findings of 1"):
        discoveries([0.1, 0.2], 0.05, 1)
