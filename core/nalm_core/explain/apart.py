# SPDX-License-Identifier: Apache-2.0
"""Explains a change between two separate runs, by the rules for runs side by side.

Differences between the runs besides the code (memory layout, neighbours) are in every figure; the explanation
states this.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from nalm_core.explain.explain import explain
from nalm_core.explain.model import Explanation
from nalm_core.report.outcome import Outcome
from nalm_core.report.run_report import Arm, Model, RunReport
from nalm_core.report.summary import summarise
from nalm_core.verdict.attribution import Comparison, culprits
from nalm_core.verdict.change import cause_of
from nalm_core.verdict.compare import NOT_PAIRED, Composition, compose
from nalm_core.verdict.instruction_change import instruction_changes
from nalm_core.verdict.modelled_change import model_changes
from nalm_core.verdict.profile_change import function_shifts
from nalm_core.verdict.verdict import Verdict

Of = TypeVar("Of", bound=Model)
OF_ARM = (
    "rounds",
    "bare_turns",
    "memory",
    "instructions",
    "profiles",
    "thread_counts",
    "event_counts",
    "model_counts",
)
"""Lists of a report whose entries name their arm."""


@dataclass(frozen=True, slots=True)
class OneSide:
    """A run, and the commit's arm in it."""

    report: RunReport
    arm: Arm = Arm.HEAD


def explain_apart(before: OneSide, after: OneSide, stage: str | None = None) -> Explanation | None:
    """Why the chain costs more in `after`. stage: the stage that pays, if it is known.

    None: it does not cost more there, or the two cannot be compared.
    """
    old, new = (summarise(one.report, one.arm) for one in (before, after))
    found = compose(old, new, (before.report.host, after.report.host))
    chain = found.chain if found else None
    if found is None or chain is None or chain.ratio_cpp is None or chain.ratio_cpp <= 1:
        return None
    report = _joined(before, after)
    explained = explain(report, _slower(report, found, stage))
    return explained.model_copy(update={"interleaved": False, "text": f"{explained.text} {NOT_PAIRED}"})


def _joined(before: OneSide, after: OneSide) -> RunReport:
    """One report of both commits. Launches of the same number are not pairs."""
    sides = {Arm.BASE: before, Arm.HEAD: after}
    lists = {
        name: [one for arm, side in sides.items() for one in _as(arm, side.arm, getattr(side.report, name))]
        for name in OF_ARM
    }
    arms = {arm: side.report.arms[side.arm] for arm, side in sides.items()}
    return after.report.model_copy(update={**lists, "arms": arms, "changed_functions": None})


def _as(arm: Arm, own: Arm, found: Iterable[Of]) -> list[Of]:
    return [one.model_copy(update={"arm": arm}) for one in found if getattr(one, "arm", None) is own]


def _slower(report: RunReport, found: Composition, stage: str | None) -> Verdict:
    """A history's decision as a verdict."""
    assert found.chain is not None
    chain, own = found.chain, {one.stage: one for one in found.stages}
    blamed = culprits(Comparison(chain, found.stages, None), Outcome.REGRESSED)
    if stage in own:
        blamed = [own[stage], *(one for one in blamed if one.stage != stage)]
    shifts = (
        function_shifts(report, Arm.HEAD, chain.base.cpp, chain.head.cpp)
        if chain.base and chain.head
        else None
    )
    return Verdict(
        outcome=Outcome.REGRESSED,
        reason=NOT_PAIRED,
        summary=NOT_PAIRED,
        scenario=report.scenario.name,
        judged_arm=Arm.HEAD,
        chain=chain,
        stages=found.stages,
        culprit_stages=[one.stage for one in blamed],
        cause=(blamed[0].cause if blamed else None) or cause_of(chain.ln_cpp, chain.ln_ipp),
        instruction_changes=instruction_changes(report, Arm.HEAD),
        functions=shifts,
        model_changes=model_changes(report, Arm.HEAD, [one.stage for one in blamed]),
    )
