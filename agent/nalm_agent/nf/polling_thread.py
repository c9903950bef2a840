# SPDX-License-Identifier: Apache-2.0
"""What the kernel says of threads that always want their CPU, as those that poll do."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields

from nalm_agent.nf.lcore_threads import PROC, threads_below


@dataclass(frozen=True)
class Scheduled:
    """Since the thread began."""

    waited_ns: int
    """For its CPU, while others had it. (What it ran is kept to a tick of the kernel only.)"""
    voluntary_switches: int
    involuntary_switches: int
    minor_faults: int
    major_faults: int

    def since(self, before: Scheduled) -> Scheduled:
        """The difference."""
        names = [field.name for field in fields(self)]
        return Scheduled(**{name: getattr(self, name) - getattr(before, name) for name in names})


def scheduled_threads(pid: int) -> dict[str, Scheduled]:
    """The threads of a process and its descendants by name, as they stand now."""
    found = {}
    for tid, _ in threads_below(pid):
        with suppress(OSError):  # it has just ended
            name, one = _scheduled(tid)
            found[name] = one
    return found


def _scheduled(tid: int) -> tuple[str, Scheduled]:
    place = PROC / str(tid) / "task" / str(tid)
    status = dict(line.split(":", 1) for line in (place / "status").read_text().splitlines())
    # behind the name in brackets, which may hold anything, from the third field on (proc(5))
    stat = (place / "stat").read_text().rpartition(")")[2].split()
    return status["Name"].strip(), Scheduled(
        waited_ns=int((place / "schedstat").read_text().split()[1]),
        voluntary_switches=int(status["voluntary_ctxt_switches"]),
        involuntary_switches=int(status["nonvoluntary_ctxt_switches"]),
        minor_faults=int(stat[7]),
        major_faults=int(stat[9]),
    )
