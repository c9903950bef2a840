# SPDX-License-Identifier: Apache-2.0
"""Progress of a measurement: one protocol with several listeners (terminal, server, none)."""

from __future__ import annotations

from typing import Protocol

from nalm_core.report.run_report import Arm, InstructionCount


class Progress(Protocol):
    def step(self, name: str, detail: str, fraction: float, seconds_left: float | None = None) -> None:
        """Reports the step, a detail, the share of the whole that is done (0..1), and the seconds left."""

    def say(self, line: str) -> None:
        """Reports a line to keep: a choice, a reason to wait."""

    def instructions(self, counts: dict[Arm, InstructionCount]) -> None:
        """Reports the instruction counts, which are known long before the cycles."""


class Silent:
    """Progress without a listener."""

    def step(self, name: str, detail: str, fraction: float, seconds_left: float | None = None) -> None:
        """Ignored."""

    def say(self, line: str) -> None:
        """Ignored."""

    def instructions(self, counts: dict[Arm, InstructionCount]) -> None:
        """Ignored."""
