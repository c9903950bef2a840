# SPDX-License-Identifier: Apache-2.0
"""Cache, TLB and branch events a packet, of a stage or the chain: by the PMU if it counted both arms, else as
modelled."""

from __future__ import annotations

from collections.abc import Mapping

from nalm_core.explain.signature import Signature
from nalm_core.report.event_counts import figures
from nalm_core.report.modelled_counts import modelled_events
from nalm_core.report.run_report import Arm, RunReport

_PMU = {
    "l1d_misses": "l1d_misses_per_packet",
    "l2_misses": "l2_misses_per_packet",
    "l3_misses": "llc_misses_per_packet",
    "branch_misses": "branch_misses_per_packet",
    "dtlb_misses": "dtlb_misses_per_packet",
}
_MODEL = {
    "l1d_misses": "l1d_misses_per_packet",
    "l1i_misses": "l1i_misses_per_packet",
    "ll_misses": "llc_misses_per_packet",
    "branch_misses": "branch_misses_per_packet",
    "data_accesses": "data_accesses_per_packet",
}


def put_events(found: Signature, report: RunReport, head: Arm, stage: str | None) -> None:
    """Enters the events of the stage, of the chain for None."""
    old, new = (_counted(report, arm, stage) for arm in (Arm.BASE, head))
    for event, name in _PMU.items():
        if event in old and event in new:
            found.put(name, old[event], new[event], "pmu")
    old, new = (_modelled(report, arm, stage) for arm in (Arm.BASE, head))
    for event, name in _MODEL.items():
        if event in old and event in new:
            found.put(name, old[event], new[event], "simulated")


def _counted(report: RunReport, arm: Arm, stage: str | None) -> Mapping[str, float]:
    """Mean over the launches that counted an event."""
    values: dict[str, list[float]] = {}
    for count in report.event_counts:
        if count.arm is arm:
            per_packet = figures(count, _apart(report, arm))
            for event, value in per_packet[stage].per_packet.items() if stage in per_packet else ():
                values.setdefault(event, []).append(value)
    return {event: sum(each) / len(each) for event, each in values.items()}


def _modelled(report: RunReport, arm: Arm, stage: str | None) -> Mapping[str, float]:
    found = modelled_events(report.model_counts, arm, stage, _apart(report, arm))
    if found is None:
        return {}
    events, packets = found
    return {event: value / packets for event, value in events.items()}


def _apart(report: RunReport, arm: Arm) -> frozenset[str]:
    info = report.arms.get(arm)
    return info.apart_stages() if info else frozenset()
