# SPDX-License-Identifier: Apache-2.0
"""Outcomes of single functions by exact counts."""

from __future__ import annotations

import pytest
from function_worlds import counted, judged, plain
from nalm_core.functions.by_counts import BOUNDED, PLACEMENT
from nalm_core.functions.judge import FunctionSide, judge_functions
from nalm_core.functions.margins import Margins
from nalm_core.functions.model import CostShift, FunctionJudgement, FunctionOutcome
from nalm_core.report.defaults import FUNCTION_MARGIN, FUNCTION_SHARE
from nalm_core.report.run_report import Arm, Threshold
from nalm_core.verdict.function_change import function_text
from nalm_core.verdict.verdict import judge

CHAIN = 1000.0
"""Instructions per packet of the chain below, with rx, l3fwd and the loop."""
OTHERS = CHAIN - 40 - 110 - 100


def with_small(small: float, other: float) -> dict[str, float]:
    return {"small": small, "other": other}


def test_five_percent_of_one_percent_is_found_by_counts() -> None:
    base = plain(**with_small(10.0, OTHERS - 10))
    head = plain(**with_small(10.51, OTHERS - 10))
    found = judged(base, head)["small"]
    assert found.outcome == "regressed"
    assert found.by == "instructions"
    assert found.chain_share == pytest.approx(0.00051)
    assert found.ratio == pytest.approx(1.051)
    assert not found.alarms, "half a margin of the chain makes an alert"


@pytest.mark.parametrize(
    ("small", "outcome"),
    [
        (10.0 * (1 + FUNCTION_MARGIN) - 0.05, "same"),
        (10.0 / (1 + FUNCTION_MARGIN) - 0.1, "improved"),
        (0.0, "improved"),
        (16.0, "regressed"),
    ],
)
def test_margin_and_share(small: float, outcome: str) -> None:
    assert FUNCTION_SHARE == 0.0005
    found = judged(plain(**with_small(10.0, OTHERS - 10)), plain(**with_small(small, OTHERS - 10)))
    assert found["small"].outcome == outcome
    assert found["small"].alarms == (small == 16.0), "0.6 % of the chain"


def test_equal_counts_are_all_the_same() -> None:
    code = plain(**{f"function_{n}": 5.0 + n for n in range(30)})
    assert {one.outcome for one in judged(code, code).values()} == {"same"}


def test_small_change_in_an_unchanged_function_may_be_placement() -> None:
    base, head = plain(copy=20.0), plain(copy=21.5)
    assert judged(base, head, changed=["other"])["copy"].outcome == "inconclusive"
    assert judged(base, head, changed=["other"])["copy"].reason == PLACEMENT
    assert judged(base, head, changed=["copy"])["copy"].outcome == "regressed"
    assert judged(base, head)["copy"].outcome == "regressed"
    more = plain(copy=21.5)
    more.calls["nat_process", "copy"] = 1.075
    assert judged(base, more, changed=["other"])["copy"].outcome == "regressed", "it is called more often"


@pytest.mark.parametrize(
    ("side", "hidden", "outcome"),
    [
        (0, 30.0, "inconclusive"),
        (0, 31.0, "inconclusive"),
        (0, 95.0, "regressed"),
        (1, 31.0, "inconclusive"),
        (1, 95.0, "improved"),
    ],
)
def test_function_that_one_side_does_not_list_costs_there_what_is_left_at_most(
    side: int, hidden: float, outcome: str
) -> None:
    """The side that does not list it has 30 instructions per packet in unlisted functions."""
    costs = [30.0, hidden] if side == 0 else [hidden, 30.0]
    report = counted(*(plain(find=50.0, hidden=one) for one in costs))
    listed = [one for one in report.instructions[side].functions["nat"] if one.name != "hidden"]
    counts = list(report.instructions)
    counts[side] = counts[side].model_copy(update={"functions": {"nat": listed}})
    report = report.model_copy(update={"instructions": counts})
    sides = (FunctionSide(report, arm) for arm in (Arm.BASE, Arm.HEAD))
    found = {one.name: one for one in judge_functions(*sides, Margins())}
    assert {name: one.outcome for name, one in found.items() if name != "hidden"} == {
        "nat_process": "same",
        "find": "same",
    }
    assert found["hidden"].outcome == outcome
    if outcome != "inconclusive":
        assert (found["hidden"].base_ipp, found["hidden"].head_ipp) == pytest.approx(tuple(costs))
        assert found["hidden"].reason == BOUNDED


def test_function_alone_fails_a_check_whose_cycles_are_the_same() -> None:
    report = counted(plain(find=50.0), plain(find=58.0))
    verdict = judge(report)
    assert verdict.outcome in ("same", "inconclusive")
    (alarm,) = verdict.failing_metrics
    assert (alarm.metric, alarm.stage, alarm.function) == ("function_ipp", "nat", "find")
    assert "whatever the cycles are: find in nat from 50 to 58 instructions a packet" in verdict.reason
    assert verdict.summary.startswith("find in nat +")
    assert " of the chain's instructions, by exact counts; " in verdict.summary


def test_small_function_fails_a_check_only_with_a_threshold() -> None:
    base, head = plain(**with_small(10.0, OTHERS - 10)), plain(**with_small(10.6, OTHERS - 10))
    report = counted(base, head)
    assert judge(report).failing_metrics == []
    assert [one.outcome for one in judge(report).function_changes] == ["regressed"]
    strict = report.model_copy(update={"thresholds": [Threshold(metric="function_ipp", margin=0.05)]})
    assert [one.function for one in judge(strict).failing_metrics] == ["small"]


def test_where_cost_moved_the_text_has_what_was_gained_without_it() -> None:
    moved = CostShift(stage="nat", name="hash", ipp=556.0, evidence="lines")
    one = FunctionJudgement(
        stage="nat",
        name="work",
        outcome=FunctionOutcome.SHIFTED,
        by="instructions",
        base_ipp=563.0,
        head_ipp=16.0,
        added_ipp=9.0,
        chain_share=0.015,
        shifted_to=[moved],
    )
    assert function_text(one) == (
        "nat: work shifted by instructions, 563.0 to 16.0 instructions/packet (+9.0 without what moved; "
        "+1.5 % of the chain); moved to hash 556.0 (lines)"
    )
    assert "(+129 %; +1.5 % of the chain)" in function_text(one.model_copy(update={"shifted_to": []}))
