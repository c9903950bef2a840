# SPDX-License-Identifier: Apache-2.0
"""Placement of code: when it may be a whole change, how layouts are judged, and what is said about it."""

from __future__ import annotations

import re
from dataclasses import replace
from math import log

import pytest
from nalm_core.report.defaults import DEFAULT_SETTINGS, MIN_LAUNCHES, MIN_LAYOUTS, PLACEMENT_CHANGE
from nalm_core.report.outcome import Outcome
from nalm_core.report.rounds import pair_launches
from nalm_core.report.run_report import Arm, Layouts, RunReport
from nalm_core.report.serialization import dump_report, parse_report
from nalm_core.stats.estimate import RatioEstimate
from nalm_core.stats.sequential import look_schedule, spent_at
from nalm_core.verdict.placement import may_be_placement, placement_note, placement_spread, reaches_placement
from nalm_core.verdict.verdict import judge
from nalm_synthetic import COSTS, Noise, Side, changed, make_report
from placed_runs import drawn, in_pairs, placed

QUIET = Noise(launch=0.001, turn=0.001)
EQUAL_COUNTS = DEFAULT_SETTINGS.model_copy(update={"equal_counts": True})
NO_NINJA = "the build has no build.ninja"


def slower(percent: float, *, noise: Noise = QUIET, launches: int = 18, seed: int = 1) -> RunReport:
    """Head's chain takes more cycles for the same instructions."""
    costs = {name: cost * (1 + percent / 100) for name, cost in COSTS.items()}
    return make_report(changed(**costs), noise=noise, launches=launches, seed=seed, settings=EQUAL_COUNTS)


def in_several_stacks(report: RunReport) -> RunReport:
    """The report of builds that nalm could not link again."""
    numbers = list(range(1, len({one.launch for one in report.rounds}) + 1))
    layouts = Layouts(relinked=False, reason=NO_NINJA, numbers=numbers)
    return report.model_copy(update={"layouts": layouts})


def test_a_change_of_one_layout_is_none_of_the_code() -> None:
    """Another order of the same work: one placement of it is 1.5 % slower, the mean of placements is not."""
    assert may_be_placement(slower(1.5, launches=36))
    report = make_report(Side(code="b"), noise=QUIET, launches=36, settings=EQUAL_COUNTS)
    verdict = judge(placed(report, drawn(18, 0.008), in_pairs(18)))
    assert verdict.outcome not in (Outcome.REGRESSED, Outcome.IMPROVED)
    assert verdict.chain is not None and verdict.chain.low is not None and verdict.chain.low < 1


