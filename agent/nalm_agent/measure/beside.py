# SPDX-License-Identifier: Apache-2.0
"""Arms that start and end beside another: on the agent's CPUs, while the other uses the measuring ones.

All arms of a launch are bound to the same CPUs, so that they start and end one after the other, which takes
longer than their turns. Here every second arm has its bound threads on the agent's CPUs meanwhile, and in the
next launch the others; before the first turn all threads are back. EAL binds a thread when it likes, so a
watcher looks at them again and again.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

from nalm_agent.host.cores import Cores, spare
from nalm_agent.nf.lcore_threads import threads_below
from nalm_agent.runtime.errors import HostError

LOOK_SECONDS = 0.005
"""Time between two looks at the threads of processes."""

T = TypeVar("T")


@dataclass
class Moved:
    """Threads of processes that are bound to the measuring CPUs, and run on others."""

    processes: Collection[int]
    measuring: frozenset[int]
    others: frozenset[int]
    _bound: dict[int, set[int]] = field(default_factory=dict)
    """The CPUs to which each moved thread is bound."""

    def move(self) -> None:
        """Moves the threads that are bound by now. One that the agent may not move stays."""
        for process in self.processes:
            for thread, _ in threads_below(process):
                with suppress(OSError):
                    cpus = os.sched_getaffinity(thread)
                    if cpus <= self.measuring:
                        os.sched_setaffinity(thread, self.others)
                        self._bound[thread] = cpus

    def back(self) -> None:
        """Binds them again. Raises HostError if the kernel refuses."""
        for thread, cpus in self._bound.items():
            _bind(thread, cpus)

    def bind(self, threads: Iterable[int]) -> None:
        """Binds lcores that a moved thread has started, so that they have its CPUs. Raises HostError."""
        for thread in threads:
            with suppress(ProcessLookupError):  # it has ended
                if os.sched_getaffinity(thread) <= self.others:
                    _bind(thread, self.measuring)


def _bind(thread: int, cpus: Collection[int]) -> None:
    try:
        os.sched_setaffinity(thread, cpus)
    except ProcessLookupError:
        pass  # it has ended
    except OSError as error:
        where = ", ".join(map(str, sorted(cpus)))
        raise HostError(
            f"a thread of the NF cannot be bound to CPU {where} again: {error}",
            hint="its CPUs were taken away while it started: see cpuset(7)",
        ) from error


def every_second(arms: Sequence[T], launch: int, cores: Cores) -> list[T]:
    """The arms that start and end beside the others; none if the agent has too few CPUs near the cores."""
    return list(arms[(launch + 1) % 2 :: 2]) if len(spare(cores)) >= len(cores.cpus) else []


@contextmanager
def elsewhere(processes: Collection[int], cores: Cores) -> Iterator[Moved]:
    """While it lasts, threads of the processes that are bound to the cores run on CPUs of the agent."""
    moved = Moved(processes, frozenset(cores.cpus), spare(cores))
    if not processes:
        yield moved
        return
    over = threading.Event()

    def watch() -> None:
        while not over.wait(LOOK_SECONDS):
            moved.move()

    moved.move()
    watcher = threading.Thread(target=watch, name="nalm-beside")
    watcher.start()
    try:
        yield moved
    finally:
        over.set()
        watcher.join()
        moved.back()
