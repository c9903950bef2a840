# SPDX-License-Identifier: Apache-2.0
"""Hardware events per stage, as the probe in the NF reads them, and the figures they give.

What reading the events costs falls to the next mark; it is weighed at the start and taken off here. Events of
one launch can be held against each other; those of another launch saw other memory.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from pydantic import Field

from nalm_core.report.terms import Arm, Count, Model, Name

CYCLES, INSTRUCTIONS = "cycles", "instructions"


class EventCount(Model):
    """Events of one arm over the turns of one launch, in user space, summed over lcores. Raw."""

    arm: Arm
    launch: int = Field(ge=0)
    packets: int = Field(gt=0)
    """Packets that left or were dropped by policy: CPP's denominator."""
    stages: dict[Name, dict[str, Count]]
    """Per stage the events of iterations that handled a packet; apart stages included under their names."""
    readings: dict[Name, dict[str, Count]] = Field(default_factory=dict)
    """Of these, what reading the events itself costs."""
    reasons: dict[str, str] = Field(default_factory=dict)
    """Events that were asked for and not counted, and why."""


@dataclass(frozen=True)
class EventFigures:
    """A stage, or the chain. None: not counted."""

    per_packet: dict[str, float]
    cpp: float | None
    """Core cycles per packet."""
    ipp: float | None
    eipc: float | None


def figures(count: EventCount, apart: Collection[str] = ()) -> dict[str | None, EventFigures]:
    """Per stage, and for the chain (None), which the stages that are not apart add up to."""
    own = {name: _net(count, name) for name in count.stages if name not in apart}
    events = {event for stage in own.values() for event in stage}
    chain = {event: sum(stage.get(event, 0) for stage in own.values()) for event in events}
    return {name: _figures(counts, count.packets) for name, counts in (*own.items(), (None, chain))}


def _net(count: EventCount, stage: str) -> dict[str, int]:
    """Without the readings' share: never below 0, since a reading weighs a little less when it is hurried."""
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