def test_placements_count_whose_launches_take_part() -> None:
    """Of 12 placements, 8 were measured while other programs took the core."""
    report = slower(2.0, launches=24)
    rounds = [
        one
        if one.launch < 8
        else one.model_copy(update={"set_aside": "other programs took 70 % of the time"})
        for one in report.rounds
    ]
    layouts = Layouts(relinked=True, numbers=[one // 2 for one in range(24)])
    busy = report.model_copy(update={"rounds": rounds, "layouts": layouts})
    assert may_be_placement(busy)
    assert f"4 of the {MIN_LAYOUTS} placements that would tell were measured" in judge(busy).reason
    assert not may_be_placement(report.model_copy(update={"layouts": layouts}))


def test_a_wide_interval_at_equal_counts_is_no_improvement_however_large_the_estimate() -> None:
    """As a forwarder with an unused function more was measured on a busy host: -4.0 % (-7.4 .. -0.6)."""
    report = in_several_stacks(slower(-4.0, noise=Noise(launch=0.024, turn=0.01), launches=17, seed=3))
    verdict = judge(report)
    chain = verdict.chain
    assert chain is not None and chain.ln_cpp is not None and chain.low is not None and chain.high is not None
    assert chain.ln_cpp < -PLACEMENT_CHANGE and 0.97 < chain.high < 1, "of the shape that was seen"
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "which the placement of code alone may make" in verdict.reason and NO_NINJA in verdict.reason
    assert "No stage's instructions changed" in verdict.reason and verdict.culprit_stages == []


@pytest.mark.parametrize("percent", [3.6, 8.5, -5.0])
def test_a_large_change_with_a_narrow_interval_is_found_at_equal_counts(percent: float) -> None:
    """Misses, fences and shared lines cost cycles and no instruction."""
    report = slower(percent)
    assert not may_be_placement(report)
    expected = Outcome.REGRESSED if percent > 0 else Outcome.IMPROVED
    assert judge(report).outcome is expected and judge(in_several_stacks(report)).outcome is expected


def test_a_large_change_that_noise_hides_is_found_with_more_launches() -> None:
    busy = Noise(launch=0.03, turn=0.01)
    few, many = (in_several_stacks(slower(8.0, noise=busy, launches=number)) for number in (9, 50))
    assert judge(few).outcome is Outcome.INCONCLUSIVE and judge(many).outcome is Outcome.REGRESSED


def test_a_small_change_needs_all_layouts() -> None:
    effects = drawn(MIN_LAYOUTS, 0.002)
    for layouts, outcome in ((MIN_LAYOUTS - 2, Outcome.INCONCLUSIVE), (MIN_LAYOUTS, Outcome.REGRESSED)):
        verdict = judge(placed(slower(2.0, launches=2 * layouts), effects, in_pairs(layouts)))
        assert verdict.outcome is outcome, verdict.reason
        assert (f"{layouts} of the {MIN_LAYOUTS} placements" in verdict.reason) == (layouts < MIN_LAYOUTS)


def test_a_change_of_the_code_is_found_over_layouts() -> None:
    report = make_report(changed(nat=170.0), noise=QUIET, launches=48)
    verdict = judge(placed(report, drawn(24, 0.004), in_pairs(24)))
    assert verdict.outcome is Outcome.REGRESSED and verdict.culprit_stages == ["nat"]
    assert verdict.chain is not None and verdict.chain.ratio_cpp == pytest.approx(280 / 260, abs=0.005)


def test_the_advice_counts_launches_and_not_layouts() -> None:
    report = make_report(Side(code="b"), launches=18, noise=QUIET)
    verdict = judge(placed(report, drawn(9, 0.01, seed=2), in_pairs(9)))
    said = re.search(r"about (\d+) launches would decide", verdict.reason)
    assert said is not None and int(said[1]) > 18


def test_the_spread_between_placements_is_shown() -> None:
    report = make_report(Side(code="b"), noise=QUIET, launches=120)
    found = placed(report, drawn(60, 0.005), in_pairs(60))
    assert placement_spread(found, pair_launches(found, Arm.BASE, Arm.HEAD)) == pytest.approx(0.005, rel=0.3)
    note = placement_note(found, pair_launches(found, Arm.BASE, Arm.HEAD))
    assert note is not None and note.startswith("Placement moves this by ±")
    assert note in judge(found).notes


def test_few_layouts_show_no_spread() -> None:
    report = make_report(Side(code="b"), noise=QUIET, launches=2 * (MIN_LAYOUTS - 1))
    found = placed(report, drawn(MIN_LAYOUTS, 0.005), in_pairs(MIN_LAYOUTS - 1))
    assert placement_spread(found, pair_launches(found, Arm.BASE, Arm.HEAD)) is None
    assert "too few" in (placement_note(found, pair_launches(found, Arm.BASE, Arm.HEAD)) or "")


def test_where_code_cannot_be_placed_otherwise_launches_count_and_it_is_said() -> None:
    report = make_report(changed(nat=170.0), noise=QUIET)
    layouts = Layouts(relinked=False, reason="the build has no build.ninja", numbers=list(range(1, 19)))
    verdict = judge(report.model_copy(update={"layouts": layouts}))
    assert verdict.chain == judge(report).chain
    (note,) = (one for one in verdict.notes if "Stack and heap" in one)
    assert "no build.ninja" in note and "may be a part of the change" in note


@pytest.mark.parametrize(
    ("percent", "may_be"),
    [(1.1, True), (-1.1, True), (2.9, True), (3.6, False), (-3.6, False)],
)
def test_what_may_be_placement(percent: float, may_be: bool) -> None:
    assert may_be_placement(slower(percent)) is may_be


def test_with_changed_code_known_the_interval_is_that_of_half_the_error_rate() -> None:
    """As the chain is tested then: wider, so a change that alpha just keeps above placement may be one."""
    settings, look = DEFAULT_SETTINGS, len(look_schedule(DEFAULT_SETTINGS))
    found = RatioEstimate(2 * PLACEMENT_CHANGE, 0.001, 20, 19.0)
    half = log(found.interval(spent_at(settings.alpha, settings, look))[1]) - found.ln_ratio
    above = replace(found, ln_ratio=1.001 * (PLACEMENT_CHANGE + half))
    assert not reaches_placement(above, settings, look)
    assert reaches_placement(above, settings.model_copy(update={"changed_stages": ["nat"]}), look)


def test_without_equal_counts_before_the_rounds_nothing_is_held_for_placement() -> None:
    """Instructions that changed, that were not counted, or that an older agent did not compare."""
    report = make_report(changed(nat=153.0), noise=QUIET)
    assert judge(report).outcome is Outcome.REGRESSED and not may_be_placement(report)


def test_layouts_are_kept_in_the_document_and_left_out_without_them() -> None:
    report = make_report(Side(code="b"), launches=4)
    assert b'"layouts"' not in dump_report(report)
    found = placed(report, drawn(2, 0.001), in_pairs(2))
    assert parse_report(dump_report(found)).layouts == found.layouts


def test_too_few_layouts_are_said_to_be_too_few() -> None:
    """Enough launches, of one layout."""
    report = make_report(changed(), launches=MIN_LAUNCHES)
    verdict = judge(placed(report, {1: 0.0}, [1] * MIN_LAUNCHES))
    assert verdict.outcome == "inconclusive"
    assert f"{MIN_LAUNCHES} of {MIN_LAUNCHES} launches of 1 layout have" in verdict.reason
    assert f"at least {MIN_LAUNCHES} layouts are needed" in verdict.reason
