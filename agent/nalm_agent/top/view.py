# SPDX-License-Identifier: Apache-2.0
"""A view: the figures of an NF over one interval, from any source. It is one line of a recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from nalm_core.report.terms import Model
from pydantic import Field

MISSING = "-"


class StageView(Model):
    """One stage, of the whole NF or of one lcore. A figure is None without packets or counts."""

    stage: str
    apart: bool
    cpp: float | None
    """TSC cycles divided by the counted packets of the whole NF, so that stages and lcores add up."""
    cycles_per_visit: float | None
    pps: float
    """Packets handed to the stage, per second."""
    mean_batch: float | None
    ipp: float | None = None
    eipc: float | None = None
    drops: dict[str, int] = Field(default_factory=dict)


class LcoreView(Model):
    """One lcore."""

    lcore: int
    tid: int
    state: str
    pps: float
    """Packets that it handled per second."""
    cur: float | None
    cpp: float | None
    ipp: float | None = None
    eipc: float | None = None
    stages: list[StageView]


class PortView(Model):
    """One port, by DPDK's counters."""

    port: int
    name: str = ""
    """DPDK's name of the device."""
    rx_pps: float
    tx_pps: float
    drops: dict[str, int]


class FunctionView(Model):
    """One C function, by samples."""

    name: str
    object: str
    share: float
    """Share of all samples, 0..1."""


class View(Model):
    """An NF over one interval. A figure is None if it is unknown; `missing` has the reason."""

    version: Literal[1] = 1
    source: Literal["probe", "telemetry", "perf"]
    unix_s: float
    """End of the interval."""
    nf: str
    pid: int
    seconds: float = Field(gt=0)
    pps: float | None = None
    """Packets per second of the NF's own time, without that of a generator on its lcore (Eq. 6)."""
    cpp: float | None = None
    cur: float | None = None
    """Busy share of cycles, summed over lcores."""
    ipp: float | None = None
    eipc: float | None = None
    stages: list[StageView] = Field(default_factory=list)
    lcores: list[LcoreView] = Field(default_factory=list)
    ports: list[PortView] = Field(default_factory=list)
    functions: list[FunctionView] = Field(default_factory=list)
    missing: dict[str, str] = Field(default_factory=dict)
    """Reasons of missing figures, by figure."""


class Feed(Protocol):
    """A source of views."""

    def next_view(self, wait: Callable[[float], None], seconds: float) -> View | None:
        """The view of one interval, during which it calls `wait`; None after the last view."""

    def close(self) -> None:
        """Releases the NF."""


def ratio(numerator: float, denominator: float) -> float | None:
    """The quotient; None if the denominator is 0."""
    return numerator / denominator if denominator else None
