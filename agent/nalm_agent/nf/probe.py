# SPDX-License-Identifier: Apache-2.0
"""Reads a probe file (contract 1, reference-nf/probe/nalm_probe.h) of layout version 2 or 3."""

from __future__ import annotations

import mmap
import os
import time
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from nalm_core.report.run_report import LcoreCounters, LcoreTurn, OutcomeKind, StageCounters, StageInfo
from nalm_core.text.plain_text import plain_line

from nalm_agent.runtime.errors import ProbeError

MAGIC = 0x4D4C414E
VERSION = 3
READABLE = (2, VERSION)
MAX_STAGES, MAX_OUTCOMES, MAX_BATCH, MAX_EVENTS = 16, 12, 1024, 8
MAX_BATCH_OF_2 = 256
COUNTED = "counted"
FLAG_APART = 1
CAN_BARE = 1
SNAPSHOT_SECONDS = 2.0
"""Longest wait for a writer that lost its CPU in the middle of an iteration."""

_OUTCOME = np.dtype([("name", "S32"), ("kind", "<u4"), ("reserved", "<u4")])
_STAGE_NAME = np.dtype(
    [("name", "S32"), ("flags", "<u4"), ("outcome_count", "<u4"), ("outcomes", _OUTCOME, MAX_OUTCOMES)]
)
_EVENT_NAME = np.dtype([("name", "S32"), ("state", "S96")])
_HEADER = np.dtype(
    [
        ("magic", "<u4"),
        ("version", "<u4"),
        ("header_bytes", "<u4"),
        ("control_offset", "<u4"),
        ("lcore_offset", "<u4"),
        ("lcore_bytes", "<u4"),
        ("lcore_max", "<u4"),
        ("stage_count", "<u4"),
        ("file_bytes", "<u8"),
        ("tsc_hz", "<u8"),
        ("pid", "<u8"),
        ("started_realtime_ns", "<u8"),
        ("nf", "S64"),
        ("stages", _STAGE_NAME, MAX_STAGES),
        ("event_count", "<u4"),
        ("abilities", "<u4"),
        ("events", _EVENT_NAME, MAX_EVENTS),
    ]
)
_STAGE = np.dtype(
    [
        ("cycles", "<u8"),
        ("packets", "<u8"),
        ("batches", "<u8"),
        ("outcomes", "<u8", MAX_OUTCOMES),
    ]
)
_BATCHES = np.dtype([("sizes", [("count", "<u8"), ("cycles", "<u8")], MAX_BATCH + 1), ("reserved", "<u8", 6)])
_BATCHES_OF_2 = np.dtype([("count", "<u8", MAX_BATCH_OF_2 + 1), ("cycles", "<u8", MAX_BATCH_OF_2 + 1)])
_LCORE = np.dtype(
    [
        ("seq", "<u8"),
        ("state", "<u4"),
        ("parked_turn", "<u4"),
        ("lcore_id", "<u4"),
        ("tid", "<i4"),
        ("iterations", "<u8"),
        ("packets", "<u8"),
        ("busy_cycles", "<u8"),
        ("idle_cycles", "<u8"),
        ("idle_polls", "<u8"),
        ("apart_cycles", "<u8"),
        ("turns", "<u8"),
        ("turn_tsc_cycles", "<u8"),
        ("turn_wall_ns", "<u8"),
        ("turn_cpu_ns", "<u8"),
        ("turn_voluntary_switches", "<u8"),
        ("turn_involuntary_switches", "<u8"),
        ("turn_minor_faults", "<u8"),
        ("turn_major_faults", "<u8"),
        ("turn_begin_tsc_per_million_adds", "<u8"),
        ("turn_end_tsc_per_million_adds", "<u8"),
        ("buffers", "<u8"),
        ("buffers_at_tsc", "<u8"),
        ("event_mask", "<u4"),
        ("reserved", "<u4"),
        ("stages", _STAGE, MAX_STAGES),
    ]
)
_EVENTS = np.dtype(
    [
        ("reading", "<u8", MAX_EVENTS),
        ("marks", "<u8", MAX_STAGES),
        ("stages", "<u8", (MAX_STAGES, MAX_EVENTS)),
        ("busy", "<u8", MAX_EVENTS),
        ("idle", "<u8", MAX_EVENTS),
        ("apart", "<u8", MAX_EVENTS),
    ]
)
_LCORE_AND_EVENTS = np.dtype([("counters", _LCORE), ("events", _EVENTS)])
LCORE_BYTES = {
    2: _LCORE_AND_EVENTS.itemsize + MAX_STAGES * _BATCHES_OF_2.itemsize,
    VERSION: _LCORE_AND_EVENTS.itemsize + (1 + MAX_STAGES) * _BATCHES.itemsize,
}
"""Of a block, by layout version, without padding."""
_KINDS = list(OutcomeKind)
"""In the order of enum nalm_outcome_kind."""
HEADER_BYTES = _HEADER.itemsize
EVENT_COUNT_AT = _HEADER.fields["event_count"][1] if _HEADER.fields else 0

