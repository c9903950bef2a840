# SPDX-License-Identifier: Apache-2.0
"""What an NF tells of itself when it is asked for the figures it keeps."""

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
    """None if the NF does not tell them apart from the busy ones."""


@dataclass(frozen=True)
class Reported:
    """All that one answer tells."""

    lcores: list[ReportedLcore]
    stages: list[StageInfo]
    counters: dict[str, StageCounters]


@dataclass(frozen=True)
class OwnFigures:
    """A format of figures that NFs keep."""

    what: str
    parse: Callable[[str], Reported]
    """Reads an answer. Raises nalm_core's ImportFailedError."""
    unchecked: Mapping[str, str]
    """Checks that would pass by construction, or cannot be made of these figures, with the reason."""
