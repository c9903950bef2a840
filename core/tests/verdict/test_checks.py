# SPDX-License-Identifier: Apache-2.0
"""Each check passes on right numbers and fails on the fault it is for."""

from collections.abc import Callable

import pytest
from nalm_core.report.run_report import Arm, Round, RunReport
from nalm_core.verdict.checks import run_checks
from nalm_core.verdict.verdict import judge
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


def with_buffers(report, arm: Arm, level) -> object:
    """The report with buffers in use when the lcores parked, by turn."""

    def one(found):
        if found.arm is not arm:
            return found
        return found.model_copy(update={"buffers_in_use": level(found.turn)})

    return report.model_copy(update={"rounds": [one(found) for found in report.rounds], "checks": []})


@pytest.mark.parametrize(
    ("level", "passed"),
    [
        (lambda turn: 700, True),
        (lambda turn: 700 + (turn % 3) * 32, True),
        (lambda turn: min(700 + 300 * turn, 2000), True),  # rings that fill up
        (lambda turn: 700 + turn // 2, True),  # fewer than a batch
        (lambda turn: 700 + 300 * turn, False),
    ],
)
def test_buffers_that_do_not_come_back_break_the_head(level, passed: bool) -> None:
    report = with_buffers(make_report(changed(), launches=3), Arm.HEAD, level)
    found = {check.name: check for check in run_checks(report.arms, report.rounds, [], TSC_HZ)}
    assert found["buffers_returned"].passed is passed
    assert (judge(report).outcome == "broken") is not passed


def test_a_base_that_leaks_is_no_fault_of_head_and_untold_buffers_make_no_check() -> None:
    report = make_report(changed(), launches=3)
    assert "buffers_returned" not in {c.name for c in run_checks(report.arms, report.rounds, [], TSC_HZ)}
    leaking = with_buffers(report, Arm.BASE, lambda turn: 700 + 300 * turn)
    assert all(check.passed for check in run_checks(leaking.arms, leaking.rounds, [], TSC_HZ))


def on_two_lcores(report, *, apart_on_first: bool, second_idle: float):
    """Each round's work shared out: 60 % on an lcore with the generator or not, 40 % on one that waits."""

    def one(found):
        (lc,) = found.lcores
        wall = lc.turn_tsc_cycles
        first_busy = round(lc.busy_cycles * 0.6)
        apart = wall - first_busy if apart_on_first else 0
        wall = wall if apart_on_first else first_busy
        second = round(wall * (1 - second_idle))
        ns = round(wall / TSC_HZ * 1e9)
        shared = {"turn_tsc_cycles": wall, "turn_wall_ns": ns, "turn_cpu_ns": ns}
        lcores = [
            lc.model_copy(update={"busy_cycles": first_busy, "apart_cycles": apart, **shared}),
            lc.model_copy(
                update={
                    "lcore": 1,
                    "busy_cycles": second,
                    "idle_cycles": wall - second,
                    "apart_cycles": 0,
                    **shared,
                }
            ),
        ]
        return found.model_copy(update={"lcores": lcores})

    return [one(found) for found in report.rounds]


@pytest.mark.parametrize("apart_on_first", [True, False])
def test_eq6_holds_on_two_lcores_whichever_carries_the_generator(apart_on_first: bool) -> None:
    report = make_report(changed(), launches=2)
    rounds = on_two_lcores(report, apart_on_first=apart_on_first, second_idle=0.4)
    found = {check.name: check for check in run_checks(report.arms, rounds, [], TSC_HZ)}
    assert found["eq6_closes"].passed and found["generator_honest"].passed
    lame = [
        one.model_copy(
            update={
                "lcores": [
                    lc.model_copy(update={"idle_cycles": lc.busy_cycles, "busy_cycles": lc.busy_cycles // 2})
                    for lc in one.lcores
                ]
            }
        )
        for one in rounds
    ]
    assert not {c.name: c for c in run_checks(report.arms, lame, [], TSC_HZ)}["generator_honest"].passed
