# SPDX-License-Identifier: Apache-2.0
"""Exact changes of instructions: named with their size whether or not cycles follow."""

from math import expm1
from pathlib import Path

import pytest
from nalm_core.report.defaults import INSTRUCTION_CHANGE, MARGIN
from nalm_core.report.run_report import Arm, FunctionCount, RunReport
from nalm_core.report.serialization import parse_report
from nalm_core.verdict.instruction_change import OUTSIDE, instruction_changes
from nalm_core.verdict.verdict import judge
from nalm_synthetic import IPPS, LOOP_INSTRUCTIONS, Side, changed, make_report

BUSY = "fixtures/v1-inconclusive-busy_host.json"
CHAIN_IPP = sum(IPPS.values()) + LOOP_INSTRUCTIONS


def with_functions(report: RunReport, arm: Arm, stage: str, *functions: FunctionCount) -> RunReport:
    counts = [
        count.model_copy(update={"functions": {stage: list(functions)}}) if count.arm is arm else count
        for count in report.instructions
    ]
    return report.model_copy(update={"instructions": counts})


def test_a_change_far_below_the_margin_is_named_and_decides_nothing() -> None:
    verdict = judge(make_report(changed(ipp={"nat": IPPS["nat"] + 2})))
    (found,) = verdict.instruction_changes
    assert verdict.outcome == "same" and verdict.culprit_stages == []
    assert (found.stage, found.relevant) == ("nat", False)
    assert found.chain_share == pytest.approx(2 / CHAIN_IPP)
    assert found.ln_ipp is not None and expm1(found.ln_ipp) == pytest.approx(2 / IPPS["nat"])
    assert "nat: +0.61 % instructions" in verdict.summary


def test_relevance_is_a_share_of_the_margin() -> None:
    report = make_report(changed(ipp={"l3fwd": IPPS["l3fwd"] + round(CHAIN_IPP * MARGIN)}))
    (found,) = instruction_changes(report, Arm.HEAD)
    assert found.relevant and found.stage == "l3fwd"


def test_the_largest_change_comes_first_and_nothing_is_made_of_less_than_the_threshold() -> None:
    report = make_report(changed(ipp={"nat": IPPS["nat"] - 5, "tx": IPPS["tx"] + 30}))
    assert [change.stage for change in instruction_changes(report, Arm.HEAD)] == ["tx", "nat"]
    assert instruction_changes(make_report(changed()), Arm.HEAD) == []
    huge = {name: ipp * 1000 for name, ipp in IPPS.items()}
    tiny = round(sum(huge.values()) * INSTRUCTION_CHANGE / 2)
    report = make_report(Side(ipps=huge | {"nat": huge["nat"] + tiny}), Side(ipps=huge))
    assert instruction_changes(report, Arm.HEAD) == []


def test_instructions_outside_stages_are_a_change_of_their_own() -> None:
    report = make_report(changed())
    counts = [
        count.model_copy(update={"unattributed": count.unattributed + 3 * count.packets})
        if count.arm is Arm.HEAD
        else count
        for count in report.instructions
    ]
    (found,) = instruction_changes(report.model_copy(update={"instructions": counts}), Arm.HEAD)
    assert found.stage == OUTSIDE
    assert found.head_ipp is not None and found.base_ipp is not None
    assert found.head_ipp - found.base_ipp == pytest.approx(3)


def test_functions_that_moved_most_are_named_with_their_calls() -> None:
    report = make_report(changed(ipp={"nat": IPPS["nat"] + 40}))
    packets = report.instructions[0].packets
    lookup = FunctionCount(name="lookup", instructions=100 * packets, calls=packets)
    slower = FunctionCount(name="lookup", instructions=130 * packets, calls=2 * packets)
    log = FunctionCount(name="log_drop", instructions=10 * packets, calls=packets)
    steady = FunctionCount(name="nat_process", instructions=200 * packets, calls=packets // 32)
    report = with_functions(report, Arm.BASE, "nat", steady, lookup)
    report = with_functions(report, Arm.HEAD, "nat", steady, slower, log)
    (found,) = instruction_changes(report, Arm.HEAD)
    assert [function.name for function in found.functions] == ["lookup", "log_drop"]
    assert found.functions[0].base_calls == 1 and found.functions[0].head_calls == 2
    assert found.functions[1].base_ipp is None and found.functions[1].head_ipp == 10


def test_uncounted_arms_have_no_changes() -> None:
    assert instruction_changes(make_report(changed(Side(ipps=None))), Arm.HEAD) == []


def test_undecided_cycles_of_equal_instructions_say_so() -> None:
    report = parse_report(Path(__file__).parents[1].joinpath(BUSY).read_bytes())
    base = next(one for one in report.instructions if one.arm is Arm.BASE)
    assert "No stage's instructions changed" not in judge(report).reason
    equal = report.model_copy(update={"instructions": [base, base.model_copy(update={"arm": Arm.HEAD})]})
    verdict = judge(equal)
    assert verdict.outcome == "inconclusive" and "No stage's instructions changed, by exact" in verdict.reason
    assert verdict.failing_metrics == []
