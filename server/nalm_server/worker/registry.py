# SPDX-License-Identifier: Apache-2.0
"""Who does which kind of work, how urgent it is, and how often it runs anyway. `app.workers` fills it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nalm_core.wire.queues import PRIORITY_STEPS

from nalm_server.db.context import Context
from nalm_server.worker.kinds import Work


@dataclass(frozen=True)
class Worker:
    """`drain` does all there is to do now, a transaction for each piece, and may run twice at once."""

    drain: Callable[[Context], None]
    every_seconds: float
    """Its run by the schedule is the sweep that finds what a lost message meant."""
    priority: int = PRIORITY_STEPS[-1]
    """0 goes first."""


WORKERS: dict[Work, Worker] = {}


def drain(context: Context) -> None:
    """Does all work of every kind once, in this thread."""
    for worker in WORKERS.values():
        worker.drain(context)
