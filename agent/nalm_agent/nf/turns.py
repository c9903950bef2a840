# SPDX-License-Identifier: Apache-2.0
"""The parts of rounds: an NF that runs in turns, and the counters of a turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from nalm_core.report.counters import ENDED
from nalm_core.report.offered_load import RoundTraffic
from nalm_core.report.run_report import LcoreCounters, StageCounters, StageInfo

from nalm_agent.nf.batches import BatchSnapshot


@dataclass(frozen=True)
class TurnCounters:
    """Raw differences over one turn."""

    lcores: list[LcoreCounters]
    stages: dict[str, StageCounters]
    buffers_in_use: int | None = None
    """Packet buffers held at the end; None if the NF does not count them."""
    traffic: RoundTraffic | None = None
    """What its generator sent; None in a closed loop."""


class NfInTurns(Protocol):
    """A running NF, as rounds use it. Every method raises NfError."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    @property
    def stages(self) -> list[StageInfo]:
        """Stages in the order in which packets pass them; known once the NF is ready."""

    def wait_ready(self) -> None:
        """Returns when the NF waits for its first turn."""

    def counted_turn(self, milliseconds: float) -> TurnCounters:
        """Runs the NF for so long. It does not run before and after the turn."""

    def batches(self) -> BatchSnapshot:
        """Batches so far, by size; none if they are not counted."""

    def mapped_files(self) -> frozenset[Path] | None:
        """Files that it has mapped now; None if they do not show what it runs."""

    def log_tail(self) -> str:
        """The last lines of its output."""

    @property
    def pid(self) -> int:
        """The process that was started."""

    @property
    def directory(self) -> Path:
        """Its own directory."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Its variables."""

    @property
    def log(self) -> Path:
        """The file that has what it printed."""

    def in_run_dir(self, command: Sequence[str]) -> list[str]:
        """A command line with its own directory in it."""

    def answering(self) -> AbstractContextManager[None]:
        """Between two turns: its other threads can answer commands."""

    def finish(self) -> None:
        """Ends the NF."""


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
