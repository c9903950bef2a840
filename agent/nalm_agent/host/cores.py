# SPDX-License-Identifier: Apache-2.0
"""The measuring CPUs. The agent uses others, and one measurement of the host at a time uses a CPU."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from nalm_core.text.amounts import amount

from nalm_agent.runtime.errors import HostError

LOCKS = "NALM_LOCKS"
"""Environment variable: where the locks of this host's CPUs are, for every agent on it."""
LOCK_DIRECTORIES = (Path("/dev/shm"), Path("/tmp"))
POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Cores:
    """The CPUs of an NF's lcores, in order."""

    cpus: tuple[int, ...]

    def first(self, lcores: int) -> Cores:
        """The first CPUs, for an arm with fewer lcores."""
        return Cores(self.cpus[:lcores])


def choose(lcores: int) -> Cores:
    """The CPUs for so many lcores: the last permitted ones, since the first takes most interrupts.

    With as many lcores as CPUs, the agent shares the last lcore's CPU. Raises HostError if there are too few.
    """
    allowed = sorted(os.sched_getaffinity(0), reverse=True)
    if lcores > len(allowed):
        raise HostError(
            f"the scenario needs {amount(lcores, 'lcore')}, "
            f"but nalm may use {amount(len(allowed), 'CPU')} of this host",
            hint="choose a scenario with fewer lcores, or a larger host",
        )
    return Cores(tuple(allowed[:lcores]))


@contextmanager
def hold(cores: Cores, waiting: Callable[[str], None]) -> Iterator[None]:
    """Reserves the CPUs for this measurement and moves the agent off them. Reports when it must wait."""
    folder = _lock_directory()
    before = os.sched_getaffinity(0)
    with ExitStack() as stack:
        for cpu in sorted(cores.cpus):
            _acquire(stack, FileLock(folder / f"nalm-cpu{cpu}.lock", mode=0o666), cpu, waiting)
        others = before - set(cores.cpus)
        if others:
            _move(others)
            stack.callback(_move, before)
        yield


def _move(cpus: set[int]) -> None:
    """Moves every thread of this process, so that heartbeat, broker and log readers do not disturb,
    either."""
    for thread in Path("/proc/self/task").iterdir():
        with suppress(ProcessLookupError):
            os.sched_setaffinity(int(thread.name), cpus)


def _lock_directory() -> Path:
    given = os.environ.get(LOCKS)
    if given:
        return Path(given)
    return next(path for path in LOCK_DIRECTORIES if path.is_dir() and os.access(path, os.W_OK))


def _acquire(stack: ExitStack, lock: FileLock, cpu: int, waiting: Callable[[str], None]) -> None:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        waiting(f"another measurement uses CPU {cpu}; waiting for it to end")
        while True:
            try:
                lock.acquire(timeout=POLL_SECONDS)
                break
            except Timeout:
                time.sleep(POLL_SECONDS)
    stack.callback(lock.release)
