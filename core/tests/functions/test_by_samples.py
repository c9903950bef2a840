# SPDX-License-Identifier: Apache-2.0
"""Samples of functions that code moved between show their sum, which no single one of them has."""

from __future__ import annotations

import pytest
from nalm_core.functions.by_samples import with_cycles
from nalm_core.functions.cycles import CycleTest
from nalm_core.functions.margins import Margins
from nalm_core.functions.model import CostShift, FunctionJudgement, FunctionOutcome

SAME = CycleTest(base_cpp=400, head_cpp=400, low=0.97, high=1.03, p_value=0.9, significant=False)
MOVED = [CostShift(stage="nat", name="other", ipp=50, evidence="calls")]


def counted(outcome: FunctionOutcome, *, came: bool) -> FunctionJudgement:
    """A function that code came into, or left."""
    return FunctionJudgement(
        stage="nat",
        name="f",
        outcome=outcome,
        by="instructions",
        base_ipp=100,
        head_ipp=130,
        added_ipp=30,
        chain_share=0.1,
        shifted_from=MOVED if came else [],
        shifted_to=[] if came else MOVED,
        alarms=outcome is FunctionOutcome.REGRESSED,
    )


@pytest.mark.parametrize("came", [True, False])
@pytest.mark.parametrize("outcome", [FunctionOutcome.SHIFTED, FunctionOutcome.REGRESSED])
def test_a_sum_that_is_the_same_leaves_each_function_its_outcome(
    outcome: FunctionOutcome, came: bool
) -> None:
    before = counted(outcome, came=came)
    found = with_cycles(before.key, before, SAME, Margins(), chain=500, alone=False)
    assert (found.outcome, found.by, found.alarms) == (outcome, "instructions", before.alarms)
    assert (found.low, found.high) == (SAME.low, SAME.high)
    alone = with_cycles(before.key, before, SAME, Margins(), chain=500, alone=True)
    assert (alone.outcome, alone.by, alone.alarms) == (FunctionOutcome.SAME, "cycles", False)
