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


class PartProgress:
    """One of several equal parts of a measurement, as a Progress of its own."""

    def __init__(self, whole: Progress, name: str, number: int, total: int) -> None:
        """number: from 1."""
        self._whole, self._number, self._total = whole, number, total
        self._name = name if total == 1 else f"{name} ({number} of {total})"

    def step(self, name: str, detail: str, fraction: float, seconds_left: float | None = None) -> None:
        done = (self._number - 1 + fraction) / self._total
        self._whole.step(name, f"{self._name}, {detail}", done, seconds_left)

    def say(self, line: str) -> None:
        self._whole.say(line)

    def instructions(self, counts: dict[Arm, InstructionCount]) -> None:
        self._whole.instructions(counts)


class Silent:
    """Progress without a listener."""

    def step(self, name: str, detail: str, fraction: float, seconds_left: float | None = None) -> None:
        """Ignored."""

    def say(self, line: str) -> None:
        """Ignored."""

    def instructions(self, counts: dict[Arm, InstructionCount]) -> None:
        """Ignored."""
