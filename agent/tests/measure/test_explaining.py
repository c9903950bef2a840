# SPDX-License-Identifier: Apache-2.0
"""How long arms are sampled."""

from __future__ import annotations

import pytest
from nalm_agent.measure.explaining import MOST_TIMES, TURNS, sampled_turns
from nalm_core.report.defaults import MARGIN


@pytest.mark.parametrize(
    ("margin", "times"), [(5 * MARGIN, 1), (MARGIN, 1), (MARGIN / 4, 4), (MARGIN / 1000, MOST_TIMES)]
)
def test_a_finer_margin_takes_more_samples(margin: float, times: float) -> None:
    assert sampled_turns(margin) == times * TURNS
