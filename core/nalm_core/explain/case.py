# SPDX-License-Identifier: Apache-2.0
"""The case to explain: a judged run, the stage that pays, and its function."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_core.explain.payer import Payer, payer
from nalm_core.report.instructions import common_source
from nalm_core.report.outcome import CHANGED, Outcome
from nalm_core.report.run_report import Arm, InstructionCount, RunReport
from nalm_core.verdict.change import Cause, Change
from nalm_core.verdict.instruction_change import FunctionChange
from nalm_core.verdict.pairing import Pairs
from nalm_core.verdict.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Case:
    report: RunReport
    verdict: Verdict
    sign: int
    """1: regressed; -1: improved, which is a regression in reverse."""
    stage: str | None
    """None: the whole chain."""
    who: Payer | None
    pairs: Pairs

    @property
    def head(self) -> Arm:
        """The arm that was judged against base."""
        return self.verdict.judged_arm or Arm.HEAD

    @property
    def cause(self) -> Cause | None:
        return self.verdict.cause

    @property
    def change(self) -> Change | None:
        """The change of the stage that pays."""
        return next((one for one in self.verdict.stages if one.stage == self.stage), self.verdict.chain)

    @property
    def functions(self) -> list[FunctionChange]:
        """Functions of the stage whose instructions changed."""
        changes = self.verdict.instruction_changes
        return [one for each in changes if self.stage in (None, each.stage) for one in each.functions]

    @property
    def pipeline_cycles(self) -> float:
        """Cycles per packet of the verdict's change that are due to pipeline use, at least 0.

        The whole change if instructions were not counted.
        """
        found = self.change
        if found is None:
            return 0.0
        cycles = (found.head.cpp if found.head else 0.0) - (found.base.cpp if found.base else 0.0)
        if found.ln_cpp and found.ln_eipc is not None:
            cycles *= -found.ln_eipc / found.ln_cpp
        return max(0.0, self.sign * cycles)

    def counted(self, arm: Arm) -> InstructionCount | None:
        """An arm's instructions, from the source that counted both arms."""
        source = common_source(self.report.instructions, (Arm.BASE, self.head))
        return next((c for c in self.report.instructions if c.arm is arm and c.source is source), None)


def case_of(report: RunReport, verdict: Verdict, pairs: Pairs | None = None) -> Case | None:
    """The case of a verdict; None if there is no change of cycles to explain. pairs: of the report's arms, if
    some are made already."""
    if verdict.outcome not in CHANGED or verdict.chain is None:
        return None
    sign = 1 if verdict.outcome == Outcome.REGRESSED else -1
    stage = verdict.culprit_stages[0] if verdict.culprit_stages else None
    return Case(report, verdict, sign, stage, payer(report, verdict, stage, sign), pairs or Pairs(report))