Block = npt.NDArray[Any]
"""A copy of one lcore's block: a structured scalar array."""


class LcoreState(IntEnum):
    UNUSED = 0
    RUNNING = 1
    PARKED = 2
    FINISHED = 3


@dataclass(frozen=True)
class Snapshot:
    """Consistent copies of the claimed lcores' blocks; each is of one moment."""

    blocks: list[Block]
    events: list[Block] = field(default_factory=list)
    """Copies of the same moments; empty if the NF reads no events."""


@dataclass(frozen=True)
class EventState:
    """An event that the NF was requested to read. reason: why it does not; None if it does."""

    name: str
    reason: str | None


class ProbeFile:
    """A mapped probe file. Call `close` before the file's directory is removed."""

    def __init__(self, path: Path, *, writable: bool = False) -> None:
        try:
            with path.open("r+b" if writable else "rb") as file:
                access = mmap.ACCESS_WRITE if writable else mmap.ACCESS_READ
                self.map = mmap.mmap(file.fileno(), 0, access=access)
        except (OSError, ValueError) as error:
            raise ProbeError(
                f"{path} cannot be read as a probe file: {getattr(error, 'strerror', None) or error}",
                hint="check that it is the path in the NF's NALM_PROBE_FILE, and that the NF runs",
            ) from error
        try:
            self._read_header(path)
        except ProbeError:
            self.close()
            raise

    def _read_header(self, path: Path) -> None:
        if len(self.map) < HEADER_BYTES or int.from_bytes(self.map[:4], "little") != MAGIC:
            raise ProbeError(
                f"{path} is not a probe file", hint="name the file of the NF's variable NALM_PROBE_FILE"
            )
        self.version = int.from_bytes(self.map[4:8], "little")
        if self.version not in READABLE:
            raise ProbeError(
                f"{path} has probe layout {self.version}; this nalm reads layouts 2 and {VERSION}",
                hint="build the NF with the nalm_probe.h that belongs to this nalm",
            )
        header = np.frombuffer(self.map, dtype=_HEADER, count=1)[0].copy()
        needed = int(header["lcore_offset"]) + int(header["lcore_max"]) * int(header["lcore_bytes"])
        if len(self.map) < needed or header["lcore_bytes"] < LCORE_BYTES[self.version]:
            raise ProbeError(f"{path} is truncated: it has {len(self.map)} of {needed} bytes")
        self.nf = plain_line(header["nf"].decode(errors="replace"))
        self.pid = int(header["pid"])
        self.tsc_hz = int(header["tsc_hz"])
        self.has_bare_turns = bool(int(header["abilities"]) & CAN_BARE)
        """Whether the NF has turns without marks."""
        self.control_offset = int(header["control_offset"])
        self._lcore_offset, self._lcore_bytes = int(header["lcore_offset"]), int(header["lcore_bytes"])
        self._lcore_max = int(header["lcore_max"])
        self.stages = [_stage_info(stage) for stage in header["stages"][: int(header["stage_count"])]]

    def close(self) -> None:
        """Unmaps the file."""
        self.map.close()

    def states(self) -> list[tuple[LcoreState, int]]:
        """State and parked turn of every claimed lcore."""
        found: list[tuple[LcoreState, int]] = []
        for lcore in range(self._lcore_max):
            at = self._lcore_offset + lcore * self._lcore_bytes + 8
            state = LcoreState(int.from_bytes(self.map[at : at + 4], "little"))
            if state is LcoreState.UNUSED:
                break
            found.append((state, int.from_bytes(self.map[at + 4 : at + 8], "little")))
        return found

    def snapshot(self) -> Snapshot:
        """Copies every claimed lcore's block. Raises ProbeError if a writer never publishes."""
        lcores = range(len(self.states()))
        if not int.from_bytes(self.map[EVENT_COUNT_AT : EVENT_COUNT_AT + 4], "little"):
            return Snapshot([self._consistent(lcore, 0, _LCORE) for lcore in lcores])
        both = [self._consistent(lcore, 0, _LCORE_AND_EVENTS) for lcore in lcores]
        return Snapshot([one["counters"] for one in both], [one["events"] for one in both])

    def events(self) -> list[EventState]:
        """The events requested of the NF, in its order; complete once its lcores are at the gate."""
        header = np.frombuffer(self.map, dtype=_HEADER, count=1)[0]
        named = header["events"][: int(header["event_count"])].copy()
        states = [
            (
                plain_line(event["name"].decode(errors="replace")),
                plain_line(event["state"].decode(errors="replace")),
            )
            for event in named
        ]
        return [EventState(name, None if state == COUNTED else state) for name, state in states]

    def batches(self, lcore: int, stage: int) -> Block:
        """One stage's batches on one lcore by size: fields `count` (marks) and `cycles`."""
        offset = _LCORE_AND_EVENTS.itemsize
        if self.version == 2:
            return self._consistent(lcore, offset + stage * _BATCHES_OF_2.itemsize, _BATCHES_OF_2)
        return self._batches(lcore, offset + (1 + stage) * _BATCHES.itemsize)

    def iterations(self, lcore: int) -> Block | None:
        """An lcore's iterations with packets, by their packets, in the same form. None: layout 2."""
        return None if self.version == 2 else self._batches(lcore, _LCORE_AND_EVENTS.itemsize)

    def _batches(self, lcore: int, offset: int) -> Block:
        found = self._consistent(lcore, offset, _BATCHES)["sizes"]
        by_field = np.dtype([(name, "<u8", MAX_BATCH + 1) for name in ("count", "cycles")])
        result = np.empty(1, by_field)
        result["count"], result["cycles"] = found["count"], found["cycles"]
        return result

    def _consistent(self, lcore: int, offset: int, dtype: np.dtype[Any]) -> Block:
        """Copies a part of an lcore's block between two iterations: the sequence lock's reader."""
        at = self._lcore_offset + lcore * self._lcore_bytes
        begin, end = at + offset, at + offset + dtype.itemsize
        data = self.map
        deadline = time.monotonic() + SNAPSHOT_SECONDS
        while time.monotonic() < deadline:
            before = data[at : at + 8]
            raw = data[begin:end]
            if data[at : at + 8] == before and not before[0] & 1:
                return np.frombuffer(raw, dtype=dtype, count=1)
            os.sched_yield()
        raise ProbeError(f"lcore {lcore} of {self.nf} never published a whole iteration")


