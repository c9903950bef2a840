# SPDX-License-Identifier: Apache-2.0
"""Looks for work of each kind every so often, for what no wake told of."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from nalm_server.worker.kinds import Work
from nalm_server.worker.registry import WORKERS
from nalm_server.worker.wake import Waker

LONGEST_PAUSE_SECONDS = 1.0
"""How soon a process that was not the leader notices that it is."""


class Ticks:
    """`run` until `stop`. A tick is due at once, then as the kind's worker says."""

    def __init__(
        self,
        waker: Waker,
        leads: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._waker, self._leads, self._clock = waker, leads, clock
        self._due: dict[Work, float] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self.run, name="ticks", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """May be called from a signal handler."""
        self._stopping.set()

    def run(self) -> None:
        while not self._stopping.wait(self.tick()):
            continue

    def tick(self) -> float:
        """Wakes whoever is due. Seconds to the next look."""
        if not self._leads():
            self._due.clear()
            return LONGEST_PAUSE_SECONDS
        now = self._clock()
        for kind, worker in WORKERS.items():
            if self._due.get(kind, now) <= now:
                self._due[kind] = now + worker.every_seconds
                self._waker.work(kind)
        return max(0.0, min([LONGEST_PAUSE_SECONDS, *(due - now for due in self._due.values())]))
