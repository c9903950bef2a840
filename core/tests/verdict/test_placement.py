# SPDX-License-Identifier: Apache-2.0
"""Placement of code: when it may be a whole change, how layouts are judged, and what is said about it."""

from __future__ import annotations

import numpy as np
import pytest
from nalm_core.report.defaults import MIN_LAYOUTS
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Arm, Layouts, Round, RunReport
from nalm_core.report.serialization import dump_report, parse_report
from nalm_core.verdict.placement import may_be_placement, placement_note, placement_spread
from nalm_core.verdict.verdict import judge
from nalm_synthetic import COSTS, Noise, Side, changed, make_report

QUIET = Noise(launch=0.001, turn=0.001)


def placed(report: RunReport, effects: dict[int, float], numbers: list[int]) -> RunReport:
    """The report with launches in layouts, each of which makes head slower by its own factor."""
    rounds = [
        _slower(one, 1 + effects[numbers[one.launch]]) if one.arm is Arm.HEAD else one
        for one in report.rounds
    ]
    return report.model_copy(update={"rounds": rounds, "layouts": Layouts(relinked=True, numbers=numbers)})


def _slower(one: Round, factor: float) -> Round:
    stages = {
        name: stage.model_copy(update={"cycles": round(stage.cycles * factor)}) if name in COSTS else stage
        for name, stage in one.stages.items()
    }
    added = sum(stage.cycles for stage in stages.values()) - sum(
        stage.cycles for stage in one.stages.values()
    )
    lcore = one.lcores[0]
    moved = {
        "busy_cycles": lcore.busy_cycles + added,
        "turn_tsc_cycles": (lcore.turn_tsc_cycles or 0) + added,
        "turn_wall_ns": round(lcore.turn_wall_ns * (1 + added / (lcore.turn_tsc_cycles or 1))),
        "turn_cpu_ns": round(lcore.turn_cpu_ns * (1 + added / (lcore.turn_tsc_cycles or 1))),
    }
    return one.model_copy(update={"stages": stages, "lcores": [lcore.model_copy(update=moved)]})


def in_pairs(layouts: int) -> list[int]:
    """Two launches after each other have one layout."""
    return [1 + launch // 2 for launch in range(2 * layouts)]


def drawn(layouts: int, spread: float, seed: int = 1) -> dict[int, float]:
    rng = np.random.default_rng(seed)
    return {number: float(rng.normal(0, spread)) for number in range(layouts + 1)}


def test_a_change_of_one_layout_is_none_of_the_code() -> None:
    """Another order of the same work: one placement of it is 1.5 % slower, the mean of placements is not."""
    in_one = make_report(changed(nat=150.0 * (1 + 0.015 * 260 / 150)), noise=QUIET, launches=36)
    assert judge(in_one).outcome is Outcome.REGRESSED and may_be_placement(in_one)
    report = make_report(Side(code="b"), noise=QUIET, launches=36)
    verdict = judge(placed(report, drawn(18, 0.008), in_pairs(18)))
    assert verdict.outcome not in (Outcome.REGRESSED, Outcome.IMPROVED)
    assert verdict.chain is not None and verdict.chain.low is not None and verdict.chain.low < 1


def test_a_change_of_the_code_is_found_over_layouts() -> None:
    report = make_report(changed(nat=170.0), noise=QUIET, launches=48)
    verdict = judge(placed(report, drawn(24, 0.004), in_pairs(24)))
    assert verdict.outcome is Outcome.REGRESSED and verdict.culprit_stages == ["nat"]
    assert verdict.chain is not None and verdict.chain.ratio_cpp == pytest.approx(280 / 260, abs=0.005)


def test_the_spread_between_placements_is_shown() -> None:
    report = make_report(Side(code="b"), noise=QUIET, launches=120)
    found = placed(report, drawn(60, 0.005), in_pairs(60))
    assert placement_spread(found, Arm.HEAD) == pytest.approx(0.005, rel=0.3)
    note = placement_note(found, Arm.HEAD)
    assert note is not None and note.startswith("Placement moves this by ±")
    assert note in judge(found).notes


def test_few_layouts_show_no_spread() -> None:
    report = make_report(Side(code="b"), noise=QUIET, launches=2 * (MIN_LAYOUTS - 1))
    found = placed(report, drawn(MIN_LAYOUTS, 0.005), in_pairs(MIN_LAYOUTS - 1))
    assert placement_spread(found, Arm.HEAD) is None
    assert "too few" in (placement_note(found, Arm.HEAD) or "")


def test_where_code_cannot_be_placed_otherwise_launches_count_and_it_is_said() -> None:
    report = make_report(changed(nat=170.0), noise=QUIET)
    layouts = Layouts(relinked=False, reason="the build has no build.ninja", numbers=list(range(1, 19)))
    verdict = judge(report.model_copy(update={"layouts": layouts}))
    assert verdict.chain == judge(report).chain
    (note,) = (one for one in verdict.notes if "Stack and heap" in one)
    assert "no build.ninja" in note and "may be a part of the change" in note


@pytest.mark.parametrize(
    ("head", "may_be"),
    [
        (changed(nat=153.0), True),
        (changed(nat=153.0, ipp={"nat": 337}), False),  # instructions explain it
        (changed(nat=170.0), False),  # too large
    ],
    ids=["equal_counts", "more_instructions", "large"],
)
def test_what_may_be_placement(head: Side, may_be: bool) -> None:
    assert may_be_placement(make_report(head, noise=QUIET)) is may_be


def test_without_counts_nothing_is_held_for_placement() -> None:
    head, base = changed(nat=153.0), Side()
    head.ipps = base.ipps = None
    assert not may_be_placement(make_report(head, base, noise=QUIET))


def test_layouts_are_kept_in_the_document_and_left_out_without_them() -> None:
    report = make_report(Side(code="b"), launches=4)
    assert b'"layouts"' not in dump_report(report)
    found = placed(report, drawn(2, 0.001), in_pairs(2))
    assert parse_report(dump_report(found)).layouts == found.layouts
