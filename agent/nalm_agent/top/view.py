# SPDX-License-Identifier: Apache-2.0
"""What is shown of an NF over one interval, whatever it was read from. One line of a recording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from nalm_core.report.terms import Model
from pydantic import Field

MISSING = "-"


class StageView(Model):
    """One stage, of the whole NF or of one lcore. None: no packets, or not counted."""

    stage: str
    apart: bool
    cpp: float | None
    """TSC cycles over the whole NF's counted packets: stages and lcores add up."""
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
    """Packets it handled, per second."""
    cur: float | None
    cpp: float | None
    ipp: float | None = None
    eipc: float | None = None
    stages: list[StageView]


class PortView(Model):
    """One port, by DPDK's counters."""

    port: int
    name: str = ""
    """As DPDK calls the device."""
    rx_pps: float
    tx_pps: float
    drops: dict[str, int]


class FunctionView(Model):
    """One C function, by samples."""

    name: str
    object: str
    share: float
    """Of all samples, 0..1."""


class View(Model):
    """An NF over one interval. A figure that is None is not known; `missing` says why."""

    version: Literal[1] = 1
    source: Literal["probe", "telemetry", "perf"]
    unix_s: float
    """When the interval ended."""
    nf: str
    pid: int
    seconds: float = Field(gt=0)
    pps: float | None = None
    """Packets per second of the NF's own time: a generator sharing its lcore is taken out, as Eq. 6 needs."""
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
    """Figures that could not be had, and why."""


class Feed(Protocol):
    """Where views come from."""

    def next_view(self, wait: Callable[[float], None], seconds: float) -> View | None:
        """What happened within an interval, which `wait` lasts; None when there is no more to see."""

    def close(self) -> None:
        """Lets go of the NF."""


def ratio(numerator: float, denominator: float) -> float | None:
    """None where there is nothing to divide by."""
    return numerator / denominator if denominator else None
