# SPDX-License-Identifier: Apache-2.0
"""Costs in cycles of a core that runs at another rate than the TSC."""

from __future__ import annotations

import pytest
from nalm_core.report.counters import core_clock, mean_clock
from nalm_core.report.event_counts import EventCount
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.summary import summarise
from nalm_core.verdict.verdict import judge
from nalm_synthetic import COSTS, IPPS, LOOP_INSTRUCTIONS, Noise, changed, make_report

SPEED = 800_000
"""TSC cycles of a million additions: the core runs at 1.25 of the TSC's rate."""
CPP, IPP = sum(COSTS.values()), sum(IPPS.values()) + LOOP_INSTRUCTIONS


def at_speed(before: int | None, after: int | None, report: RunReport | None = None) -> RunReport:
    report = report or make_report(changed(), noise=Noise(0, 0))
    rounds = [
        one.model_copy(
            update={
                "lcores": [
                    lcore.model_copy(update={"speed_before": before, "speed_after": after})
                    for lcore in one.lcores
                ]
            }
        )
        for one in report.rounds
    ]
    return report.model_copy(update={"rounds": rounds})


def test_costs_in_core_cycles() -> None:
    summary = summarise(at_speed(SPEED, SPEED), Arm.HEAD)
    chain = {name: one.value for name, one in summary.chain.items()}
    assert chain["cpp"] == pytest.approx(CPP, rel=1e-4)
    assert chain["core_clock"] == pytest.approx(1.25)
    assert chain["core_cpp"] == pytest.approx(1.25 * CPP, rel=1e-4)
    assert chain["core_eipc"] == pytest.approx(IPP / CPP / 1.25, rel=1e-4)
    nat = {name: one.value for name, one in summary.stages["nat"].items()}
    assert nat["core_cpp"] == pytest.approx(1.25 * COSTS["nat"], rel=1e-4)
    assert nat["core_eipc"] == pytest.approx(IPPS["nat"] / COSTS["nat"] / 1.25, rel=1e-4)


def test_a_core_that_slows_down_keeps_its_core_cycles() -> None:
    """The same work takes more TSC cycles on a slower core, and the same number of core cycles."""
    fast = at_speed(1_000_000, 1_000_000)
    slower = changed(**{name: cost * 1.5 for name, cost in COSTS.items()})
    slow = at_speed(1_500_000, 1_500_000, make_report(slower, noise=Noise(0, 0)))
    one, other = (summarise(report, Arm.HEAD).chain for report in (fast, slow))
    assert other["cpp"].value == pytest.approx(1.5 * one["cpp"].value, rel=1e-4)
    for name in ("core_cpp", "core_eipc"):
        assert other[name].value == pytest.approx(one[name].value, rel=1e-4)


def test_lcores_weigh_as_their_cycles_and_idle_ones_not_at_all() -> None:
    round_ = at_speed(SPEED, SPEED).rounds[0]
    lcore = round_.lcores[0]
    half = lcore.model_copy(
        update={
            "lcore": 1,
            "busy_cycles": lcore.busy_cycles // 2,
            "speed_before": 2**20,
            "speed_after": 2**20,
        }
    )
    generator = lcore.model_copy(update={"lcore": 2, "busy_cycles": 0, "speed_before": None})
    both = round_.model_copy(update={"lcores": [lcore, half, generator]})
    assert core_clock(both) == pytest.approx((1.25 + 0.5 * 1e6 / 2**20) / 1.5, rel=1e-4)
    without_graph = half.model_copy(update={"speed_after": None})
    assert core_clock(round_.model_copy(update={"lcores": [lcore, without_graph]})) is None


def test_an_unknown_clock_is_missing_and_said() -> None:
    report = at_speed(SPEED, None)
    summary = summarise(report, Arm.HEAD)
    for figures in (summary.chain, *summary.stages.values()):
        assert not {"core_cpp", "core_eipc", "core_clock"} & set(figures)
    assert mean_clock(report.rounds, Arm.HEAD) is None
    assert any("core cycles are missing" in note for note in judge(report).notes)


def counted(report: RunReport, **events: int) -> RunReport:
    """The same with the PMU's counts of a launch, spread evenly over the stages."""
    names = [stage.name for stage in report.arms[Arm.HEAD].stages if not stage.apart]
    stages = {name: {event: value // len(names) for event, value in events.items()} for name in names}
    count = EventCount(arm=Arm.HEAD, launch=90, packets=100, stages=stages)
    return report.model_copy(update={"event_counts": [count]})


def test_core_cycles_of_the_pmu_stand_where_the_probe_did_not_time_the_core() -> None:
    report = counted(at_speed(SPEED, None), cycles=60_000, instructions=90_000)
    summary = summarise(report, Arm.HEAD)
    for figures, cpp in ((summary.chain, 600), (summary.stages["nat"], 600 / len(summary.stages))):
        assert (figures["core_cpp"].value, figures["core_cpp"].source) == (pytest.approx(cpp), "pmu")
        assert (figures["core_eipc"].value, figures["core_eipc"].source) == (pytest.approx(1.5), "pmu")
    assert "core_clock" not in summary.chain
    (note,) = (one for one in judge(report).notes if "TSC" in one)
    assert "did not measure the core's clock" in note and "missing" not in note
    assert "The PMU counted 600.0 core cycles per packet of head in user space, eIPC 1.500." in note


def test_the_probes_clock_goes_before_the_pmus_launch() -> None:
    report = counted(at_speed(SPEED, SPEED), cycles=60_000)
    summary = summarise(report, Arm.HEAD)
    assert summary.chain["core_cpp"].value == pytest.approx(1.25 * CPP, rel=1e-4)
    assert summary.chain["core_cpp"].source == "tsc"
    (note,) = (one for one in judge(report).notes if "TSC" in one)
    assert "by the probe's chain of additions" in note
    assert note.endswith("The PMU counted 600.0 core cycles per packet of head in user space.")


def test_instructions_alone_give_no_core_cycles() -> None:
    report = counted(at_speed(SPEED, None), instructions=90_000)
    assert "core_cpp" not in summarise(report, Arm.HEAD).chain
    assert any("core cycles are missing" in note for note in judge(report).notes)


def test_the_verdict_names_tsc_cycles_where_the_clocks_differ() -> None:
    (note,) = (one for one in judge(at_speed(SPEED, SPEED)).notes if "TSC" in one)
    assert "1.250 of the TSC's rate" in note
    assert f"CPP {1.25 * CPP:.1f} and eIPC {IPP / CPP / 1.25:.3f}" in note
    assert not any("TSC" in one for one in judge(at_speed(1_004_000, 1_004_000)).notes)
