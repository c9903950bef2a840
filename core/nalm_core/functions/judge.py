# SPDX-License-Identifier: Apache-2.0
"""Judges every C function of two arms, with cost that moved between functions taken out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from nalm_core.functions.by_counts import by_counts
from nalm_core.functions.by_samples import units_of, with_cycles
from nalm_core.functions.costs import CountedSide, counted_side
from nalm_core.functions.cycles import cycle_tests, sampled_side
from nalm_core.functions.margins import Margins
from nalm_core.functions.model import FunctionJudgement
from nalm_core.report.instructions import common_source
from nalm_core.report.run_report import Arm, InstructionCount, RunReport, Source


@dataclass(frozen=True)
class FunctionSide:
    """One arm of one report."""

    report: RunReport
    arm: Arm
    cpp: float | None = None
    """The chain's CPP; None: cycles are not compared."""
    launches: Mapping[str | None, Sequence[float]] = field(default_factory=dict)
    """CPP by launch of each stage; None: of the chain."""


def judge_functions(
    base: FunctionSide, head: FunctionSide, margins: Margins, changed: Collection[str] | None = None
) -> list[FunctionJudgement]:
    """All functions of both sides, those that gained most first; empty if neither was counted nor sampled.

    changed: names of functions whose own code or data differ; None: unknown.
    """
    if any(one.arm not in one.report.arms for one in (base, head)):
        return []
    counts = _counted(base, head)
    counted = by_counts(*counts, margins, changed) if counts is not None else {}
    sampled = [sampled_side(one.report, one.arm, one.cpp, one.launches) for one in (base, head)]
    old, new = sampled
    if old is None or new is None:
        return _ordered(counted.values())
    together = units_of(counted, {*counted, *old.samples, *new.samples})
    tests = cycle_tests(old, new, list(dict.fromkeys(together.values())))
    judged = [
        with_cycles(key, counted.get(key), tests.get(unit), margins, chain=old.chain, alone=len(unit) == 1)
        for key, unit in together.items()
        if key in counted or unit in tests
    ]
    return _ordered(judged)


def _ordered(judged: Collection[FunctionJudgement]) -> list[FunctionJudgement]:
    return sorted(
        judged, key=lambda one: (-abs(one.chain_share or 0.0), -(one.head_ipp or 0.0), str(one.key))
    )


def _counted(base: FunctionSide, head: FunctionSide) -> tuple[CountedSide, CountedSide] | None:
    """Both sides' counts of the source that counted both."""
    source = _source(base, head)
    if source is None:
        return None
    old, new = (_count(side, source) for side in (base, head))
    if not old.functions or not new.functions:
        return None
    return counted_side(base.report, base.arm, old), counted_side(head.report, head.arm, new)


def _source(base: FunctionSide, head: FunctionSide) -> Source | None:
    if base.report is head.report:
        return common_source(base.report.instructions, (base.arm, head.arm))
    of_base = common_source(base.report.instructions, (base.arm,))
    of_head = common_source(head.report.instructions, (head.arm,))
    return of_base if of_base is of_head else None


def _count(side: FunctionSide, source: Source) -> InstructionCount:
    return next(one for one in side.report.instructions if one.arm is side.arm and one.source is source)
