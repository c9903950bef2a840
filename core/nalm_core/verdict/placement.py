# SPDX-License-Identifier: Apache-2.0
"""What the placement of code adds to a run, and when it may be the whole of a change."""

from __future__ import annotations

from collections.abc import Sequence
from math import expm1, log, sqrt
from statistics import fmean

from nalm_core.report.defaults import MIN_LAYOUTS, PLACEMENT_CHANGE
from nalm_core.report.judged_arm import judged_arm
from nalm_core.report.rounds import PairedLaunch, launches_done, pair_launches, random_units
from nalm_core.report.run_report import Arm, RunReport, Settings
from nalm_core.stats.estimate import RatioEstimate
from nalm_core.stats.sequential import estimate_of, look_for, settings_of_each_test, spent_at
from nalm_core.text.percents import share_percent

WITHIN = 1.96
"""Standard deviations on each side of the mean that have 95 % of layouts."""


def may_be_placement(report: RunReport) -> bool:
    """True if the change in cycles may be one of placement: no stage's instructions changed, the interval
    of the look has changes that placement alone can make, and too few layouts were measured to tell.

    Another order of the same work has another placement, and a wide interval says nothing of the size.
    Reports whose counts were not compared before the first round are judged without this rule, as they were.
    """
    arm, settings = judged_arm(report), report.settings
    if arm is None or not settings.equal_counts:
        return False
    launches = pair_launches(report, Arm.BASE, arm)
    estimate = estimate_of(random_units(report, launches))
    if estimate is None or layouts_measured(report, launches) >= MIN_LAYOUTS:
        return False
    return reaches_placement(estimate, settings, look_for(launches_done(report), settings))


def reaches_placement(estimate: RatioEstimate, settings: Settings, look: int) -> bool:
    """True if the chain's interval of the look has changes that placement alone can make."""
    low, high = estimate.interval(spent_at(settings_of_each_test(settings).alpha, settings, look))
    return max(log(low), -log(high)) <= PLACEMENT_CHANGE


def layouts_measured(report: RunReport, launches: Sequence[PairedLaunch]) -> int:
    """Different placements of code that these launches had. launches: all that take part."""
    if report.layouts is None or not report.layouts.relinked:
        return 1
    return len({report.layouts.of(one.launch) for one in launches})


def untried(report: RunReport, launches: Sequence[PairedLaunch]) -> str:
    """Why the placements of code that a change needs were not measured, and what would help. launches: all
    that take part."""
    if report.layouts is not None and not report.layouts.relinked:
        return f"nalm cannot link the builds again with another placement ({report.layouts.reason})"
    taken = layouts_measured(report, launches)
    return (
        f"{taken} of the {MIN_LAYOUTS} placements that would tell were measured; measure longer ([judge] "
        "budget_seconds, max_launches; without layouts = 1)"
    )


def placement_spread(report: RunReport, launches: Sequence[PairedLaunch]) -> float | None:
    """Standard deviation of ln ratio between layouts of code, from the analysis of variance of launches in
    layouts; None with fewer than MIN_LAYOUTS, or one launch of each. launches: all that take part."""
    if report.layouts is None or not report.layouts.relinked:
        return None
    groups: dict[int, list[float]] = {}
    for one in launches:
        groups.setdefault(report.layouts.of(one.launch), []).append(log(one.head_cpp() / one.base_cpp()))
    taken = sum(len(group) for group in groups.values())
    if len(groups) < MIN_LAYOUTS or taken == len(groups):
        return None
    means = {number: fmean(group) for number, group in groups.items()}
    overall = sum(map(sum, groups.values())) / taken
    within = sum((value - means[n]) ** 2 for n, group in groups.items() for value in group) / (
        taken - len(groups)
    )
    between = sum(len(group) * (means[n] - overall) ** 2 for n, group in groups.items()) / (len(groups) - 1)
    size = (taken - sum(len(group) ** 2 for group in groups.values()) / taken) / (len(groups) - 1)
    return sqrt(max(0.0, (between - within) / size))


def placement_note(report: RunReport, launches: Sequence[PairedLaunch]) -> str | None:
    """The line about placement; None if all launches had the builds as they are. launches: all that take
    part."""
    if report.layouts is None:
        return None
    if not report.layouts.relinked:
        return (
            f"Stack and heap were placed in several ways, code in one: {report.layouts.reason}. Placement of "
            "code may be a part of the change."
        )
    taken = layouts_measured(report, launches)
    spread = placement_spread(report, launches)
    if spread is None:
        return f"The builds were measured in {taken} placements of their code, too few to show its effect."
    return (
        f"Placement moves this by ±{share_percent(expm1(WITHIN * spread), 2)} (95 % of placements; {taken} "
        "of each build were measured, and the verdict is about their mean)."
    )
