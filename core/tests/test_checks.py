# SPDX-License-Identifier: Apache-2.0
"""Each check passes on right numbers and fails on the fault it is for."""

from collections.abc import Callable

import pytest
from nalm_core.checks import run_checks
from nalm_core.report import Arm, Round, RunReport
from nalm_core.verdict import judge
from nalm_synthetic import TSC_HZ, Side, changed, make_report

NAMES = ["eq6_closes", "stages_add_up", "packets_conserved", "generator_honest", "same_share_forwarded"]


def with_rounds(report: RunReport, change: Callable[[Round], Round]) -> RunReport:
    rounds = [change(one) if one.arm is Arm.HEAD else one for one in report.rounds]
    return report.model_copy(update={"rounds": rounds, "checks": []})


def lcore(one: Round, **factors: float) -> Round:
    old = one.lcores[0]
    new = {name: round(getattr(old, name) * factor) for name, factor in factors.items()}
    return one.model_copy(update={"lcores": [old.model_copy(update=new)]})


def idle(one: Round, share: float) -> Round:
    old = one.lcores[0]
    cycles = round(old.busy_cycles * share / (1 - share))
    wall = old.turn_wall_ns + round(cycles / TSC_HZ * 1e9)
    new = {
        "idle_cycles": cycles,
        "turn_wall_ns": wall,
        "turn_cpu_ns": wall,
        "turn_tsc_cycles": old.turn_tsc_cycles + cycles,
    }
    return one.model_copy(update={"lcores": [old.model_copy(update=new)]})


def stage(one: Round, name: str, **values: object) -> Round:
    return one.model_copy(update={"stages": {**one.stages, name: one.stages[name].model_copy(update=values)}})


def outcomes(one: Round, name: str) -> dict[str, int]:
    return one.stages[name].outcomes


FAULTS = [
    ("eq6_closes", lambda one: lcore(one, turn_wall_ns=1.02, turn_cpu_ns=1.02)),
    ("stages_add_up", lambda one: stage(one, "nat", cycles=round(one.stages["nat"].cycles * 1.01))),
    ("packets_conserved", lambda one: stage(one, "tx", packets=one.stages["tx"].packets - 500)),
    ("generator_honest", lambda one: stage(one, "gen", packets=one.stages["gen"].packets * 2)),
    ("generator_honest", lambda one: idle(one, 0.2)),
]


def test_right_numbers_pass_all_checks() -> None:
    report = make_report(changed(), launches=3)
    checks = run_checks(report.arms, report.rounds, report.instructions, TSC_HZ)
    assert [check.name for check in checks] == NAMES
    assert [check.name for check in checks if not check.passed] == []


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_fault_fails_its_check_and_makes_the_run_invalid(
    name: str, fault: Callable[[Round], Round]
) -> None:
    report = with_rounds(make_report(changed(), launches=6), fault)
    checks = run_checks(report.arms, report.rounds, report.instructions, TSC_HZ)
    assert [check.name for check in checks if not check.passed] == [name]
    verdict = judge(report)
    assert verdict.outcome == "invalid"
    assert name in verdict.reason and "head" in verdict.reason


def test_little_idle_time_is_no_starvation_and_eq6_still_closes() -> None:
    report = with_rounds(make_report(changed(), launches=3), lambda one: idle(one, 0.03))
    checks = run_checks(report.arms, report.rounds, report.instructions, TSC_HZ)
    assert [check.name for check in checks if not check.passed] == []


@pytest.mark.parametrize("head", [Side(policy_share=0.3), Side(lost_share=0.3), Side(policy_share=1.0)])
def test_a_head_that_forwards_another_share_is_broken_not_fast(head: Side) -> None:
    head.code = "b"
    head.costs = {name: cost / 2 for name, cost in head.costs.items()}
    verdict = judge(make_report(head, launches=6))
    assert verdict.outcome == "broken"
    assert "base" in verdict.reason


def test_a_new_feature_may_drop_by_policy() -> None:
    head = Side(features=["nat", "acl", "l3fwd"], code="b", policy_share=0.3)
    report = make_report(head, head_as_base=changed(), launches=6)
    assert [check.name for check in report.checks if not check.passed] == []
    losing = make_report(Side(features=["acl"], code="b", lost_share=0.3), head_as_base=changed(), launches=6)
    assert [check.name for check in losing.checks if not check.passed] == ["same_share_forwarded"]


def test_checks_are_not_made_without_figures() -> None:
    report = make_report(changed(), launches=1)
    assert run_checks(report.arms, [], [], TSC_HZ) == []


def test_an_agents_passed_check_does_not_hide_a_fault() -> None:
    name, fault = FAULTS[0]
    report = make_report(changed(), launches=6)
    lying = with_rounds(report, fault).model_copy(update={"checks": report.checks})
    assert all(check.passed for check in lying.checks)
    assert judge(lying).outcome == "invalid" and name in judge(lying).reason