def _stage_info(stage: Any) -> StageInfo:
    outcomes = stage["outcomes"][: int(stage["outcome_count"])]
    return StageInfo(
        name=stage["name"].decode(),
        apart=bool(int(stage["flags"]) & FLAG_APART),
        outcomes={outcome["name"].decode(): _KINDS[int(outcome["kind"])] for outcome in outcomes},
    )


def lcore_counters(before: Snapshot, after: Snapshot) -> list[LcoreCounters]:
    """Raw differences per lcore."""
    return [_lcore(old[0], new[0]) for old, new in zip(before.blocks, after.blocks, strict=True)]


def _lcore(old: Any, new: Any) -> LcoreCounters:
    def difference(name: str) -> int:
        return int(new[name]) - int(old[name])

    return LcoreCounters(
        lcore=int(new["lcore_id"]),
        packets=difference("packets"),
        busy_cycles=difference("busy_cycles"),
        idle_cycles=difference("idle_cycles"),
        apart_cycles=difference("apart_cycles"),
        turn_tsc_cycles=difference("turn_tsc_cycles"),
        turn_wall_ns=difference("turn_wall_ns"),
        turn_cpu_ns=difference("turn_cpu_ns"),
        involuntary_switches=difference("turn_involuntary_switches"),
        voluntary_switches=difference("turn_voluntary_switches"),
        minor_faults=difference("turn_minor_faults"),
        major_faults=difference("turn_major_faults"),
        speed_before=int(new["turn_begin_tsc_per_million_adds"]) or None,
        speed_after=int(new["turn_end_tsc_per_million_adds"]) or None,
    )


def lcore_turns(before: Snapshot, after: Snapshot) -> list[LcoreTurn]:
    """The same of a turn without marks."""
    names = LcoreTurn.model_fields
    return [
        LcoreTurn(**{name: getattr(one, name) for name in names}) for one in lcore_counters(before, after)
    ]


def buffers_in_use(after: Snapshot) -> int | None:
    """Packet buffers held by the process at the end of the last turn; None if the NF does not count them."""
    samples = [(int(block[0]["buffers_at_tsc"]), int(block[0]["buffers"])) for block in after.blocks]
    at_tsc, buffers = max(samples, default=(0, 0))
    return buffers if at_tsc else None


def stage_counters(stages: list[StageInfo], before: Snapshot, after: Snapshot) -> dict[str, StageCounters]:
    """Raw differences per stage, summed over lcores."""
    result = {}
    for index, stage in enumerate(stages):
        pairs = [
            (old[0]["stages"][index], new[0]["stages"][index])
            for old, new in zip(before.blocks, after.blocks, strict=True)
        ]
        result[stage.name] = StageCounters(
            cycles=sum(int(new["cycles"]) - int(old["cycles"]) for old, new in pairs),
            packets=sum(int(new["packets"]) - int(old["packets"]) for old, new in pairs),
            batches=sum(int(new["batches"]) - int(old["batches"]) for old, new in pairs),
            outcomes={
                name: sum(int(new["outcomes"][at]) - int(old["outcomes"][at]) for old, new in pairs)
                for at, name in enumerate(stage.outcomes)
            },
        )
    return result


def counted_packets(stages: list[StageInfo], counters: dict[str, StageCounters]) -> int:
    """Packets that left or were dropped by policy: CPP's denominator (metrics.md)."""
    counted = (OutcomeKind.SENT, OutcomeKind.POLICY)
    return sum(
        counters[stage.name].outcomes[name]
        for stage in stages
        for name, kind in stage.outcomes.items()
        if kind in counted
    )
