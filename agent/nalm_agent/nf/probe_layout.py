# SPDX-License-Identifier: Apache-2.0
"""The layouts of a probe file (reference-nf/probe/nalm_probe.h), by their version."""

from __future__ import annotations

from functools import cache

import numpy as np

MAGIC = 0x4D4C414E
ROOM_FOR_STAGES = {2: 16, 3: 16, 4: 64}
"""By layout version."""
MAX_OUTCOMES, MAX_BATCH, MAX_EVENTS, LENGTHS = 12, 1024, 8, 32
MAX_BATCH_OF_2 = 256

_OUTCOME = np.dtype([("name", "S32"), ("kind", "<u4"), ("reserved", "<u4")])
_STAGE_NAME = np.dtype(
    [("name", "S32"), ("flags", "<u4"), ("outcome_count", "<u4"), ("outcomes", _OUTCOME, MAX_OUTCOMES)]
)
_EVENT_NAME = np.dtype([("name", "S32"), ("state", "S96")])
_STAGE = np.dtype(
    [
        ("cycles", "<u8"),
        ("packets", "<u8"),
        ("batches", "<u8"),
        ("outcomes", "<u8", MAX_OUTCOMES),
    ]
)
_BATCHES = np.dtype([("sizes", [("count", "<u8"), ("cycles", "<u8")], MAX_BATCH + 1), ("reserved", "<u8", 6)])
_LENGTHS = np.dtype([("count", "<u8"), ("cycles", "<u8")])
_BATCHES_OF_2 = np.dtype([("count", "<u8", MAX_BATCH_OF_2 + 1), ("cycles", "<u8", MAX_BATCH_OF_2 + 1)])


class ProbeLayout:
    """Where a version of the layout has what."""

    def __init__(self, version: int) -> None:
        room = ROOM_FOR_STAGES[version]
        self.header = np.dtype(
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
                ("stages", _STAGE_NAME, room),
                ("event_count", "<u4"),
                ("abilities", "<u4"),
                ("events", _EVENT_NAME, MAX_EVENTS),
            ]
        )
        self.event_count_at = 128 + room * _STAGE_NAME.itemsize
        self.counters = np.dtype(
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
                ("merged_marks", "<u4"),
                ("stages", _STAGE, room),
            ]
        )
        events = np.dtype(
            [
                ("reading", "<u8", MAX_EVENTS),
                ("marks", "<u8", room),
                ("stages", "<u8", (room, MAX_EVENTS)),
                ("busy", "<u8", MAX_EVENTS),
                ("idle", "<u8", MAX_EVENTS),
                ("apart", "<u8", MAX_EVENTS),
            ]
        )
        self.counters_and_events = np.dtype([("counters", self.counters), ("events", events)])
        self.batches = _BATCHES_OF_2 if version == 2 else _BATCHES
        self.iterations_at = None if version == 2 else self.counters_and_events.itemsize
        """Offset of an lcore's iterations by size in its block. None: it has none."""
        self.batches_at = self.counters_and_events.itemsize + (0 if version == 2 else _BATCHES.itemsize)
        """Offset of the first stage's batches."""
        self.block_bytes = self.batches_at + room * self.batches.itemsize
        """Of an lcore's block, without padding and lengths of marks."""
        self.lengths = np.dtype([("stages", _LENGTHS, (room, LENGTHS))])
        self.lengths_at = self.block_bytes
        """Offset of an lcore's marks by length, of a probe that counts them."""


@cache
def probe_layout(version: int) -> ProbeLayout | None:
    """The layout of a version; None if it is not known."""
    return ProbeLayout(version) if version in ROOM_FOR_STAGES else None
