# SPDX-License-Identifier: Apache-2.0
"""Reads a probe file (contract 1, reference-nf/probe/nalm_probe.h) of layout version 2, 3 or 4."""

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

from nalm_agent.nf.probe_layout import MAGIC, MAX_BATCH, ROOM_FOR_STAGES, probe_layout
from nalm_agent.runtime.errors import ProbeError

COUNTED = "counted"
FLAG_APART = 1
CAN_BARE, CAN_MERGE, CAN_LONG = 1, 2, 4
SNAPSHOT_SECONDS = 2.0
"""Longest wait for a writer that lost its CPU in the middle of an iteration."""
_KINDS = list(OutcomeKind)
"""In the order of enum nalm_outcome_kind."""
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
        if len(self.map) < 8 or int.from_bytes(self.map[:4], "little") != MAGIC:
            raise ProbeError(
                f"{path} is not a probe file", hint="name the file of the NF's variable NALM_PROBE_FILE"
            )
        self.version = int.from_bytes(self.map[4:8], "little")
        layout = probe_layout(self.version)
        if layout is None:
            raise ProbeError(
                f"{path} has probe layout {self.version}; this nalm reads layouts "
                f"{min(ROOM_FOR_STAGES)} to {max(ROOM_FOR_STAGES)}",
                hint="build the NF with the nalm_probe.h that belongs to this nalm",
            )
        if len(self.map) < layout.header.itemsize:
            raise ProbeError(f"{path} is truncated: it has {len(self.map)} of {layout.header.itemsize} bytes")
        self._layout = layout
        header = np.frombuffer(self.map, dtype=layout.header, count=1)[0].copy()
        needed = int(header["lcore_offset"]) + int(header["lcore_max"]) * int(header["lcore_bytes"])
        self.counts_lengths = bool(int(header["abilities"]) & CAN_LONG)
        """Whether it counts long marks by their length; older probes do not."""
        block_bytes = layout.block_bytes + (layout.lengths.itemsize if self.counts_lengths else 0)
        if len(self.map) < needed or header["lcore_bytes"] < block_bytes:
            raise ProbeError(f"{path} is truncated: it has {len(self.map)} of {needed} bytes")
        self.nf = plain_line(header["nf"].decode(errors="replace"))
        self.pid = int(header["pid"])
        self.tsc_hz = int(header["tsc_hz"])
        self.has_bare_turns = bool(int(header["abilities"]) & CAN_BARE)
        """Whether the NF has turns without marks."""
        self.merges_marks = bool(int(header["abilities"]) & CAN_MERGE)
        """Whether it loses no mark or outcome, however many an iteration has; older probes do."""
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
        at = self._layout.event_count_at
        if not int.from_bytes(self.map[at : at + 4], "little"):
            return Snapshot([self._consistent(lcore, 0, self._layout.counters) for lcore in lcores])
        both = [self._consistent(lcore, 0, self._layout.counters_and_events) for lcore in lcores]
        return Snapshot([one["counters"] for one in both], [one["events"] for one in both])

    def events(self) -> list[EventState]:
        """The events requested of the NF, in its order; complete once its lcores are at the gate."""
        header = np.frombuffer(self.map, dtype=self._layout.header, count=1)[0]
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
        offset = self._layout.batches_at + stage * self._layout.batches.itemsize
        return self._batches(lcore, offset)

    def iterations(self, lcore: int) -> Block | None:
        """An lcore's iterations with packets, by their packets, in the same form. None: layout 2."""
        offset = self._layout.iterations_at
        return None if offset is None else self._batches(lcore, offset)

    def lengths(self, lcore: int) -> Block:
        """Long marks on one lcore, of a probe that counts them: fields `count` and `cycles`, by stage and
        by the binary logarithm of a mark's cycles."""
        assert self.counts_lengths
        found: Block = self._consistent(lcore, self._layout.lengths_at, self._layout.lengths)
        by_stage: Block = found["stages"][0]
        return by_stage

    def _batches(self, lcore: int, offset: int) -> Block:
        found = self._consistent(lcore, offset, self._layout.batches)
        if self.version == 2:
            return found
        by_field = np.dtype([(name, "<u8", MAX_BATCH + 1) for name in ("count", "cycles")])
        result = np.empty(1, by_field)
        result["count"], result["cycles"] = found["sizes"]["count"], found["sizes"]["cycles"]
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
