# SPDX-License-Identifier: Apache-2.0
"""Reads the probe's memory (reference-nf/probe/nalm_probe.h, layouts 2 to 4) through the debugger."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

MAGIC = 0x4D4C414E
ROOM_FOR_STAGES = {2: 16, 3: 16, 4: 64}
"""By layout version."""
MAX_EVENTS = 8
FLAG_APART = 1
SENT, POLICY = 1, 2
KIND_DROPS = (2, 3, 4)
MARK = "\ufffd"
"""Replaces a character that cannot be shown."""
STATES = ("unused", "running", "parked", "finished")

_HEADER = struct.Struct("<8I4Q64s")
_NAME = struct.Struct("<32s2I")
_STAGES_AT, _STAGE_BYTES = 128, 520
_EVENT = struct.Struct("<32s96s")
_COUNTERS = struct.Struct("<Q3Ii6Q")
_MASK_AT, _STAGE_COUNTERS_AT = 168, 176
_STAGE_COUNTERS = struct.Struct("<15Q")
Read = Callable[[int, int], bytes]
"""Reads memory: address, number of bytes."""


class LayoutError(Exception):
    """The memory contains no probe, or one of another version."""


@dataclass(frozen=True)
class Stage:
    name: str
    apart: bool
    outcomes: tuple[tuple[str, int], ...]
    """Name and kind."""


@dataclass(frozen=True)
class Header:
    nf: str
    pid: int
    tsc_hz: int
    lcore_offset: int
    lcore_bytes: int
    lcore_max: int
    room: int
    """For stages."""
    stages: tuple[Stage, ...]
    events: tuple[str, ...]
    """PAPI's names."""


@dataclass(frozen=True)
class Lcore:
    """One lcore's raw cumulative counters."""

    lcore: int
    tid: int
    state: str
    torn: bool
    """The lcore stopped while it published: the iteration is counted in part."""
    packets: int
    busy: int
    idle: int
    stages: tuple[tuple[int, ...], ...]
    """Cycles, packets, batches, then outcomes."""
    event_mask: int
    events: tuple[int, ...]
    """Readings, each stage's marks, each stage's events."""


Snapshot = dict[int, Lcore]
"""By index of the lcore's block."""


def _text(raw: bytes) -> str:
    """A name of the NF, without characters that a terminal acts on or that change the order of text."""
    text = raw.split(b"\0", 1)[0].decode(errors="replace")
    return "".join(one if one.isprintable() else MARK for one in text)


def read_header(read: Read, at: int) -> Header:
    """The header at an address. Raises LayoutError."""
    magic, version = struct.unpack("<2I", read(at, 8))
    if magic != MAGIC:
        raise LayoutError(f"there is no probe at {at:#x}: the probe's mark is missing")
    if version not in ROOM_FOR_STAGES:
        raise LayoutError(
            f"the probe at {at:#x} has layout {version}; this nalm reads layouts 2 to 4: "
            "build the NF with the nalm_probe.h that belongs to this nalm"
        )
    room = ROOM_FOR_STAGES[version]
    events_at = _STAGES_AT + room * _STAGE_BYTES
    raw = read(at, events_at + 8 + MAX_EVENTS * _EVENT.size)
    *_, offset, size, most, count, _, hz, pid, _, nf = _HEADER.unpack_from(raw)
    stages = tuple(_stage(raw, _STAGES_AT + index * _STAGE_BYTES) for index in range(count))
    (events,) = struct.unpack_from("<I", raw, events_at)
    names = tuple(_text(_EVENT.unpack_from(raw, events_at + 8 + at * _EVENT.size)[0]) for at in range(events))
    return Header(_text(nf), pid, hz, offset, size, most, room, stages, names)


def _stage(raw: bytes, at: int) -> Stage:
    name, flags, count = _NAME.unpack_from(raw, at)
    outcomes = (_NAME.unpack_from(raw, at + _NAME.size * (1 + index)) for index in range(count))
    return Stage(
        _text(name), bool(flags & FLAG_APART), tuple((_text(one), kind) for one, kind, _ in outcomes)
    )


def read_lcores(read: Read, at: int, header: Header) -> Snapshot:
    """The current counters of every claimed lcore."""
    found: Snapshot = {}
    events = _events(header.room)
    size = _STAGE_COUNTERS_AT + header.room * _STAGE_COUNTERS.size + events.size
    for index in range(header.lcore_max):
        raw = read(at + header.lcore_offset + index * header.lcore_bytes, size)
        lcore = _lcore(raw, header.room, events)
        if lcore.state == STATES[0]:
            break
        found[index] = lcore
    return found


def _events(room: int) -> struct.Struct:
    return struct.Struct(f"<{MAX_EVENTS + room + room * MAX_EVENTS}Q")


def _lcore(raw: bytes, room: int, events: struct.Struct) -> Lcore:
    seq, state, _, lcore, tid, _, packets, busy, idle, _, _ = _COUNTERS.unpack_from(raw)
    (mask,) = struct.unpack_from("<I", raw, _MASK_AT)
    events_at = _STAGE_COUNTERS_AT + room * _STAGE_COUNTERS.size
    at = range(_STAGE_COUNTERS_AT, events_at, _STAGE_COUNTERS.size)
    return Lcore(
        lcore=lcore,
        tid=tid,
        state=STATES[state] if state < len(STATES) else f"state {state}",
        torn=bool(seq & 1),
        packets=packets,
        busy=busy,
        idle=idle,
        stages=tuple(_STAGE_COUNTERS.unpack_from(raw, one) for one in at),
        event_mask=mask,
        events=events.unpack_from(raw, events_at),
    )


def stage_event(lcore: Lcore, stage: int, event: int) -> int:
    """An event of a stage, without the cost of reading it."""
    room = len(lcore.stages)
    reading, marks = lcore.events[event], lcore.events[MAX_EVENTS + stage]
    return max(0, lcore.events[MAX_EVENTS + room + stage * MAX_EVENTS + event] - reading * marks)
