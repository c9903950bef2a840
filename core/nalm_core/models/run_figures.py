# SPDX-License-Identifier: Apache-2.0
"""What models take from a run report: head's cycles, instructions and cache misses per packet.

A figure that the run has not counted is refused by its name, never taken as 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from nalm_core.models.quantity import ModelInputError
from nalm_core.report.modelled_counts import modelled_events
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.summary import ArmSummary, summarise


@dataclass(frozen=True, slots=True)
class RunFigures:
    """Head of one run. frequency_hz: of the TSC, in whose cycles CPP is. pps: None if not measured."""

    scenario: str
    lcores: int
    frequency_hz: int
    cpp: float
    stages: dict[str, float]
    """CPP by stage."""
    pps: float | None


def run_figures(report: RunReport) -> RunFigures:
    """Raises ModelInputError if the run has no cycles per packet of head."""
    summary = _summary(report)
    if "cpp" not in summary.chain:
        raise ModelInputError("run report", "has no cycles per packet; use a run that was measured")
    rate = summary.chain.get("pps")
    return RunFigures(
        scenario=report.scenario.name,
        lcores=report.scenario.lcores,
        frequency_hz=report.host.tsc_hz,
        cpp=summary.chain["cpp"].value,
        stages={name: each["cpp"].value for name, each in summary.stages.items() if "cpp" in each},
        pps=None if rate is None else rate.value,
    )


def first_level_cache(report: RunReport) -> int:
    """Bytes of the host's L1d. Raises ModelInputError if they are not recorded."""
    size = report.host.caches.get("L1d")
    if size is None:
        raise ModelInputError("L1d", "the run report has no size of the host's cache; give --cache")
    return size


def run_demand(report: RunReport) -> dict[str, float]:
    """Demand of capacity.py per packet: instructions of cores, L1 misses of cache, LL misses of memory.

    Misses are callgrind's model with the host's caches. Raises ModelInputError for a missing counter.
    """
    summary = _summary(report)
    instructions = summary.chain.get("ipp")
    if instructions is None:
        raise ModelInputError("instructions", "the run report has none; measure with valgrind installed")
    apart = report.arms[Arm.HEAD].apart_stages()
    modelled = modelled_events(report.model_counts, Arm.HEAD, None, apart)
    if modelled is None:
        raise ModelInputError("cache misses", "the run report has no modelled caches; measure with callgrind")
    events, packets = modelled
    missing = [name for name in ("l1i_misses", "l1d_misses", "ll_misses") if name not in events]
    if missing:
        raise ModelInputError(missing[0], "the run report has not counted it")
    return {
        "cores": instructions.value,
        "cache": (events["l1i_misses"] + events["l1d_misses"]) / packets,
        "memory": events["ll_misses"] / packets,
    }


def _summary(report: RunReport) -> ArmSummary:
    if Arm.HEAD not in report.arms:
        raise ModelInputError("run report", "has no head that was built")
    return summarise(report, Arm.HEAD)
