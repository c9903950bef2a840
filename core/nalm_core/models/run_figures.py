# SPDX-License-Identifier: Apache-2.0
"""What models take from a run report: head's cycles, instructions and cache misses per packet.

A figure that the run has not counted is refused by its name, never taken as 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from nalm_core.models.capacity import CORES, MeasuredHost
from nalm_core.models.quantity import ModelInputError
from nalm_core.report.batch_sizes import BatchCounts, summed
from nalm_core.report.modelled_counts import modelled_events
from nalm_core.report.run_report import Arm, Host, RunReport
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
    """Raises ModelInputError if the run has no cycles per packet of head at full load."""
    if report.offered is not None:
        raise ModelInputError("run report", f"is of the load {report.offered.name}; use a run at full load")
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


def run_instructions(report: RunReport) -> float:
    """Per packet. Raises ModelInputError if they were not counted."""
    instructions = _summary(report).chain.get("ipp")
    if instructions is None:
        raise ModelInputError("instructions", "the run report has none; measure with valgrind installed")
    return instructions.value


def run_demand(report: RunReport) -> dict[str, float]:
    """Demand of capacity.py per packet: instructions of cores, L1 misses of cache, LL misses of memory.

    Misses are callgrind's model with the host's caches. Raises ModelInputError for a missing counter.
    """
    instructions = run_instructions(report)
    apart = report.arms[Arm.HEAD].apart_stages()
    modelled = modelled_events(report.model_counts, Arm.HEAD, None, apart)
    if modelled is None:
        raise ModelInputError("cache misses", "the run report has no modelled caches; measure with callgrind")
    events, packets = modelled
    missing = [name for name in ("l1i_misses", "l1d_misses", "ll_misses") if name not in events]
    if missing:
        raise ModelInputError(missing[0], "the run report has not counted it")
    return {
        CORES: instructions,
        "cache": (events["l1i_misses"] + events["l1d_misses"]) / packets,
        "memory": events["ll_misses"] / packets,
    }


def host_supply(host: Host) -> MeasuredHost:
    """The host's supply of the resources of run_demand. Raises ModelInputError if it was not measured.

    First-level misses are served by the second level, or by the last where there is none.
    """
    found = host.supply
    if found is None:
        raise ModelInputError(
            "supply", f"of {host.name} was not measured: run `nalm doctor` there, then measure"
        )
    cache = "L2" if "L2" in found.one else "L3"
    sources = {"cores": "instructions", "cache": cache, "memory": "memory"}
    one = {name: found.one[source] for name, source in sources.items() if source in found.one}
    if not one:
        raise ModelInputError("supply", f"of {host.name} has no figure: {'; '.join(found.missing.values())}")
    return MeasuredHost(
        one,
        {name: found.together[source] for name, source in sources.items() if source in found.together},
        found.cpus,
        ("memory",) if cache == "L2" else ("cache", "memory"),
        found.watts,
    )


def run_batches(report: RunReport) -> BatchCounts:
    """Batches of head's lcores by size, with the time of the whole chain; size 0: polls that found nothing.

    Raises ModelInputError if there are none, if each lcore does a part of the chain only, or if all have one
    size, from which no other's time follows.
    """
    if report.scenario.model != "rtc":
        raise ModelInputError("batches", "each lcore of a pipeline does a part of the chain only")
    found = summed(one.sizes for one in report.batches.get(Arm.HEAD, ()) if any(one.sizes))
    if not found:
        raise ModelInputError(
            "batches", "the run report has none; measure with this nalm and its nalm_probe.h"
        )
    if len(found) == 1:
        raise ModelInputError(
            "batches", f"all have {next(iter(found))} packets: no other size's time follows from that"
        )
    return found


def _summary(report: RunReport) -> ArmSummary:
    if Arm.HEAD not in report.arms:
        raise ModelInputError("run report", "has no head that was built")
    return summarise(report, Arm.HEAD)
