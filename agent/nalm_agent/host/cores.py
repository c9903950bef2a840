# SPDX-License-Identifier: Apache-2.0
"""The measuring CPUs. The agent uses others, and one measurement of the host at a time uses a CPU."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from nalm_core.text.amounts import amount

from nalm_agent.runtime.errors import HostError, TooFewCpusError

LOCKS = "NALM_LOCKS"
"""Environment variable: directory of the locks of this host's CPUs, for every agent on it."""
CPUS = Path("/sys/devices/system/cpu")
"""The kernel's directory of each CPU is its lock: every user can open it, and nobody remove it. A file in
/dev/shm goes when its owner logs out (logind's RemoveIPC), although a measurement holds it."""
WITHOUT_SYS = Path("/tmp")
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

    With as many lcores as CPUs, the agent shares the last lcore's CPU. Raises TooFewCpusError.
    """
    allowed = sorted(os.sched_getaffinity(0), reverse=True)
    if lcores > len(allowed):
        raise TooFewCpusError(
            f"the scenario needs {amount(lcores, 'lcore')}, "
            f"but nalm may use {amount(len(allowed), 'CPU')} of this host",
            hint="choose a scenario with fewer lcores, or a larger host",
        )
    return Cores(tuple(allowed[:lcores]))


def spare(cores: Cores) -> frozenset[int]:
    """The CPUs that the agent runs on, apart from these, which are as near to the memory as these."""
    nodes = {_node(cpu) for cpu in cores.cpus}
    others = os.sched_getaffinity(0) - set(cores.cpus)
    return frozenset(cpu for cpu in others if {_node(cpu)} == nodes)


def _node(cpu: int) -> str:
    """The NUMA node of a CPU; empty if the kernel does not tell."""
    return next((one.name for one in (CPUS / f"cpu{cpu}").glob("node[0-9]*")), "")


@contextmanager
def hold(cores: Cores, waiting: Callable[[str], None]) -> Iterator[None]:
    """Reserves the CPUs for this measurement and moves the agent off them. Reports when it must wait."""
    before = os.sched_getaffinity(0)
    with ExitStack() as stack:
        for cpu in sorted(cores.cpus):
            _acquire(stack, _lock_of(cpu), cpu, waiting)
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


def _lock_of(cpu: int) -> Path:
    given = os.environ.get(LOCKS)
    of_kernel = CPUS / f"cpu{cpu}"
    if not given and of_kernel.is_dir():
        return of_kernel
    return Path(given or WITHOUT_SYS) / f"nalm-cpu{cpu}.lock"


def _acquire(stack: ExitStack, path: Path, cpu: int, waiting: Callable[[str], None]) -> None:
    """Locks what agents of all users share, until the stack ends."""
    file = _open_shared(path)
    stack.callback(os.close, file)
    if not _locked(file):
        waiting(f"another measurement uses CPU {cpu}; waiting for it to end")
        while not _locked(file):
            time.sleep(POLL_SECONDS)


def _open_shared(path: Path) -> int:
    """Opens a lock that any user may have made, or makes it for all. Raises HostError.

    In a directory with the sticky bit the kernel refuses O_CREAT for another user's file, and filelock (4.3)
    refuses such a file at all.
    """
    try:
        with suppress(FileNotFoundError):
            return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        os.fchmod(file, 0o666)  # earlier versions open it to write
    except OSError as error:
        raise HostError(
            f"the lock of a CPU cannot be opened: {error}",
            hint=f"{LOCKS} names another directory; all agents of this host need the same one",
        ) from error
    return file


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
