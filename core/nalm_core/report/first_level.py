# SPDX-License-Identifier: Apache-2.0
"""Use of the first-level data cache by the chain or a stage, for the history.

By the PMU where it counted the events, otherwise by callgrind's model, in which every miss brings in a line
and so replaces one. The two differ, and so do their series.
"""

from __future__ import annotations

from nalm_core.report.event_counts import figures
from nalm_core.report.history_figure import HistoryFigure, exact, over_launches
from nalm_core.report.modelled_counts import modelled_events
from nalm_core.report.run_report import Arm, ArmInfo, RunReport, Source

HIT_RATIO, REPLACEMENTS = "l1d_hit_ratio", "l1d_replacements_per_packet"


def first_level_figures(report: RunReport, arm: Arm, stage: str | None) -> dict[str, HistoryFigure]:
    """Figures of the stage, of the chain for None; without those that nothing counted."""
    info = report.arms[arm]
    return _modelled(report, arm, info, stage) | _counted(report, arm, info, stage)


def _counted(report: RunReport, arm: Arm, info: ArmInfo, stage: str | None) -> dict[str, HistoryFigure]:
    """One value per launch that counted the events."""
    source = info.run.series_source(Source.PMU)
    ratios: list[float] = []
    replaced: list[float] = []
    for count in report.event_counts:
        of_stage = figures(count, info.apart_stages()).get(stage) if count.arm is arm else None
        events = of_stage.per_packet if of_stage else {}
        if events.get("l1d_accesses") and "l1d_misses" in events:
            ratios.append(1 - events["l1d_misses"] / events["l1d_accesses"])
        if "l1d_replacements" in events:
            replaced.append(events["l1d_replacements"])
    return _known({HIT_RATIO: ratios, REPLACEMENTS: replaced}, source)


def _known(values: dict[str, list[float]], source: str) -> dict[str, HistoryFigure]:
    return {name: over_launches(each, source) for name, each in values.items() if each}


def _modelled(report: RunReport, arm: Arm, info: ArmInfo, stage: str | None) -> dict[str, HistoryFigure]:
    counted = modelled_events(report.model_counts, arm, stage, info.apart_stages())
    if counted is None:
        return {}
    events, packets = counted
    source = info.run.series_source(Source.SIMULATED)
    found = {}
    if events.get("data_accesses") and "l1d_misses" in events:
        found[HIT_RATIO] = exact(1 - events["l1d_misses"] / events["data_accesses"], source)
    if "l1d_misses" in events:
        found[REPLACEMENTS] = exact(events["l1d_misses"] / packets, source)
    return found
