# SPDX-License-Identifier: Apache-2.0
"""The kernel's figures of threads that always want their CPU, such as polling threads."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields

from nalm_agent.nf.lcore_threads import PROC, threads_below


@dataclass(frozen=True)
class Scheduled:
    """Figures since the thread started."""

    waited_ns: int
    """Time for which the thread waited for its CPU. (The kernel counts run time by its tick only.)"""
    voluntary_switches: int
    involuntary_switches: int
    minor_faults: int
    major_faults: int

    def since(self, before: Scheduled) -> Scheduled:
        """The difference."""
        names = [field.name for field in fields(self)]
        return Scheduled(**{name: getattr(self, name) - getattr(before, name) for name in names})


def scheduled_threads(pid: int) -> dict[str, Scheduled]:
    """Current figures of the threads of a process and its descendants, by name."""
    found = {}
    for tid, _ in threads_below(pid):
        with suppress(OSError):  # it has just ended
            name, one = _scheduled(tid)
            found[name] = one
    return found


def _scheduled(tid: int) -> tuple[str, Scheduled]:
    place = PROC / str(tid) / "task" / str(tid)
    status = dict(line.split(":", 1) for line in (place / "status").read_text().splitlines())
    # after the name in brackets, which may contain anything, from the third field on (proc(5))
    stat = (place / "stat").read_text().rpartition(")")[2].split()
    return status["Name"].strip(), Scheduled(
        waited_ns=int((place / "schedstat").read_text().split()[1]),
        voluntary_switches=int(status["voluntary_ctxt_switches"]),
        involuntary_switches=int(status["nonvoluntary_ctxt_switches"]),
        minor_faults=int(stat[7]),
        major_faults=int(stat[9]),
    )
