# SPDX-License-Identifier: Apache-2.0
"""An NF's lcore threads by their numbers in the agent's PID namespace, which the NF need not share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nalm_agent.nf.launch import RunningNf
from nalm_agent.runtime.errors import SourceError

PROC = Path("/proc")


@dataclass(frozen=True)
class LcoreThread:
    lcore: int
    tid: int
    """In this process's PID namespace."""


def lcore_threads(nf: RunningNf) -> list[LcoreThread]:
    """The threads that claimed a block of the probe, in its order. Raises SourceError if one has ended."""
    own = {inner: outer for outer, inner in threads_below(nf.pid)}
    found = []
    for block in nf.snapshot().blocks:
        lcore, tid = int(block[0]["lcore_id"]), int(block[0]["tid"])
        if tid not in own:
            raise SourceError(f"lcore {lcore}: thread {tid} does not belong to process {nf.pid}")
        found.append(LcoreThread(lcore, own[tid]))
    return found


def threads_below(pid: int) -> Iterator[tuple[int, int]]:
    """Every thread of a process and its descendants: its number here, and in its own namespace."""
    try:
        tasks = list((PROC / str(pid) / "task").iterdir())
    except OSError:
        return
    for task in tasks:
        try:
            status = (task / "status").read_text()
            children = (task / "children").read_text().split()
        except OSError:
            continue  # it has just ended
        numbers = next(line.split()[1:] for line in status.splitlines() if line.startswith("NSpid:"))
        yield int(task.name), int(numbers[-1])
        for child in children:
            yield from threads_below(int(child))


def stat_fields(tid: int) -> list[str]:
    """A thread's fields of /proc/PID/stat behind its name, from its state on (proc(5)). Raises OSError if it
    has ended."""
    return (PROC / str(tid) / "task" / str(tid) / "stat").read_text().rpartition(")")[2].split()
