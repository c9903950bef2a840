# SPDX-License-Identifier: Apache-2.0
"""Functions by samples, which decide where they show a change or its absence."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import log

from nalm_core.functions.cycles import CycleTest
from nalm_core.functions.margins import Margins
from nalm_core.functions.model import FunctionJudgement, FunctionOutcome, Key
from nalm_core.functions.shifts import Move, groups
from nalm_core.report.defaults import FUNCTION_SHARE

UNSURE = "its instructions were not counted, and samples show neither a change nor its absence"


def units_of(counted: Mapping[Key, FunctionJudgement], keys: Collection[Key]) -> dict[Key, frozenset[Key]]:
    """Each function with those that cost moved between: their cycles are tested as one."""
    found = [
        Move((m.stage, m.name), key, m.ipp, m.evidence)
        for key, one in counted.items()
        for m in one.shifted_from
    ]
    units = {key: frozenset((key,)) for key in sorted(keys, key=str)}
    for group in groups(found):
        units |= dict.fromkeys(group, frozenset(group))
    return units


def with_cycles(
    key: Key,
    counted: FunctionJudgement | None,
    test: CycleTest | None,
    margins: Margins,
    *,
    chain: float,
    alone: bool,
) -> FunctionJudgement:
    """The judgement by samples where they decide, else by counts.

    chain: CPP of base's chain. alone: the test is of this function, and not of those that cost moved between.
    """
    one = counted or FunctionJudgement(
        stage=key[0], name=key[1], outcome=FunctionOutcome.INCONCLUSIVE, by="cycles", reason=UNSURE
    )
    if test is None:
        return one
    update: dict[str, object] = {
        "base_cpp": test.base_cpp,
        "head_cpp": test.head_cpp,
        "low": test.low,
        "high": test.high,
        "p_value": test.p_value,
        "significant": test.significant,
    }
    outcome = _by_samples(test, margins.of(key[0]), chain)
    if outcome is not None and (alone or _is_of_the_sum(one, outcome)):
        update |= {"outcome": outcome, "by": "cycles", "reason": None, "alarms": False}
    return one.model_copy(update=update)


def _is_of_the_sum(one: FunctionJudgement, outcome: FunctionOutcome) -> bool:
    """Whether a function has the outcome of the sum over all that cost moved between, which is what their
    samples show: the sum grew where code came, and fell where it left. A sum that is the same says nothing of
    one of them: counts say what moved, and what was added beside."""
    if outcome is FunctionOutcome.SAME:
        return False
    return bool(one.shifted_from if outcome is FunctionOutcome.REGRESSED else one.shifted_to)


def _by_samples(test: CycleTest, margin: float, chain: float) -> FunctionOutcome | None:
    """None: samples decide nothing."""
    if test.base_cpp <= 0 or test.head_cpp <= 0:
        size = log(1 + margin)
    else:
        size = abs(log(test.head_cpp / test.base_cpp))
    grown = test.head_cpp - test.base_cpp
    if test.significant and size >= log(1 + margin) and abs(grown) >= FUNCTION_SHARE * chain:
        return FunctionOutcome.REGRESSED if grown > 0 else FunctionOutcome.IMPROVED
    if 1 / (1 + margin) < test.low and test.high < 1 + margin:
        return FunctionOutcome.SAME
    return None
