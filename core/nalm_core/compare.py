# SPDX-License-Identifier: Apache-2.0
"""Two commits that never ran side by side, compared by their summaries. It shows; it does not judge."""

from __future__ import annotations

from nalm_core.attribution import ArmSeries, Rates, Series, compare_arms
from nalm_core.change import Change, StageChange
from nalm_core.defaults import CONFIDENCE, MARGIN, STAGE_FALSE_DISCOVERY_RATE
from nalm_core.report import Model
from nalm_core.summary import ArmSummary, HistoryFigure

NOT_PAIRED = (
    "The two commits were not measured side by side: what differed between the two runs (memory layout, "
    "neighbours, temperature) is in the difference. Measure them together for a verdict."
)


class Composition(Model):
    chain: Change
    """Interval at defaults.CONFIDENCE, by Welch's t over launches."""
    stages: list[StageChange]
    notes: list[str]


def compose(base: ArmSummary, head: ArmSummary) -> Composition | None:
    """None if either side has no cycles to compare."""
    old, new = _series(base), _series(head)
    if old is None or new is None:
        return None
    notes = [NOT_PAIRED]
    if _ipp_source(base) != _ipp_source(head):
        notes.append("Instructions come from different sources and are not compared.")
        old, new = _without_ipp(old), _without_ipp(new)
    found = compare_arms(old, new, Rates(1 - CONFIDENCE, STAGE_FALSE_DISCOVERY_RATE, MARGIN), paired=False)
    return Composition(chain=found.chain, stages=found.stages, notes=notes)


def _series(summary: ArmSummary) -> ArmSeries | None:
    chain = _one(summary.chain)
    if chain is None:
        return None
    stages = {name: one for name in summary.stage_names if (one := _one(summary.stages[name])) is not None}
    return ArmSeries(chain, stages)


def _one(figures: dict[str, HistoryFigure]) -> Series | None:
    cpp, ipp = figures.get("cpp"), figures.get("ipp")
    if cpp is None:
        return None
    return Series(cpp.launches) if ipp is None else Series(cpp.launches, ipp.value, ipp.source)


def _ipp_source(summary: ArmSummary) -> str | None:
    ipp = summary.chain.get("ipp")
    return None if ipp is None else ipp.source


def _without_ipp(arm: ArmSeries) -> ArmSeries:
    return ArmSeries(Series(arm.chain.cpp), {name: Series(one.cpp) for name, one in arm.stages.items()})
