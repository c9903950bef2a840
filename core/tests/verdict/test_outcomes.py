# SPDX-License-Identifier: Apache-2.0
"""What became of packets: facts where arms repeat their figures, tests over launches where they do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from nalm_core.findings.expectation import expected_outcomes
from nalm_core.report.run_report import Arm, Replay, ReplayedStage, Round, RunReport
from nalm_core.verdict.checks import checks_of
from nalm_core.verdict.packet_outcomes import UNNAMED, outcome_changes
from nalm_core.verdict.verdict import judge
from nalm_synthetic import GENERATOR, PACKETS, Side, changed, make_report

ALL = 204_800


def replay(arm: Arm, number: int, **drops: int) -> Replay:
    """nat drops packets by name; `vanished` ones have no outcome, `forgotten` ones go to no next stage."""
    named = {"denied": 20_000, "no_port": 0} | {
        name: count for name, count in drops.items() if name in ("denied", "no_port")
    }
    vanished, forgotten = drops.get("vanished", 0), drops.get("forgotten", 0)
    passed = ALL - sum(named.values()) - vanished
    sent = passed - forgotten + drops.get("under_way", 0)
    stages = {
        GENERATOR: ReplayedStage(packets=ALL),
        "rx": ReplayedStage(packets=ALL, outcomes={"passed": ALL}),
        "nat": ReplayedStage(packets=ALL, outcomes={"passed": passed, **named}),
        "l3fwd": ReplayedStage(packets=sent, outcomes={"passed": sent}),
        "tx": ReplayedStage(packets=sent, outcomes={"sent": sent}),
    }
    missing = vanished + forgotten
    levels = [missing * part // 4 for part in (1, 2, 3, 4)]
    return Replay(arm=arm, number=number, stages=stages, under_way=levels)


def replayed(
    head: Sequence[dict[str, int]], base: Sequence[dict[str, int]] = ({}, {}), head_side: Side | None = None
) -> RunReport:
    report = make_report(head_side or changed(), launches=1)
    replays = [
        replay(arm, number, **drops)
        for arm, each in ((Arm.BASE, base), (Arm.HEAD, head))
        for number, drops in enumerate(each)
    ]
    return report.model_copy(update={"replays": replays, "rounds": [], "checks": []})


def failed(report: RunReport) -> str:
    """What same_share_forwarded says if it failed, else nothing."""
    found = {check.name: check for check in checks_of(report)}["same_share_forwarded"]
    return "" if found.passed else found.message


@pytest.mark.parametrize("lost", [512, 20, 1])
def test_packets_that_base_forwards_and_head_drops_are_a_fact(lost: int) -> None:
    report = replayed([{"no_port": lost}] * 2)
    said = f"nat: {lost} of 204,800 packets `no_port` on head, 0 on base"
    assert said in failed(report)
    verdict = judge(report)
    assert verdict.outcome == "broken" and said in verdict.reason
    assert verdict.outcome_changes[0].lost and verdict.outcome_changes[0].exact


def test_a_rule_that_refuses_what_base_forwards_is_loss_too() -> None:
    assert "nat: 20,512 of 204,800 packets `denied` on head, 20,000 on base" in failed(
        replayed([{"denied": 20_512}] * 2)
    )


def test_packets_without_an_outcome_are_named_with_their_stage() -> None:
    assert "nat: 512 of 204,800 packets without an outcome on head" in failed(
        replayed([{"vanished": 512}] * 2)
    )
    assert "nat: 512 of 204,800 packets passed on and not seen again on head" in failed(
        replayed([{"forgotten": 512}] * 2)
    )


def test_the_same_outcomes_are_said_to_be_the_same() -> None:
    report = replayed([{}, {}])
    check = {one.name: one for one in checks_of(report)}["same_share_forwarded"]
    assert check.passed and check.message == "the same packets have the same outcomes in all arms"
    assert judge(report).outcome_changes == []


def test_an_outcome_that_changes_without_loss_is_named_and_not_broken() -> None:
    report = replayed([{"denied": 19_900, "no_port": 100}] * 2)
    assert failed(report) == ""
    verdict = judge(report.model_copy(update={"rounds": make_report(changed(), launches=6).rounds}))
    assert verdict.outcome not in ("broken", "invalid")
    assert "nat: 100 of 204,800 packets `no_port` on head, 0 on base" in verdict.reason
    assert "nat" in verdict.summary.rpartition(";")[2]


def test_a_base_that_does_not_repeat_itself_makes_no_fact() -> None:
    wavering = [{"no_port": 3}, {"no_port": 0}, {"no_port": 7}, {}, {}]
    assert failed(replayed([{"no_port": 5}] * 5, wavering)) == ""
    assert failed(replayed(wavering, [{}] * 5)) == ""


def test_batches_of_another_size_end_a_replay_elsewhere() -> None:
    report = replayed([{}, {}])
    ends_later = [
        one.model_copy(
            update={
                "under_way": [64, 32, 64, 64],
                "stages": one.stages | {"tx": ReplayedStage(packets=184_736, outcomes={"sent": 184_736})},
            }
        )
        if one.arm is Arm.HEAD
        else one
        for one in report.replays
    ]
    assert failed(report.model_copy(update={"replays": ends_later})) == ""


def test_declared_loss_is_not_broken_up_to_its_bound() -> None:
    report = replayed([{"no_port": 512}] * 2)
    said = ["nat: fewer ports\n\nNalm-Expect: sfc_* nat:no_port +0.3% fewer ports for a subscriber"]
    within = report.model_copy(update={"expected_outcomes": expected_outcomes(said, "sfc_a")})
    assert failed(within) == ""
    assert judge(within).outcome_changes[0].expected == "fewer ports for a subscriber"
    beyond = replayed([{"no_port": 700}] * 2).model_copy(
        update={"expected_outcomes": within.expected_outcomes}
    )
    assert "700 of 204,800" in failed(beyond)
    assert expected_outcomes(said, "other") == []


def test_with_other_features_only_lost_resources_count() -> None:
    more = Side(features=["nat", "acl", "l3fwd"], code="b")
    assert failed(replayed([{"denied": 40_000}] * 2, head_side=more)) == ""
    assert "`no_port`" in failed(replayed([{"no_port": 10}] * 2, head_side=more))


def dropping(report: RunReport, counts: Sequence[int], arm: Arm = Arm.HEAD) -> list[Round]:
    """Rounds whose nat drops so many packets of a turn, by launch."""

    def one(found: Round) -> Round:
        lost = counts[found.launch % len(counts)] if found.arm is arm else 0
        nat, tx = found.stages["nat"], found.stages["tx"]
        nat = nat.model_copy(update={"outcomes": {"passed": PACKETS - lost, "denied": 0, "no_port": lost}})
        tx = tx.model_copy(update={"packets": PACKETS - lost, "outcomes": {"sent": PACKETS - lost}})
        return found.model_copy(update={"stages": found.stages | {"nat": nat, "tx": tx}})

    return [one(each) for each in report.rounds]


def test_over_launches_a_loss_is_shown_and_scatter_is_not() -> None:
    report = make_report(changed(), launches=6)
    losing = outcome_changes(report.arms, [], dropping(report, [250, 240, 255, 251, 249, 250]))
    assert [(one.stage, one.outcome) for one in losing if one.lost] == [("nat", "no_port")]
    assert not losing[0].exact and "0.249 %" in losing[0].text()
    for scattered in ([3, 0, 0, 40, 0, 1], [0, 0, 0, 500, 0, 0], [1, 0, 0, 0, 0, 0]):
        assert not any(one.lost for one in outcome_changes(report.arms, [], dropping(report, scattered)))


@pytest.mark.parametrize("arm", [Arm.BASE, Arm.HEAD])
def test_rings_that_overflow_by_chance_in_one_arm_are_no_loss(arm: Arm) -> None:
    report = make_report(changed(), launches=8)
    rounds = dropping(report, [0, 120, 0, 30, 400, 0, 80, 5], arm)
    assert not any(one.lost for one in outcome_changes(report.arms, [], rounds))


def test_unnamed_packets_have_a_name_of_their_own() -> None:
    report = replayed([{"vanished": 40}] * 2)
    (change,) = [one for one in judge(report).outcome_changes if one.lost]
    assert (change.stage, change.outcome, change.unbalanced) == ("nat", UNNAMED, True)
