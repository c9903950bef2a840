# SPDX-License-Identifier: Apache-2.0
"""CPP, CUR, IPP and eIPC between two snapshots (metrics.md). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .layout import KIND_DROPS, POLICY, SENT, Header, Lcore, Snapshot, stage_event

MARGIN_S = 0.01
"""Time that a debugger takes to stop and to continue, in addition to the stop itself."""
DOUBT = 0.01
"""A stage's cycles are withheld if more than this share may be the debugger's."""
HZ_ERROR = 0.01
"""Relative error of the TSC's frequency as an NF states it: DPDK rounds it to 10 MHz."""
CYCLES, INSTRUCTIONS = "PAPI_TOT_CYC", "PAPI_TOT_INS"

Figures = dict[str, Any]


def ratio(above: float, below: float) -> float | None:
    return above / below if below else None


def held(cycles: int, pauses: Sequence[float], hz: int) -> bool:
    """True if cycles may contain time in which the debugger stopped the lcore: the TSC continues."""
    fitting = [pause for pause in pauses if pause * hz * (1 - HZ_ERROR) <= cycles]
    within = sum(pause + MARGIN_S for pause in fitting)
    return within * hz > DOUBT * cycles


def chain(header: Header, before: Snapshot, after: Snapshot, pauses: Sequence[float]) -> Figures:
    """The NF and its stages. An unknown figure is None. `held`: the debugger stopped in the stage."""
    packets = sum(
        _gained(before, after, index, 3 + place)
        for index, stage in enumerate(header.stages)
        for place, (_, kind) in enumerate(stage.outcomes)
        if kind in (SENT, POLICY)
    )
    stages = [
        _stage(header, index, before, after, pauses=pauses, packets=packets)
        for index in range(len(header.stages))
    ]
    own = [stage for stage in stages if not stage["apart"]]
    return {
        "nf": header.nf,
        "packets": packets,
        "cpp": _sum(own, "cpp") if packets else None,
        "ipp": _sum(own, "ipp"),
        "eipc": None if not own or any(one["eipc"] is None for one in own if one["packets"]) else _eipc(own),
        "stages": stages,
    }


def _eipc(own: list[Figures]) -> float | None:
    return ratio(sum(one["instructions"] or 0 for one in own), sum(one["core_cycles"] or 0 for one in own))


def _sum(own: list[Figures], name: str) -> float | None:
    values = [one[name] for one in own]
    return None if not values or any(value is None for value in values) else sum(values)


def _old(before: Snapshot, index: int, stage: int, at: int) -> int:
    return before[index].stages[stage][at] if index in before else 0


def _gained(before: Snapshot, after: Snapshot, stage: int, at: int) -> int:
    return sum(lcore.stages[stage][at] - _old(before, index, stage, at) for index, lcore in after.items())


def _stage(
    header: Header, index: int, before: Snapshot, after: Snapshot, *, pauses: Sequence[float], packets: int
) -> Figures:
    stage = header.stages[index]
    each = [lcore.stages[index][0] - _old(before, at, index, 0) for at, lcore in after.items()]
    cycles, visits = sum(each), _gained(before, after, index, 1)
    known = not any(held(one, pauses, header.tsc_hz) for one in each if one)
    instructions = _event(header, INSTRUCTIONS, index, before, after)
    core_cycles = _event(header, CYCLES, index, before, after)
    drops = {
        name: _gained(before, after, index, 3 + place)
        for place, (name, kind) in enumerate(stage.outcomes)
        if kind in KIND_DROPS
    }
    return {
        "stage": stage.name,
        "apart": stage.apart,
        "packets": visits,
        "batches": _gained(before, after, index, 2),
        "cycles": cycles if known else None,
        "cpp": ratio(cycles, packets) if known else None,
        "instructions": instructions,
        "core_cycles": core_cycles,
        "ipp": None if instructions is None else ratio(instructions, packets),
        "eipc": None if instructions is None or core_cycles is None else ratio(instructions, core_cycles),
        "drops": {name: count for name, count in drops.items() if count},
        "held": not known,
    }


def _event(header: Header, name: str, stage: int, before: Snapshot, after: Snapshot) -> int | None:
    if name not in header.events:
        return None
    event = header.events.index(name)
    if not after or not all(lcore.event_mask & (1 << event) for lcore in after.values()):
        return None
    old = sum(stage_event(lcore, stage, event) for lcore in before.values())
    return sum(stage_event(lcore, stage, event) for lcore in after.values()) - old


def lcore(header: Header, old: Lcore | None, new: Lcore, pauses: Sequence[float], packets: int) -> Figures:
    """One lcore. packets: those of the whole NF, so that the lcores add up to its CPP."""
    busy, idle = new.busy - (old.busy if old else 0), new.idle - (old.idle if old else 0)
    known = not (held(busy, pauses, header.tsc_hz) or held(idle, pauses, header.tsc_hz)) or not busy + idle
    return {
        "lcore": new.lcore,
        "tid": new.tid,
        "state": new.state,
        "packets": new.packets - (old.packets if old else 0),
        "cur": ratio(busy, busy + idle) if known else None,
        "cpp": ratio(busy, packets) if known else None,
        "held": not known,
        "torn": new.torn,
    }
