# SPDX-License-Identifier: Apache-2.0
"""Compares two commits of separate runs by their summaries, without a verdict.

host_match decides whether their hosts allow it: cycles of incomparable hosts are not compared.
"""

from __future__ import annotations

from pydantic import Field

from nalm_core.report.defaults import CONFIDENCE, MARGIN, STAGE_FALSE_DISCOVERY_RATE
from nalm_core.report.history_figure import HistoryFigure
from nalm_core.report.host_match import HostDifference, comparable, differences, sentence
from nalm_core.report.run_report import Host, Model
from nalm_core.report.summary import ArmSummary
from nalm_core.report.units import CyclesPerPacket
from nalm_core.verdict.attribution import ArmSeries, Rates, Series, compare_arms
from nalm_core.verdict.change import Change, StageChange

NOT_PAIRED = (
    "The two commits were not measured side by side: the difference includes what else differed between the "
    "two runs (memory layout, neighbours, temperature). Measure them together for a verdict."
)

INCOMPARABLE = "Their cycles are not compared. Measure both commits on one host."
COUNTED_OTHERWISE = (
    "The two sides were counted in different ways (run.counts in nalm.toml) or at different loads (the "
    "scenario's load): their figures are not compared."
)
NEW_SEGMENT = "The change includes the difference between the hosts."


class Composition(Model):
    chain: Change | None
    """Interval at defaults.CONFIDENCE, by Welch's t over launches. None if they cannot be compared."""
    stages: list[StageChange]
    notes: list[str]
    host_differences: list[HostDifference] = Field(default_factory=list)


def compose(base: ArmSummary, head: ArmSummary, hosts: tuple[Host, Host] | None = None) -> Composition | None:
    """The comparison; None if a side has no cycles. hosts: base's and head's, unless one run had both."""
    old, new = _series(base), _series(head)
    if old is None or new is None:
        return None
    found = differences(*hosts) if hosts else []
    if not comparable(found):
        notes = [f"{sentence(found)} {INCOMPARABLE}"]
        return Composition(chain=None, stages=[], notes=notes, host_differences=found)
    if base.chain["cpp"].source != head.chain["cpp"].source:
        return Composition(chain=None, stages=[], notes=[COUNTED_OTHERWISE], host_differences=found)
    notes = [NOT_PAIRED]
    if found:
        notes.append(f"{sentence(found)} {NEW_SEGMENT}")
    if (unlike := _unlike_ipp(_ipp_source(base), _ipp_source(head))) is not None:
        notes.append(unlike)
        old, new = _without_ipp(old), _without_ipp(new)
    arms = compare_arms(old, new, Rates(1 - CONFIDENCE, STAGE_FALSE_DISCOVERY_RATE, MARGIN), paired=False)
    return Composition(chain=arms.chain, stages=arms.stages, notes=notes, host_differences=found)


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
    units = [CyclesPerPacket(value) for value in cpp.units]
    return Series(units) if ipp is None else Series(units, ipp.value, ipp.source)


def _unlike_ipp(base: str | None, head: str | None) -> str | None:
    """Why instructions of these sources are not compared; None if they are."""
    if base is None and head is None:
        return "Instructions were counted for neither commit."
    if base is None or head is None:
        counted = "base" if head is None else "head"
        return f"Instructions were counted for {counted} only and are not compared."
    if base != head:
        return f"Instructions were counted by different sources ({base} and {head}) and are not compared."
    return None


def _ipp_source(summary: ArmSummary) -> str | None:
    ipp = summary.chain.get("ipp")
    return None if ipp is None else ipp.source


def _without_ipp(arm: ArmSeries) -> ArmSeries:
    return ArmSeries(Series(arm.chain.cpp), {name: Series(one.cpp) for name, one in arm.stages.items()})
