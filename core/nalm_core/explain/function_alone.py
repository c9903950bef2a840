# SPDX-License-Identifier: Apache-2.0
"""The explanation of a run in which C functions alone are beyond their margin."""

from __future__ import annotations

from nalm_core.explain.model import Explanation
from nalm_core.explain.payer import counted_place
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.verdict.function_change import function_text
from nalm_core.verdict.verdict import Verdict

MOST_NAMED = 3


def function_alone(report: RunReport, verdict: Verdict) -> Explanation | None:
    """None: no function fails the check by itself."""
    failing = {(one.stage, one.function) for one in verdict.failing_metrics if one.function is not None}
    alone = [one for one in verdict.function_changes if one.key in failing]
    if not alone:
        return None
    first = alone[0]
    file, line = counted_place(report, verdict.judged_arm or Arm.HEAD, first.name)
    named = "; ".join(function_text(one) for one in alone[:MOST_NAMED])
    more = f"; and {len(alone) - MOST_NAMED} more" if len(alone) > MOST_NAMED else ""
    detail = "new_function" if not first.base_ipp and not first.shifted_from else "more_instructions"
    return Explanation(
        stage=first.stage,
        function=first.name,
        file=file,
        line=line,
        named_by="instructions",
        cause="instructions",
        detail=detail,
        text=f"Functions alone are beyond their margin, and the chain's cycles are not: {named}{more}.",
    )
