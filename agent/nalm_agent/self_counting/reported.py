# SPDX-License-Identifier: Apache-2.0
"""An NF's own figures, as its commands report them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from nalm_core.report.run_report import StageCounters, StageInfo


@dataclass(frozen=True)
class ReportedLcore:
    """One polling thread since its figures were cleared. TSC cycles, packets, seconds."""

    lcore: int
    thread: str
    """The thread's name in the kernel, as a shell pattern."""
    seconds: float
    packets: int
    busy_cycles: int
    idle_cycles: int | None
    """None if the NF does not separate them from busy cycles."""


@dataclass(frozen=True)
class Reported:
    """The figures of one answer."""

    lcores: list[ReportedLcore]
    stages: list[StageInfo]
    counters: dict[str, StageCounters]


@dataclass(frozen=True)
class OwnFigures:
    """A format of own figures."""

    what: str
    parse: Callable[[str], Reported]
    """Parses an answer. Raises nalm_core's ImportFailedError."""
    unchecked: Mapping[str, str]
    """Checks that these figures always pass or do not allow, with the reason."""
