# SPDX-License-Identifier: Apache-2.0
"""IPP and eIPC from the hardware events that the NF's probe reads, or the reason if it reads none."""

from __future__ import annotations

from nalm_core.report.event_counts import EventCount, EventFigures, figures
from nalm_core.report.terms import Arm

from nalm_agent.counters.events import CYCLES, EVENTS, INSTRUCTIONS
from nalm_agent.counters.papi import stage_events
from nalm_agent.host import pmu
from nalm_agent.nf.probe import ProbeFile, Snapshot

NOT_CONFIGURED = f"the NF reads no events: start it with NALM_PROBE_EVENTS={CYCLES.papi},{INSTRUCTIONS.papi}"
_NAMES = {event.papi: event.name for event in EVENTS}


class Hardware:
    """The hardware events of one NF's probe."""

    def __init__(self, file: ProbeFile) -> None:
        self._stages = file.stages
        reasons = {_NAMES.get(event.name, event.name): event.reason for event in file.events()}
        self._counted = [(at, name) for at, (name, reason) in enumerate(reasons.items()) if reason is None]
        self.missing = _missing(reasons)

    def figures(self, before: Snapshot, after: Snapshot, packets: int) -> dict[str | None, EventFigures]:
        """Figures by stage, and under None for all stages; empty without counts or packets."""
        if not packets or not self._counted_on(after):
            return {}
        raw, readings = stage_events(self._stages, self._counted, before, after)
        count = EventCount(arm=Arm.HEAD, launch=0, packets=packets, stages=raw, readings=readings)
        return figures(count, [stage.name for stage in self._stages if stage.apart])

    def _counted_on(self, after: Snapshot) -> bool:
        masks = [int(block[0]["event_mask"]) for block in after.blocks]
        all_bits = sum(1 << at for at, _ in self._counted)
        return bool(all_bits) and all(mask & all_bits == all_bits for mask in masks)


def _missing(reasons: dict[str, str | None]) -> dict[str, str]:
    """Why IPP and eIPC are unknown, by figure."""
    needs = {"ipp": (INSTRUCTIONS.name,), "eipc": (INSTRUCTIONS.name, CYCLES.name)}
    nothing = pmu.kernel_reason() or NOT_CONFIGURED
    found = {}
    for figure, events in needs.items():
        lacking = [reasons.get(event, nothing) for event in events]
        if reason := next((one for one in lacking if one is not None), None):
            found[figure] = reason
    return found
