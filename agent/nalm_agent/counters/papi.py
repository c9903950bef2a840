# SPDX-License-Identifier: Apache-2.0
"""Hardware events per stage, which the NF's probe reads through PAPI (reference-nf/probe/nalm_probe_papi.h).

Events that do not fit into the counters together are counted in turn, with a launch for each group.
Nothing is multiplexed.
"""

from __future__ import annotations

import ctypes.util
from collections.abc import Callable, Sequence

from nalm_core.report.event_counts import EventCount
from nalm_core.report.run_report import StageInfo
from nalm_core.report.terms import Arm

from nalm_agent.counters.events import COUNTERS, CYCLES, EVENTS, Event, groups
from nalm_agent.host import pmu
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.probe import Snapshot, counted_packets, stage_counters
from nalm_agent.runtime.errors import NfError

NOT_INSTALLED = "libpapi is not installed (apt-get install libpapi-dev, then build the NF again)"
NOT_READ = "the NF does not read events: it was built without libpapi and nalm_probe_papi.h"
NOT_STARTED = "an lcore could not start its events"

Launch = Callable[[Sequence[str]], RunningNf]
"""Starts the NF and requests these events (PAPI's names) of its probe: `events` of RunningNf."""


def available() -> str | None:
    """None if the kernel provides hardware counters and PAPI is installed, otherwise the reason why not."""
    return NOT_INSTALLED if ctypes.util.find_library("papi") is None else pmu.kernel_reason()


def count(
    arm: Arm,
    launch: Launch,
    *,
    turn_ms: float,
    turns: int,
    events: Sequence[Event] = EVENTS,
    counters: int = COUNTERS,
) -> list[EventCount]:
    """All events, with a launch per group. An event without a counter has one more launch, in which it is
    counted with cycles and instructions only.

    Raises NfError if the NF does not start, forward or take its turns.
    """
    plan = groups(events, counters)
    counts: list[EventCount] = []
    for number, group in enumerate(plan):
        found = count_group(arm, launch, group, number=number, turn_ms=turn_ms, turns=turns)
        counts.append(found)
        again = [event for event in group[2:] if event.name in found.reasons]
        # If cycles are not counted either, there is no PMU, and another launch cannot help.
        if again and len(group) > 3 and CYCLES.name not in found.reasons:
            plan += groups(again, 3)
    return counts


def count_group(
    arm: Arm, launch: Launch, group: Sequence[Event], *, number: int = 0, turn_ms: float, turns: int
) -> EventCount:
    """One launch: a warm-up turn, then the turns that count."""
    with launch([event.papi for event in group]) as nf:
        nf.wait_ready()
        nf.turn(milliseconds=turn_ms)
        before = nf.snapshot()
        for _ in range(turns):
            nf.turn(milliseconds=turn_ms)
        found = _counts(nf, arm, number, group, before)
        nf.finish()
    return found


def _counts(nf: RunningNf, arm: Arm, number: int, group: Sequence[Event], before: Snapshot) -> EventCount:
    after, stages = nf.snapshot(), nf.probe.stages
    packets = counted_packets(stages, stage_counters(stages, before, after))
    if packets == 0:
        raise NfError("the NF forwarded nothing while its events were counted", log=nf.log_tail())
    reasons = _reasons(nf, group, after)
    counted = [(at, event.name) for at, event in enumerate(group) if event.name not in reasons]
    raw, readings = stage_events(stages, counted, before, after)
    return EventCount(arm=arm, launch=number, packets=packets, stages=raw, readings=readings, reasons=reasons)


def stage_events(
    stages: Sequence[StageInfo], counted: Sequence[tuple[int, str]], before: Snapshot, after: Snapshot
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """Raw differences per stage, summed over lcores, and the part of them that reading the events cost.

    counted: place in the probe's header and name of each event.
    """
    pairs = list(zip(before.events, after.events, strict=True))
    raw: dict[str, dict[str, int]] = {}
    readings: dict[str, dict[str, int]] = {}
    for index, stage in enumerate(stages):
        raw[stage.name] = {
            name: sum(
                int(new[0]["stages"][index, at]) - int(old[0]["stages"][index, at]) for old, new in pairs
            )
            for at, name in counted
        }
        readings[stage.name] = {
            name: sum(
                int(new[0]["reading"][at]) * (int(new[0]["marks"][index]) - int(old[0]["marks"][index]))
                for old, new in pairs
            )
            for at, name in counted
        }
    return raw, readings


def reason(event: Event, papi: str | None, kernel: str | None) -> str | None:
    """Why an event is not counted; None if it is.

    papi: PAPI's reason, which differs by processor if there is no PMU. kernel: why the kernel provides no
    counters at all, which is then the cause.
    """
    return papi if papi is None or kernel is None or not event.hardware else kernel


def _reasons(nf: RunningNf, group: Sequence[Event], after: Snapshot) -> dict[str, str]:
    """Why events were not counted on every lcore that handles packets, in the words of PAPI or the kernel."""
    states = nf.probe.events()
    if not states:
        return {event.name: NOT_READ for event in group}
    kernel = pmu.kernel_reason()
    reasons = {
        event.name: why
        for event, state in zip(group, states, strict=True)
        if (why := reason(event, state.reason, kernel)) is not None
    }
    for at, event in enumerate(group):
        masks = [int(block[0]["event_mask"]) for block in after.blocks]
        if event.name not in reasons and not all(mask & (1 << at) for mask in masks):
            reasons[event.name] = NOT_STARTED
    return reasons
