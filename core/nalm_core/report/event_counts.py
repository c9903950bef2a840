# SPDX-License-Identifier: Apache-2.0
"""Hardware events per stage, which the NF's probe reads, and their figures.

The cost of reading the events falls to the next mark. The probe measures it at the start, and this module
subtracts it. Events of one launch can be compared with each other; another launch has other memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from pydantic import Field

from nalm_core.report.terms import Arm, Count, Model, Name

CYCLES, INSTRUCTIONS = "cycles", "instructions"


class EventCount(Model):
    """Raw events of one arm over the turns of one launch, in user space, summed over lcores."""

    arm: Arm
    launch: int = Field(ge=0)
    packets: int = Field(gt=0)
    """Packets that left or were dropped by policy: CPP's denominator."""
    stages: dict[Name, dict[str, Count]]
    """Events per stage of iterations that handled a packet, including apart stages under their names."""
    readings: dict[Name, dict[str, Count]] = Field(default_factory=dict)
    """The part of these events that reading them cost."""
    reasons: dict[str, str] = Field(default_factory=dict)
    """Requested events that were not counted, with reasons."""


@dataclass(frozen=True)
class EventFigures:
    """Figures of a stage or the chain. None: not counted."""

    per_packet: dict[str, float]
    cpp: float | None
    """Core cycles per packet."""
    ipp: float | None
    eipc: float | None


def figures(count: EventCount, apart: Collection[str] = ()) -> dict[str | None, EventFigures]:
    """Figures per stage, and of the chain (None), which is the sum of the stages that are not apart."""
    own = {name: _net(count, name) for name in count.stages if name not in apart}
    events = {event for stage in own.values() for event in stage}
    chain = {event: sum(stage.get(event, 0) for stage in own.values()) for event in events}
    return {name: _figures(counts, count.packets) for name, counts in (*own.items(), (None, chain))}


def with_core_cycles(
    counts: Iterable[EventCount], arm: Arm, apart: Collection[str], stage: str | None
) -> list[EventFigures]:
    """Figures of the stage, of the chain for None, by launch of the arm that counted core cycles."""
    found = [figures(count, apart).get(stage) for count in counts if count.arm is arm]
    return [one for one in found if one is not None and one.cpp]


def _net(count: EventCount, stage: str) -> dict[str, int]:
    """Events without those of readings; at least 0, since a reading may cost less than at the start."""
    readings = count.readings.get(stage, {})
    return {event: max(0, value - readings.get(event, 0)) for event, value in count.stages[stage].items()}


def _figures(counts: dict[str, int], packets: int) -> EventFigures:
    per_packet = {event: value / packets for event, value in counts.items()}
    cycles, instructions = per_packet.get(CYCLES), per_packet.get(INSTRUCTIONS)
    return EventFigures(
        per_packet=per_packet,
        cpp=cycles,
        ipp=instructions,
        eipc=instructions / cycles if cycles and instructions is not None else None,
    )
