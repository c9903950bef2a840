# SPDX-License-Identifier: Apache-2.0
"""Chains measured in turns without the probe's marks: judged by these, stages by turns with marks."""

from __future__ import annotations

import numpy as np
import pytest
from nalm_core.report.rounds import pair_launches
from nalm_core.report.run_report import Arm, BareTurn, LcoreCounters, LcoreTurn, RunReport
from nalm_core.report.serialization import dump_report, parse_report
from nalm_core.report.summary import summarise
from nalm_core.verdict.verdict import judge
from nalm_synthetic import PACKETS, TSC_HZ, Side, changed, make_report

TRUE = {"rx": 15.0, "nat": 30.0, "tx": 15.0}
"""Cycles of a chain of 60 per packet."""
IPPS = {"rx": 40, "nat": 90, "tx": 40}


def with_marks(costs: dict[str, float], marks: float) -> dict[str, float]:
    """Each stage pays a third of the marks."""
    return {name: value + marks / len(costs) for name, value in costs.items()}


def measured(base_marks: float, head_marks: float, growth: float = 1.0) -> RunReport:
    """A run whose arms cost 60 and 60 * growth cycles per packet, in addition to their marks."""
    base = Side(with_marks(TRUE, base_marks), dict(IPPS), ["nat"])
    head = Side(with_marks({**TRUE, "nat": 30.0 + 60 * (growth - 1)}, head_marks), dict(IPPS), ["nat"], "b")
    report = make_report(head, base, launches=12)
    rng = np.random.default_rng(5)
    arms = {Arm.BASE: 60.0, Arm.HEAD: 60.0 * growth}
    bare = [
        turn_of(arm, launch, turn, cpp * float(np.exp(rng.normal(0, 0.004))))
        for launch in range(12)
        for turn in range(16)
        for arm, cpp in arms.items()
    ]
    return report.model_copy(update={"bare_turns": bare})


def turn_of(arm: Arm, launch: int, turn: int, cpp: float) -> BareTurn:
    cycles = round(PACKETS * cpp)
    wall = round(cycles / TSC_HZ * 1e9)
    lcore = LcoreTurn(
        lcore=0,
        packets=PACKETS,
        turn_tsc_cycles=cycles,
        turn_wall_ns=wall,
        turn_cpu_ns=wall,
        involuntary_switches=0,
        voluntary_switches=0,
        minor_faults=0,
        major_faults=0,
    )
    return BareTurn(launch=launch, turn=turn, arm=arm, lcores=[lcore])


def test_marks_that_cost_base_more_make_no_improvement() -> None:
    report = measured(base_marks=6.0, head_marks=1.0)
    assert judge(report.model_copy(update={"bare_turns": []})).outcome == "improved"
    verdict = judge(report)
    assert verdict.outcome == "same"
    assert verdict.chain is not None and verdict.chain.base is not None
    assert verdict.chain.base.cpp == pytest.approx(60, rel=0.01)
    said = next(note for note in verdict.notes if note.startswith("The probe's marks cost"))
    costs = [float(word) for word in said.split() if word.replace(".", "").isdigit()]
    assert costs == [pytest.approx(6, abs=0.5), pytest.approx(1, abs=0.5)]


def test_the_size_is_that_of_the_program_alone() -> None:
    verdict = judge(measured(base_marks=6.0, head_marks=1.0, growth=1.10))
    assert verdict.outcome == "regressed"
    assert verdict.chain is not None
    assert verdict.chain.ratio_cpp == pytest.approx(1.10, abs=0.01)
    assert verdict.stages[1].base is not None and verdict.stages[1].base.cpp == pytest.approx(32, rel=0.02)


def test_few_or_idle_turns_without_marks_are_not_used() -> None:
    report = measured(6.0, 1.0)
    some = [one for one in report.bare_turns if one.launch < 5]
    few = report.model_copy(update={"bare_turns": some})
    assert all(one.bare is None for one in pair_launches(few, Arm.BASE, Arm.HEAD))

    def as_idle(core: LcoreCounters) -> LcoreCounters:
        return core.model_copy(update={"idle_cycles": core.busy_cycles})

    idle = [
        one.model_copy(update={"lcores": [as_idle(core) for core in one.lcores]}) for one in report.rounds
    ]
    waiting = report.model_copy(update={"rounds": idle})
    assert all(one.bare is None for one in pair_launches(waiting, Arm.BASE, Arm.HEAD))


def test_histories_without_marks_are_series_of_their_own() -> None:
    report = measured(6.0, 1.0)
    found = summarise(report, Arm.BASE)
    assert found.chain["cpp"].value == pytest.approx(60, rel=0.01)
    assert found.chain["cpp"].source == "tsc/unmarked"
    assert len(found.chain["cpp"].samples) == len(found.rounds)
    assert found.chain["pps"].value == pytest.approx(TSC_HZ / 60, rel=0.02)
    assert found.stages["nat"]["cpp"].value == pytest.approx(32, rel=0.02)
    assert found.stages["nat"]["cpp"].source == "tsc"


def test_a_report_keeps_them_and_an_older_form_has_none() -> None:
    report = measured(6.0, 1.0)
    assert parse_report(dump_report(report)).bare_turns == report.bare_turns
    assert b"bare_turns" not in dump_report(report.model_copy(update={"bare_turns": []}))


def test_a_stage_that_nothing_explains_is_in_the_sentence() -> None:
    head = changed(rx=COSTLY_RX, nat=175.0, ipp={"nat": 380})
    verdict = judge(make_report(head))
    assert verdict.outcome == "regressed" and verdict.culprit_stages[0] == "nat"
    assert "Also changed: rx +" in verdict.reason
    assert "at equal instructions, which nothing here explains" in verdict.reason


COSTLY_RX = 22.5
