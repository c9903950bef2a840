# SPDX-License-Identifier: Apache-2.0
"""The kept rounds of a run, as pages draw them."""

from __future__ import annotations

from nalm_core.report.rounds import kept_totals
from nalm_core.report.run_report import Arm, RunReport

from nalm_server.results.extracts.schemas import RoundPoint, Rounds


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
