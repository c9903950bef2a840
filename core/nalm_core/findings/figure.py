# SPDX-License-Identifier: Apache-2.0
"""One figure of a run by its own outcome, whatever the others of the run did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nalm_core.report.catalogue import FUNCTION_IPP
from nalm_core.report.outcome import FAILED, WORST_FIRST, Outcome
from nalm_core.report.run_report import Model
from nalm_core.verdict.metric_change import NEVER_JUDGED, ONE_VALUE, MetricChange
from nalm_core.verdict.verdict import Verdict

CYCLES: Final = "cpp"
"""The metric that decides the outcome of a run of cycles."""
NOT_DECIDED: Final = (NEVER_JUDGED, ONE_VALUE)
"""Reasons of figures that no comparison of two builds decides."""


class Figure(Model):
    metric: str
    stage: str | None = None
    """None: the chain, or the whole NF."""


@dataclass(frozen=True)
class FigureOutcome:
    outcome: Outcome
    figure: Figure | None = None
    """None: the outcome is the run's."""
    change: MetricChange | None = None
    """None: the run's, or the run has no such figure."""


def judged_by(verdict: Verdict, figures: Sequence[Figure]) -> FigureOutcome:
    """The worst outcome of these figures, of equal ones the first's; the run's without figures."""
    if not figures or verdict.outcome in FAILED:
        return FigureOutcome(verdict.outcome)
    return min((_of(verdict, one) for one in figures), key=_worst_first)


def decided_figures(verdict: Verdict) -> list[str]:
    """Figures of the whole NF that a comparison of two builds can decide, in the verdict's order."""
    return [
        one.metric
        for one in verdict.metrics
        if one.stage is None and one.function is None and one.reason not in NOT_DECIDED
    ]


def _of(verdict: Verdict, figure: Figure) -> FigureOutcome:
    own = [one for one in verdict.metrics if (one.metric, one.stage) == (figure.metric, figure.stage)]
    if own:
        return min((FigureOutcome(_outcome(one), figure, one) for one in own), key=_worst_first)
    if verdict.judged_arm is None:
        return FigureOutcome(verdict.outcome, figure)
    if figure.metric == FUNCTION_IPP:
        return FigureOutcome(_without_functions(verdict), figure)
    return FigureOutcome(Outcome.INCONCLUSIVE, figure)


def _without_functions(verdict: Verdict) -> Outcome:
    """A verdict names the functions that fail by themselves, unless the chain's cycles decided."""
    decided = verdict.outcome is not Outcome.INCONCLUSIVE or not verdict.functions_judged
    return verdict.outcome if decided else Outcome.SAME


def _outcome(change: MetricChange) -> Outcome:
    return Outcome.INCONCLUSIVE if change.outcome == "missing" else Outcome(change.outcome)


def _worst_first(one: FigureOutcome) -> int:
    return WORST_FIRST.index(one.outcome)
