# SPDX-License-Identifier: Apache-2.0
"""Which of an alert's moves its headline shows."""

from __future__ import annotations

from nalm_server.alerts.headline import leading
from nalm_server.alerts.models import AlertMoveRow


def move(metric: str, stage: str, ratio: float, source: str = "pair") -> AlertMoveRow:
    return AlertMoveRow(kind="regression", metric=metric, stage=stage, ratio=ratio, source=source)


def test_the_chains_cycles_come_first() -> None:
    chain = move("cpp", "chain", 1.03)
    assert leading([move("cpp", "nat", 1.5), move("latency_p99_ns", "chain", 9.0), chain]) is chain


def test_the_chain_comes_before_a_stage_that_pays_for_it() -> None:
    """As in the summary of the run's verdict."""
    chain = move("load_cpp", "chain", 1.22)
    stage = move("load_cpp", "rx", 2.4)
    assert leading([stage, move("latency_p50_ns", "chain", 1.18), chain]) is chain


def test_half_a_rate_is_more_than_a_half_more_latency() -> None:
    rate = move("ndr_pps", "chain", 0.5)
    assert leading([move("latency_p50_ns", "chain", 1.5), rate]) is rate
