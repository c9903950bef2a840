# SPDX-License-Identifier: Apache-2.0
"""What a host delivers per second, and the cost of a line that another CPU had, by `nalm doctor`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from nalm_core.report.terms import Model

LineState = Literal["clean", "dirty", "dirty_other_node", "memory", "memory_other_node"]
"""What another CPU did with the line: read it, wrote it, wrote it on another NUMA node, wrote it and flushed
it to memory, flushed it to the memory of another node (Wu et al., Table VI)."""

PerSecond = Annotated[float, Field(gt=0, le=1e15)]


class HostSupply(Model):
    """A figure that was not measured is absent, with its reason in `missing`."""

    one: dict[str, PerSecond]
    """Of one CPU: instructions, and lines from L1d, L2, L3 and memory."""
    together: dict[str, PerSecond]
    """The same of `cpus` CPUs at once."""
    cpus: int = Field(ge=1)
    core_hz: PerSecond
    """Core clock."""
    watts: float | None = Field(default=None, gt=0, le=1e6)
    """Of all packages while all CPUs work (RAPL)."""
    line_ns: dict[LineState, Annotated[float, Field(ge=0, le=1e9)]] = Field(default_factory=dict)
    """Time of one dependent load of a line that another CPU had."""
    missing: dict[str, str] = Field(default_factory=dict)
    """Why a figure is absent, by its name."""
