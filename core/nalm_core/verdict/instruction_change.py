# SPDX-License-Identifier: Apache-2.0
"""Changes in instructions by stage and function.

Counts are exact for a trace, so a change needs a size but no test of significance. It explains a change in
cycles and may occur without one. Cycles decide: instructions alone never make a commit improved, regressed or
same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nalm_core.report.defaults import INSTRUCTION_CHANGE, RELEVANT_SHARE
from nalm_core.report.instructions import arm_ipp, common_source
from nalm_core.report.run_report import Arm, ArmInfo, FunctionCount, InstructionCount, Model, RunReport
from nalm_core.verdict.change import log_ratio

OUTSIDE = "outside stages"
"""Name of the data path's instructions outside all stages: the loop, the probe."""
SHOWN_FUNCTIONS = 5


class FunctionChange(Model):
    """Own instructions per packet of one C function under one stage; None if it did not run, or is not among
    the costliest of its stage."""

    name: str
    base_ipp: float | None
    head_ipp: float | None
    base_calls: float | None
    """Calls per packet."""
    head_calls: float | None


class InstructionChange(Model):
    stage: str
    base_ipp: float | None
    head_ipp: float | None
    ln_ipp: float | None
    """ln(head / base) of the stage; None for an added or removed stage."""
    chain_share: float
    """Instructions per packet that the stage adds, relative to the IPP of base's chain."""
    relevant: bool
    """Large enough to matter for the chain, if cycles follow."""
    functions: list[FunctionChange]
    """Functions, those that changed most first."""


def instruction_changes(report: RunReport, head: Arm) -> list[InstructionChange]:
    """Stages whose instructions changed by INSTRUCTION_CHANGE of the chain or more, largest first.

    Empty if nothing changed or an arm was not counted.
    """
    source = common_source(report.instructions, (Arm.BASE, head))
    if source is None:
        return []
    old, new = (
        next(count for count in report.instructions if count.arm is arm and count.source is source)
        for arm in (Arm.BASE, head)
    )
    before, after = (_by_stage(report.instructions, arm, report.arms[arm]) for arm in (Arm.BASE, head))
    chain = sum(before.values())
    found = []
    for stage in dict.fromkeys([*before, *after]):
        share = (after.get(stage, 0.0) - before.get(stage, 0.0)) / chain if chain else 0.0
        if abs(share) >= INSTRUCTION_CHANGE:
            found.append(
                InstructionChange(
                    stage=stage,
                    base_ipp=before.get(stage),
                    head_ipp=after.get(stage),
                    ln_ipp=log_ratio(before.get(stage), after.get(stage)),
                    chain_share=share,
                    relevant=abs(share) >= RELEVANT_SHARE * report.settings.margin,
                    functions=_functions(old, new, stage),
                )
            )
    return sorted(found, key=lambda change: -abs(change.chain_share))


def have_equal_counts(report: RunReport, head: Arm) -> bool:
    """True if both arms were counted and no stage's instructions changed."""
    counted = common_source(report.instructions, (Arm.BASE, head)) is not None
    return counted and not instruction_changes(report, head)


def _by_stage(counts: Sequence[InstructionCount], arm: Arm, info: ArmInfo) -> dict[str, float]:
    ipp = arm_ipp(counts, arm, info, common_source(counts, (arm,)))
    assert ipp is not None
    return dict(ipp.stages) | {OUTSIDE: ipp.chain - sum(ipp.stages.values())}


def _functions(old: InstructionCount, new: InstructionCount, stage: str) -> list[FunctionChange]:
    before, after = (_named(count.functions.get(stage, [])) for count in (old, new))
    changes = []
    for name in dict.fromkeys([*before, *after]):
        base, head = before.get(name), after.get(name)
        changes.append(
            FunctionChange(
                name=name,
                base_ipp=base.instructions / old.packets if base else None,
                head_ipp=head.instructions / new.packets if head else None,
                base_calls=base.calls / old.packets if base else None,
                head_calls=head.calls / new.packets if head else None,
            )
        )
    changes = [change for change in changes if _moved(change) > 0]
    return sorted(changes, key=lambda change: -_moved(change))[:SHOWN_FUNCTIONS]


def _moved(change: FunctionChange) -> float:
    return abs((change.head_ipp or 0.0) - (change.base_ipp or 0.0))


def _named(functions: Sequence[FunctionCount]) -> Mapping[str, FunctionCount]:
    return {function.name: function for function in functions}
