# SPDX-License-Identifier: Apache-2.0
"""The kept rounds of a run, as pages draw them, and its report without them."""

from __future__ import annotations

from nalm_core.report.rounds import kept_totals
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.summary import Summaries

from nalm_server.results.extracts.schemas import RoundPoint, Rounds, WithoutRounds
from nalm_server.results.schemas import RoundSetAside


def kept(report: RunReport) -> Rounds:
    """Of each arm."""
    return Rounds(**{arm.value: kept_points(report, arm) for arm in Arm})


def kept_points(report: RunReport, arm: Arm) -> list[RoundPoint]:
    """The chain's cycles per packet, by launch and turn."""
    if arm not in report.arms:
        return []
    return [
        RoundPoint(launch=one.launch, turn=one.turn, cpp=cpp)
        for one, sums in kept_totals(report, arm)
        if (cpp := sums.cpp) is not None
    ]


def without_rounds(summaries: Summaries) -> WithoutRounds:
    """Of the summarised report."""
    report = summaries.report
    chains = {arm: summaries.of(arm).chain.get("cpp") for arm in report.arms}
    return WithoutRounds(
        report=report.model_copy(update={"rounds": []}),
        cpp={arm: None if figure is None else figure.value for arm, figure in chains.items()},
        rounds=len(report.rounds),
        rounds_set_aside=[
            RoundSetAside(launch=one.launch, turn=one.turn, arm=one.arm, why=one.set_aside)
            for one in report.rounds
            if one.set_aside
        ],
    )
