# SPDX-License-Identifier: Apache-2.0
"""How a measurement tells where it is. One protocol, several listeners: terminal, server, nobody."""

from __future__ import annotations

from typing import Protocol

from nalm_core.report.run_report import Arm, InstructionCount


class Progress(Protocol):
    def step(self, name: str, detail: str, fraction: float, seconds_left: float | None = None) -> None:
        """The current step, what in it, the share of the whole done (0..1), seconds the rest may take."""

    def say(self, line: str) -> None:
        """A line worth keeping: a choice made, a reason to wait."""

    def instructions(self, counts: dict[Arm, InstructionCount]) -> None:
        """The instruction counts are there, long before the cycles."""


class Silent:
    """Tells nobody."""

    def step(self, name: str, detail: str, fraction: float, seconds_left: float | None = None) -> None:
        """Ignored."""

    def say(self, line: str) -> None:
        """Ignored."""

    def instructions(self, counts: dict[Arm, InstructionCount]) -> None:
        """Ignored."""
