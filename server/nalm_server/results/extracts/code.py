# SPDX-License-Identifier: Apache-2.0
"""The functions of two sides, and each with its outcome."""

from __future__ import annotations

from collections.abc import Callable

from nalm_core.functions.judge import judge_functions
from nalm_core.functions.model import FunctionJudgement
from nalm_core.profiles.flame import CallTree, counted_paths, flame_of, sampled_paths
from nalm_core.profiles.function_costs import SideOf, function_costs, side_of
from nalm_core.report.judged_arm import judged_arm
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.verdict.function_change import function_side, margins
from nalm_core.verdict.verdict import Verdict

from nalm_server.results.extracts.schemas import CodeExtract


def code_of(base: SideOf, head: SideOf) -> CodeExtract:
    return CodeExtract(
        functions=function_costs(base, head),
        judged=judged_functions(base, head),
        instruction_flame=flame_of(*(counted_paths(one.report, one.arm) for one in (base, head))),
        cycle_flame=flame_of(*(_sampled(one) for one in (base, head))),
    )


def judged_functions(base: SideOf, head: SideOf) -> list[FunctionJudgement]:
    """All functions of two sides of one scenario with their outcome; none of different scenarios, whose
    functions do other work."""
    if base.report.scenario.name != head.report.scenario.name:
        return []
    changed = head.report.changed_functions if base.report is head.report else None
    before, after = (function_side(one.report, one.arm, one.cpp) for one in (base, head))
    return judge_functions(before, after, margins(head.report), changed)


def _sampled(side: SideOf) -> CallTree | None:
    return None if side.cpp is None else sampled_paths(side.report, side.arm, side.cpp)


def side_by_side(report: RunReport, verdict: Verdict) -> tuple[SideOf, SideOf]:
    """Base, and the arm that is judged against it. Cycles are shared out by samples as in the verdict."""
    return judged_sides(report, verdict, lambda arm: side_of(report, arm).cpp)


def judged_sides(
    report: RunReport, verdict: Verdict, cpp_of: Callable[[Arm], float | None]
) -> tuple[SideOf, SideOf]:
    """As side_by_side. cpp_of: an arm's cycles per packet, if the verdict has none."""
    arm = verdict.judged_arm or judged_arm(report) or Arm.HEAD
    chain = verdict.chain
    if chain is None or chain.base is None or chain.head is None:
        return SideOf(report, Arm.BASE, cpp_of(Arm.BASE)), SideOf(report, arm, cpp_of(arm))
    return SideOf(report, Arm.BASE, chain.base.cpp), SideOf(report, arm, chain.head.cpp)
