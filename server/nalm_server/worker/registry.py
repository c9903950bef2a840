# SPDX-License-Identifier: Apache-2.0
"""The workers of each kind: function, priority and schedule. `app.workers` fills it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nalm_core.wire.queues import PRIORITY_STEPS

from nalm_server.db.context import Context
from nalm_server.worker.kinds import Work


@dataclass(frozen=True)
class Worker:
    """`drain` does all that is due, in a transaction for each item, and may run twice at once."""

    drain: Callable[[Context], None]
    every_seconds: float
    """Interval of its scheduled run, which finds what lost messages were for."""
    priority: int = PRIORITY_STEPS[-1]
    """0 is first."""
    rest_seconds: float = 0
    """Pause after a run in the embedded form: what comes meanwhile is done together, in the next run."""


WORKERS: dict[Work, Worker] = {}


def drain(context: Context) -> None:
    """Does all work of every kind once, in this thread."""
    for worker in WORKERS.values():
        worker.drain(context)
