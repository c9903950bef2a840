# SPDX-License-Identifier: Apache-2.0
import pytest
from nalm_core.report.defaults import MIN_PAIRS, TRIM_SHARE
from nalm_core.report.rounds import kept_rounds, pair_launches, set_aside_reason
from nalm_core.report.run_report import Arm
from nalm_synthetic import TSC_HZ, Noise, Side, changed, make_report


def one_round(**lcore_values: int):
    report = make_report(Side(), noise=Noise(launch=0, turn=0), launches=1, turns=1)
    one = report.rounds[0]
    return one.model_copy(update={"lcores": [one.lcores[0].model_copy(update=lcore_values)]})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, None),
        ({"major_faults": 1}, "major page faults"),
        ({"minor_faults": 10}, None),
        ({"minor_faults": 5000}, "page faults per second"),
        ({"speed_before": 1000, "speed_after": 1010}, None),
        ({"speed_before": 1000, "speed_after": 1100}, "speed changed by -9.1 %"),
        ({"involuntary_switches": 1}, None),
        ({"involuntary_switches": 2000}, "involuntary switches"),
        ({"turn_wall_ns": 0}, "no length"),
        ({"turn_tsc_cycles": 1}, "disagree"),
        ({"turn_cpu_ns": 1_000_000}, "other programs or guests took"),
    ],
)
def test_the_rule_for_setting_aside(values: dict[str, int], words: str | None) -> None:
    reason = set_aside_reason(one_round(**values), TSC_HZ)
    if words is None:
        assert reason is None
    else:
        assert reason is not None and words in reason


def disturb(report, launch: int, turns: range, factor: int, reason: str | None):
    """Head's rounds cost factor times as much in some turns, and may be marked as set aside."""

    def one(found):
        if found.arm is not Arm.HEAD or found.launch != launch or found.turn not in turns:
            return found
        lcores = [lc.model_copy(update={"busy_cycles": lc.busy_cycles * factor}) for lc in found.lcores]
        return found.model_copy(update={"lcores": lcores, "set_aside": reason})

    return report.model_copy(update={"rounds": [one(found) for found in report.rounds]})


def test_rounds_set_aside_take_no_part_nor_do_their_partners() -> None:
    report = disturb(make_report(changed(), launches=4, turns=8), 2, range(8 - MIN_PAIRS + 1), 9, "stolen")
    assert len(kept_rounds(report, Arm.HEAD)) == 4 * 8 - (8 - MIN_PAIRS + 1)
    assert [one.launch for one in pair_launches(report, Arm.BASE, Arm.HEAD)] == [0, 1, 3]


def test_a_few_wild_turns_do_not_move_a_launch() -> None:
    quiet = make_report(changed(), launches=1, turns=16)
    wild = disturb(quiet, 0, range(int(16 * TRIM_SHARE)), 5, None)
    (before,), (after,) = (pair_launches(report, Arm.BASE, Arm.HEAD) for report in (quiet, wild))
    assert after.head_cpp() / after.base_cpp() == pytest.approx(
        before.head_cpp() / before.base_cpp(), rel=0.01
    )


def test_clean_pairs_are_preferred() -> None:
    report = make_report(changed(), launches=1, turns=16, noise=Noise(launch=0, turn=0, stolen=0.1))
    clean = make_report(changed(nat=200.0), launches=1, turns=8, noise=Noise(launch=0, turn=0))
    mixed = [one for one in report.rounds if one.turn >= 8] + clean.rounds
    (launch,) = pair_launches(report.model_copy(update={"rounds": mixed}), Arm.BASE, Arm.HEAD)
    assert launch.head_cpp("nat") == pytest.approx(200, rel=1e-3)
    (launch,) = pair_launches(report, Arm.BASE, Arm.HEAD)
    assert launch.head_cpp("nat") == pytest.approx(150, rel=1e-3)


@pytest.mark.parametrize(("disturbed", "taken"), [(1, 3), (2, 4)])
def test_launches_with_clean_pairs_are_preferred_if_there_are_enough(disturbed: int, taken: int) -> None:
    clean = make_report(changed(), launches=4, turns=8)
    busy = make_report(changed(), launches=4, turns=8, noise=Noise(stolen=0.2))
    rounds = [one for one in busy.rounds if one.launch < disturbed]
    rounds += [one for one in clean.rounds if one.launch >= disturbed]
    found = pair_launches(clean.model_copy(update={"rounds": rounds}), Arm.BASE, Arm.HEAD)
    assert [one.launch for one in found] == list(range(4 - taken, 4))
