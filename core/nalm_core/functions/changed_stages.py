# SPDX-License-Identifier: Apache-2.0
"""The stages in which two arms execute different code, by exact counts and the comparison of functions."""

from __future__ import annotations

from collections.abc import Collection, Set

from nalm_core.report.defaults import EQUAL_INSTRUCTIONS
from nalm_core.report.run_report import Arm, InstructionCount, RunReport, Source
from nalm_core.stats.changed_code import common_stages


def changed_stages(report: RunReport) -> list[str] | None:
    """Stages of the chain that execute a changed function, or whose count of instructions changed, or that
    have no count, since their code is inlined somewhere.

    None if that is unknown, or true of all stages: functions were not compared or counted, the arms run
    differently, code outside all stages or in one apart changed, or no changed function was executed.
    """
    arms, changed = report.arms, set(report.changed_functions or ())
    if not changed or set(arms) != {Arm.BASE, Arm.HEAD} or arms[Arm.BASE].run != arms[Arm.HEAD].run:
        return None
    base, head = (_count(report, arm) for arm in (Arm.BASE, Arm.HEAD))
    stages = common_stages(report, Arm.HEAD)
    if base is None or head is None or set(base.stages) != set(head.stages) or not stages:
        return None
    chain = sum(base.stages.values()) + base.unattributed
    if _is_changed(changed, base.executed_outside, head.executed_outside) or not _is_equal(
        base, base.unattributed, head, head.unattributed, chain
    ):
        return None
    found = [
        stage
        for stage in base.stages
        if _is_changed(changed, _executed(base, stage), _executed(head, stage))
        or not _is_equal(base, base.stages[stage], head, head.stages[stage], chain)
    ]
    if not found or not set(found) <= set(stages):
        return None
    found += [stage for stage in stages if stage not in base.stages]
    return found if len(found) < len(stages) else None


def _count(report: RunReport, arm: Arm) -> InstructionCount | None:
    """The arm's simulated count, if it names all functions."""
    counts = (one for one in report.instructions if one.arm is arm and one.source is Source.SIMULATED)
    found = next(counts, None)
    return found if found is not None and found.executed is not None else None


def _executed(count: InstructionCount, stage: str) -> list[str]:
    return (count.executed or {}).get(stage, [])


def _is_changed(changed: Set[str], base: Collection[str], head: Collection[str]) -> bool:
    return not changed.isdisjoint(base) or not changed.isdisjoint(head)


def _is_equal(base: InstructionCount, of_base: int, head: InstructionCount, of_head: int, chain: int) -> bool:
    apart = abs(of_head / head.packets - of_base / base.packets)
    return apart <= EQUAL_INSTRUCTIONS * chain / base.packets
