# SPDX-License-Identifier: Apache-2.0
"""The cost per packet of each source line of an arm, without generator and sink."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from nalm_core.profiles.flame import apart_stages
from nalm_core.report.run_report import Arm, RunReport

LineCosts = Mapping[str, Mapping[int, float]]
"""Costs by file and line."""


def instruction_lines(report: RunReport, arm: Arm) -> LineCosts | None:
    """Exact instructions per packet; None if the report has no lines of the arm."""
    count = next((one for one in report.instructions if one.arm is arm and one.lines), None)
    if count is None:
        return None
    apart, costs = apart_stages(report, arm), _empty()
    for function in count.lines:
        if function.stage not in apart:
            for line, instructions in function.lines.items():
                costs[function.file][line] += instructions / count.packets
    return costs


def cycle_lines(report: RunReport, arm: Arm, cpp: float) -> LineCosts | None:
    """Estimated cycles per packet: samples scaled to the arm's CPP. None if the arm was not sampled."""
    profile = next((one for one in report.profiles if one.arm is arm), None)
    if profile is None:
        return None
    apart, costs = apart_stages(report, arm), _empty()
    own = profile.samples - sum(count for stage, count in profile.stages.items() if stage in apart)
    for function in profile.functions:
        if function.stage not in apart and own > 0:
            for line in function.lines:
                costs[line.file][line.line] += line.samples * cpp / own
    return costs


def _empty() -> dict[str, dict[int, float]]:
    return defaultdict(lambda: defaultdict(float))
