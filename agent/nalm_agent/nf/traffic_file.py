# SPDX-License-Identifier: Apache-2.0
"""The traffic file (reference-nf/probe/nalm_traffic.h): tells a generator inside the NF what to send, and
reads what it sent. It has layout version 1 to 5; others are refused. It is used only while the lcores are
parked.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from nalm_core.rates.latency import Histogram, histogram
from nalm_core.rates.rate_report import DIRECTIONS, Direction, Times, Traffic
from nalm_core.report.offered_load import NO_SHAPE, LoadShape

from nalm_agent.runtime.errors import ProbeError

VARIABLE = "NALM_TRAFFIC_FILE"
MAGIC, VERSION = 0x544D4C4E, 5
READABLE = (1, 2, 3, 4, VERSION)
"""Version 1 has no arrivals, version 2 no directions, version 3 neither bursts nor new flows, version 4 no
ramp."""
_DIRECTED, _SHAPED, _RAMPED = 3, 4, 5
STEPS, BINS = 32, 1216

_HISTOGRAM = np.dtype(
    [("count", "<u8"), ("sum", "<u8"), ("least", "<u8"), ("greatest", "<u8"), ("bins", "<u8", BINS)]
)
_TOTALS = np.dtype(
    [
        (name, "<u8")
        for name in (
            "trial",
            "sending_ticks",
            "sent",
            "late",
            "stamped",
            "received",
            "reordered",
            "duplicates",
            "damaged",
            "timed",
            "directed",
            "renewing",
            "flows_begun",
        )
    ]
)
_CONTROL = np.dtype(
    [
        (name, "<u8")
        for name in (
            "trial",
            "load",
            "rate_pps",
            "leave_out_ns",
            "arrivals",
            "cv_millionths",
            "burst",
            "new_flows_per_second",
        )
    ]
)
_FAMILIES = ("cbr", "poisson", "geometric", "nbinom")
"""enum nalm_traffic_arrivals, from 1 on."""
_LATENCY_AT = 256
_HISTOGRAM_STEP = -(-_HISTOGRAM.itemsize // 64) * 64
_DIRECTIONS_AT = _LATENCY_AT + 2 * _HISTOGRAM_STEP
_TIMES = np.dtype(
    {
        "names": ["latency", "jitter"],
        "formats": [_HISTOGRAM, _HISTOGRAM],
        "offsets": [0, _HISTOGRAM_STEP],
        "itemsize": 2 * _HISTOGRAM_STEP,
    }
)
_RAMP_AT = _DIRECTIONS_AT + len(DIRECTIONS) * _TIMES.itemsize
_RAMP = np.dtype([("period_ns", "<u8"), ("least_millionths", "<u8")])
_LAYOUT = np.dtype(
    {
        "names": [
            "magic",
            "version",
            "bytes",
            "tsc_hz",
            "steps",
            "bins",
            "control",
            "totals",
            "latency",
            "jitter",
        ],
        "formats": ["<u4", "<u4", "<u8", "<u8", "<u4", "<u4", _CONTROL, _TOTALS, _HISTOGRAM, _HISTOGRAM],
        "offsets": [
            0,
            4,
            8,
            16,
            24,
            28,
            64,
            128,
            _LATENCY_AT,
            _LATENCY_AT + _HISTOGRAM_STEP,
        ],
    }
)


class Load(IntEnum):
    """enum nalm_traffic_load."""

    CLOSED = 0
    OPEN = 1
    SILENT = 2


class TrafficFile:
    """A mapped traffic file. Call `close` before the file's directory is removed."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("r+b") as file:
                self._map = mmap.mmap(file.fileno(), 0)
        except (OSError, ValueError) as error:
            raise ProbeError(
                f"the NF did not create a traffic file {path.name}: {error}",
                hint="rates need a generator in the NF that follows nalm_traffic.h (docs/rates.md)",
            ) from error
        magic, version = (int.from_bytes(self._map[at : at + 4], "little") for at in (0, 4))
        if magic != MAGIC or version not in READABLE or len(self._map) < _LAYOUT.itemsize:
            self._map.close()
            raise ProbeError(
                f"{path.name} is not a traffic file of layout 1 to {VERSION}",
                hint="build the NF with the nalm_traffic.h of this version of nalm",
            )
        self._version = version
        self._renews = False
        self._view: Any = np.frombuffer(self._map, dtype=_LAYOUT, count=1)[0]
        self._directions: Any = None
        if version >= _DIRECTED and len(self._map) >= _RAMP_AT:
            self._directions = np.frombuffer(self._map, _TIMES, len(DIRECTIONS), _DIRECTIONS_AT)
        self._ramp: Any = None
        if version >= _RAMPED and len(self._map) >= _RAMP_AT + _RAMP.itemsize:
            self._ramp = np.frombuffer(self._map, _RAMP, 1, _RAMP_AT)[0]
        self._tick_ns = 1e9 / int(self._view["tsc_hz"])

    def close(self) -> None:
        """Unmaps the file."""
        self._view = self._directions = self._ramp = None
        self._map.close()

    def ask(
        self,
        trial: int,
        load: Load,
        *,
        rate_pps: int = 0,
        leave_out_s: float = 0.0,
        shape: LoadShape = NO_SHAPE,
    ) -> None:
        """Sets what the next turn sends. A new trial number begins a new trial.

        shape: of the open loop. Raises ProbeError if the generator cannot have it.
        """
        self._require(shape)
        control = self._view["control"]
        if self._version >= _SHAPED:
            control["burst"], control["new_flows_per_second"] = shape.burst or 0, shape.new_flows or 0
        if self._ramp is not None:
            ramp = shape.ramp
            self._ramp["period_ns"] = 0 if ramp is None else round(ramp.ms * 1e6)
            self._ramp["least_millionths"] = 0 if ramp is None else round(ramp.least * 1e6)
        if load is not Load.SILENT:
            self._renews = load is Load.OPEN and shape.new_flows is not None
        if shape.arrivals is not None:
            family, _, cv = shape.arrivals.partition(":")
            control["arrivals"] = 1 + _FAMILIES.index(family)
            control["cv_millionths"] = round(float(cv or 0) * 1e6)
        control["load"], control["rate_pps"] = int(load), rate_pps
        control["leave_out_ns"] = round(leave_out_s * 1e9)
        control["trial"] = trial

    def totals(self, trial: int) -> Traffic:
        """Totals of the current trial. Raises ProbeError if the generator reports another trial."""
        # An error must not hold a view of the file, which could then not be unmapped.
        reported, renewing = (int(self._view["totals"][name]) for name in ("trial", "renewing"))
        if reported != trial:
            raise ProbeError(
                f"the generator reports trial {reported} instead of {trial}",
                hint="the NF's generator must follow nalm_traffic.h",
            )
        if self._renews and not renewing:
            raise ProbeError(
                "the NF's generator cannot begin new flows with its traffic",
                hint="use traffic whose flows it makes (for the reference NF profile 64, 256, imix or 1500), "
                "or leave out new_flows",
            )
        totals = self._view["totals"]
        stamped = bool(totals["stamped"])
        known = {name: int(totals[name]) for name in ("received", "reordered", "duplicates", "damaged")}
        return Traffic(
            sending_ns=round(int(totals["sending_ticks"]) * self._tick_ns),
            sent=int(totals["sent"]),
            late=int(totals["late"]),
            received=known["received"] if stamped else None,
            reordered=known["reordered"] if stamped else None,
            duplicates=known["duplicates"] if stamped else None,
            damaged=known["damaged"] if stamped else None,
            flows_begun=int(totals["flows_begun"]) if self._renews else None,
        )

    def latency(self) -> Histogram | None:
        """Latencies of the current trial; None if packets carry no time stamps."""
        return self._histogram(self._view["latency"])

    def jitter(self) -> Histogram | None:
        """Jitter of the current trial; None if packets carry no time stamps."""
        return self._histogram(self._view["jitter"])

    def directions(self) -> dict[Direction, Times]:
        """Latency and jitter of each direction; empty if the generator does not tell them apart."""
        if self._directions is None or not self._view["totals"]["directed"]:
            return {}
        found = {}
        for name, one in zip(DIRECTIONS, self._directions, strict=True):
            latency, jitter = self._histogram(one["latency"]), self._histogram(one["jitter"])
            if latency is not None and jitter is not None:
                found[name] = Times(latency=latency, jitter=jitter)
        return found

    def _require(self, shape: LoadShape) -> None:
        """Raises ProbeError if the generator's version cannot change what the shape does."""
        lacks = None
        if shape.arrivals is not None and self._version == 1:
            lacks = f"its gaps to {shape.arrivals}"
        elif shape.burst is not None and self._version < _SHAPED:
            lacks = "the size of its bursts"
        elif shape.new_flows is not None and self._version < _SHAPED:
            lacks = "the number of its new flows"
        elif shape.ramp is not None and self._ramp is None:
            lacks = "its rate within a turn"
        if lacks is not None:
            raise ProbeError(
                f"the NF's generator cannot change {lacks}",
                hint="build the NF with the nalm_traffic.h of this version of nalm",
            )

    def _histogram(self, one: Any) -> Histogram | None:
        if not self._view["totals"]["timed"]:
            return None
        return histogram(
            self._filled(one["bins"]),
            sum_ns=int(one["sum"]) * self._tick_ns,
            min_ns=int(one["least"]) * self._tick_ns,
            max_ns=int(one["greatest"]) * self._tick_ns,
        )

    def _filled(self, bins: Any) -> Iterator[tuple[float, int]]:
        """(upper end in ns, count) of each non-empty bin."""
        for index in np.flatnonzero(bins):
            yield bin_end(int(index)) * self._tick_ns, int(bins[index])


def bin_end(index: int) -> int:
    """The greatest value of a bin, in ticks."""
    if index < 2 * STEPS:
        return index
    return ((index % STEPS + STEPS + 1) << (index // STEPS - 1)) - 1
