# SPDX-License-Identifier: Apache-2.0
"""What the placement of code adds to a run, and when it may be the whole of a change."""

from __future__ import annotations

from math import expm1, log, sqrt
from statistics import fmean

from nalm_core.report.defaults import MIN_LAYOUTS, PLACEMENT_CHANGE
from nalm_core.report.judged_arm import judged_arm
from nalm_core.report.rounds import pair_launches
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.stats.sequential import chain_estimate
from nalm_core.text.percents import share_percent
from nalm_core.verdict.instruction_change import have_equal_counts

WITHIN = 1.96
"""Standard deviations on each side of the mean that have 95 % of layouts."""


def may_be_placement(report: RunReport) -> bool:
    """True if a small change has no change of instructions beside it: another order of the same work has
    another placement, which alone can move cycles as much."""
    arm = judged_arm(report)
    estimate = None if arm is None else chain_estimate(report, Arm.BASE, arm)
    if arm is None or estimate is None or abs(estimate.ln_ratio) > PLACEMENT_CHANGE:
        return False
    return have_equal_counts(report, arm)


def placement_spread(report: RunReport, arm: Arm) -> float | None:
    """Standard deviation of ln ratio between layouts of code, from the analysis of variance of launches in
    layouts; None with fewer than MIN_LAYOUTS, or one launch of each."""
    if report.layouts is None or not report.layouts.relinked:
        return None
    groups: dict[int, list[float]] = {}
    for one in pair_launches(report, Arm.BASE, arm):
        groups.setdefault(report.layouts.of(one.launch), []).append(log(one.head_cpp() / one.base_cpp()))
    launches = sum(len(group) for group in groups.values())
    if len(groups) < MIN_LAYOUTS or launches == len(groups):
        return None
    means = {number: fmean(group) for number, group in groups.items()}
    overall = sum(map(sum, groups.values())) / launches
    within = sum((value - means[n]) ** 2 for n, group in groups.items() for value in group) / (
        launches - len(groups)
    )
    between = sum(len(group) * (means[n] - overall) ** 2 for n, group in groups.items()) / (len(groups) - 1)
    size = (launches - sum(len(group) ** 2 for group in groups.values()) / launches) / (len(groups) - 1)
    return sqrt(max(0.0, (between - within) / size))


def placement_note(report: RunReport, arm: Arm) -> str | None:
    """The line about placement; None if all launches had the builds as they are."""
    if report.layouts is None:
        return None
    if not report.layouts.relinked:
        return (
            f"Stack and heap were placed in several ways, code in one: {report.layouts.reason}. Placement of "
            "code may be a part of the change."
        )
    taken = len(set(report.layouts.numbers))
    spread = placement_spread(report, arm)
    if spread is None:
        return f"The builds were measured in {taken} placements of their code, too few to show its effect."
    return (
        f"Placement moves this by ±{share_percent(expm1(WITHIN * spread), 2)} (95 % of placements; {taken} "
        "of each build were measured, and the verdict is about their mean)."
    )
