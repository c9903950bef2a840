# SPDX-License-Identifier: Apache-2.0
"""Decides from a run of a candidate against good whether it is good, bad or undecided."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Literal

from nalm_core.findings.bisection import Finding
from nalm_core.report.defaults import INSTRUCTION_CHANGE
from nalm_core.report.instructions import arm_ipp, common_source
from nalm_core.report.outcome import UNDECIDED
from nalm_core.report.run_report import Arm, RunReport, RunStatus
from nalm_core.text.percents import change_percent

from nalm_agent.runtime.errors import NalmError, SourceError, UsageError

if TYPE_CHECKING:
    from nalm_core.verdict.verdict import Verdict

LIKE_BAD = 0.5
"""Share of bad's logarithmic change from which a candidate's instructions count as bad."""


@dataclass(frozen=True)
class Question:
    """The figure that changed."""

    scenario: str
    metric: Literal["cpp", "ipp"] = "cpp"
    stage: str | None = None
    """None: the chain."""


@dataclass(frozen=True)
class Answer:
    finding: Finding | None
    """None: undecided; a longer measurement may decide."""
    why: str
    change: float | None = None
    """ln(candidate / good) of the figure."""


def answer(
    report: RunReport, verdict: Verdict | None, question: Question, bad_change: float | None
) -> Answer:
    """Decides about one candidate. bad_change: the change of bad; None while bad itself is measured.

    Raises NalmError if good cannot be measured, SourceError without instruction counts, UsageError for an
    unknown stage.
    """
    if verdict is None:
        return Answer(Finding.GOOD, "its code is equal to good's", 0.0)
    if report.status is RunStatus.FAILED:
        raise NalmError("good could not be measured", log=report.failure, hint="name another good commit")
    if verdict.outcome == "broken":
        return Answer(Finding.SKIP, (report.failure or "it is broken").splitlines()[0])
    if question.metric == "ipp":
        return _by_size(_ipp_change(report, verdict, question.stage), bad_change)
    return _by_verdict(verdict, question.stage, bad_change)


def _by_size(change: float, bad_change: float | None) -> Answer:
    """Decides by exact figures: bad from LIKE_BAD of bad's change."""
    moved = abs(change) >= INSTRUCTION_CHANGE
    if bad_change is not None:
        moved = change / bad_change >= LIKE_BAD if bad_change else False
    why = f"instructions {change_percent(exp(change) - 1)} against good"
    return Answer(Finding.BAD if moved else Finding.GOOD, why, change)


def _by_verdict(verdict: Verdict, stage: str | None, bad_change: float | None) -> Answer:
    """Decides by timed figures: bad if the change is significant and has the direction of bad's."""
    if verdict.outcome in UNDECIDED or verdict.chain is None:
        return Answer(None, verdict.outcome)
    if stage is None:
        change = log(verdict.size.ratio) if verdict.size else None
        moved = verdict.outcome in ("regressed", "improved")
    else:
        one = next((one for one in verdict.stages if one.stage == stage), None)
        if one is None:
            raise _no_such(stage, [known.stage for known in verdict.stages])
        change, moved = one.ln_cpp, one.significant and one.relevant
    if change is None:
        return Answer(Finding.SKIP, "the stage is not on both sides")
    if moved and bad_change is not None:
        moved = change * bad_change > 0
    said = f"{'CPP' if stage is None else stage} {change_percent(exp(change) - 1)} against good"
    return Answer(Finding.BAD if moved else Finding.GOOD, said, change)


def _ipp_change(report: RunReport, verdict: Verdict, stage: str | None) -> float:
    arms = (Arm.BASE, verdict.judged_arm or Arm.HEAD)
    source = common_source(report.instructions, arms)
    counts = [arm_ipp(report.instructions, arm, report.arms[arm], source) for arm in arms]
    old, new = counts
    if old is None or new is None:
        reasons = [reason for reason in report.sources.values() if reason]
        raise SourceError(
            "instructions were not counted", log="\n".join(reasons), hint="bisect by --metric cpp"
        )
    if stage is None:
        return log(new.chain / old.chain)
    if not (old.stages.get(stage) and new.stages.get(stage)):
        raise _no_such(stage, [name for name in old.stages if name in new.stages])
    return log(new.stages[stage] / old.stages[stage])


def _no_such(stage: str, known: list[str]) -> UsageError:
    return UsageError(f"no stage {stage} on both sides", hint=f"there are: {', '.join(known)}")
