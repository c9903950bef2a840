# SPDX-License-Identifier: Apache-2.0
"""A run whose change may be one of placement goes on, over layouts where builds can be linked again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from nalm_agent.measure.comparison import MOSTLY_KERNEL, TwoCommits
from nalm_agent.measure.layouts import LayoutsOfLaunches
from nalm_agent.measure.measure import _needs_layouts
from nalm_agent.measure.report_builder import ReportBuilder
from nalm_core.report.defaults import DEFAULT_SETTINGS, MIN_LAYOUTS
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Layouts
from nalm_core.verdict.verdict import judge
from nalm_synthetic import COSTS, GENERATOR, Noise, changed, make_report

EQUAL_COUNTS = DEFAULT_SETTINGS.model_copy(update={"equal_counts": True})


def built(percent: float, layouts: Layouts | None = None) -> ReportBuilder:
    """A run at equal counts whose head takes more cycles."""
    head = changed(**{name: cost * (1 + percent / 100) for name, cost in COSTS.items()})
    report = make_report(
        head, noise=Noise(0.001, 0.001), launches=2 * MIN_LAYOUTS, settings=EQUAL_COUNTS
    ).model_copy(update={"layouts": layouts})
    return cast(ReportBuilder, SimpleNamespace(report=lambda status: report))


def layouts_of_launches() -> LayoutsOfLaunches:
    unused = cast(Any, None)
    return LayoutsOfLaunches(unused, unused, {}, unused)


@pytest.mark.parametrize("percent", [2.0, -2.0])
def test_a_small_change_is_spread_over_layouts_until_there_are_enough(percent: float) -> None:
    placements = layouts_of_launches()
    assert _needs_layouts(built(percent), placements) and placements.most == MIN_LAYOUTS
    numbers = [1 + launch // 2 for launch in range(2 * MIN_LAYOUTS)]
    assert not _needs_layouts(built(percent, Layouts(relinked=True, numbers=numbers)), placements)


def test_builds_that_cannot_be_linked_again_take_further_launches() -> None:
    placements = layouts_of_launches()
    placements.reason = "the build has no build.ninja"
    numbers = list(range(1, 2 * MIN_LAYOUTS + 1))
    layouts = Layouts(relinked=False, reason=placements.reason, numbers=numbers)
    assert _needs_layouts(built(2.0, layouts), placements)
    assert _needs_layouts(built(2.0), None), "layouts = 1 decides no such change either"


def test_a_large_change_ends_at_once() -> None:
    placements = layouts_of_launches()
    assert not _needs_layouts(built(8.0), placements) and not placements.spreading


@pytest.mark.parametrize(
    ("kernel_share", "outcome"), [(0.02, Outcome.INCONCLUSIVE), (0.95, Outcome.REGRESSED)]
)
def test_equal_counts_of_a_small_part_of_the_work_hold_nothing_for_placement(
    kernel_share: float, outcome: Outcome
) -> None:
    """A program in the kernel: the instructions are those of what calls it."""
    costs = {name: cost * 1.02 for name, cost in COSTS.items()}
    report = make_report(changed(**costs), noise=Noise(0.001, 0.001), launches=2 * MIN_LAYOUTS)
    settings = TwoCommits(cast(Any, None)).stopping(
        report, kernel_share, functions_alone=False, data_alone=False
    )
    assert settings.equal_counts == (kernel_share < MOSTLY_KERNEL)
    assert judge(report.model_copy(update={"settings": settings})).outcome is outcome


@pytest.mark.parametrize(
    ("data_alone", "outcome"), [(False, Outcome.INCONCLUSIVE), (True, Outcome.REGRESSED)]
)
def test_equal_programs_with_other_data_have_the_same_placement(
    *, data_alone: bool, outcome: Outcome
) -> None:
    """A larger table: as many instructions, and more cache misses."""
    costs = {name: cost * 1.02 for name, cost in COSTS.items()}
    report = make_report(changed(**costs), noise=Noise(0.001, 0.001), launches=2 * MIN_LAYOUTS)
    settings = TwoCommits(cast(Any, None)).stopping(report, 0.0, functions_alone=False, data_alone=data_alone)
    assert judge(report.model_copy(update={"settings": settings})).outcome is outcome


@pytest.mark.parametrize(
    ("margin", "functions_alone", "kernel_share", "stages"),
    [
        (0.001, True, 0.0, ["nat"]),
        (0.01, True, 0.0, None),
        (0.001, False, 0.0, None),
        (0.001, True, MOSTLY_KERNEL, None),
    ],
    ids=["fine margin", "usual margin", "a rule file changed, too", "in the kernel"],
)
def test_stages_with_changed_code_are_known_before_the_first_round(
    margin: float, functions_alone: bool, kernel_share: float, stages: list[str] | None
) -> None:
    report = make_report(changed(nat=160.0), launches=3, turns=3)
    names = {"executed": {name: [f"{name}_process"] for name in (*COSTS, GENERATOR)}}
    counted = [one.model_copy(update=names) for one in report.instructions]
    fine = report.settings.model_copy(update={"margin": margin})
    report = report.model_copy(
        update={"settings": fine, "instructions": counted, "changed_functions": ["nat_process"]}
    )
    commits = TwoCommits(cast(Any, None))
    found = commits.stopping(report, kernel_share, functions_alone=functions_alone, data_alone=False)
    assert found.changed_stages == stages
