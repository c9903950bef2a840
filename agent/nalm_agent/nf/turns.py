# SPDX-License-Identifier: Apache-2.0
"""What rounds are made of: an NF that can be given turns, and what one turn counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from nalm_core.report.counters import ENDED
from nalm_core.report.run_report import LcoreCounters, StageCounters, StageInfo


@dataclass(frozen=True)
class TurnCounters:
    """Raw differences over one turn."""

    lcores: list[LcoreCounters]
    stages: dict[str, StageCounters]
    buffers_in_use: int | None = None
    """Packet buffers held when it ended; None if the NF does not say."""


class NfInTurns(Protocol):
    """A running NF of which the rounds want no more than this. Every method raises NfError."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    @property
    def stages(self) -> list[StageInfo]:
        """In the order packets pass them; known once it is ready."""

    def wait_ready(self) -> None:
        """Returns when it waits for its first turn."""

    def counted_turn(self, milliseconds: float) -> TurnCounters:
        """Lets it run for so long; before and after it stands still."""

    def mapped_files(self) -> frozenset[Path] | None:
        """Files that it has mapped now; None if that does not tell what it runs."""

    def log_tail(self) -> str:
        """The last lines it wrote."""

    def finish(self) -> None:
        """Ends it in order."""


def taken_in(stages: Sequence[StageInfo], counters: Mapping[str, StageCounters]) -> int:
    """Packets handed to the NF's first own stage."""
    first = next((stage.name for stage in stages if not stage.apart), None)
    return 0 if first is None or first not in counters else counters[first].packets


def ended(stages: Sequence[StageInfo], counters: Mapping[str, StageCounters]) -> int:
    """Packets that left the NF or were dropped, by name."""
    return sum(
        counters[stage.name].outcomes.get(outcome, 0)
        for stage in stages
        if not stage.apart and stage.name in counters
        for outcome, kind in stage.outcomes.items()
        if kind in ENDED
    )
