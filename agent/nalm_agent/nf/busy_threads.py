# SPDX-License-Identifier: Apache-2.0
"""Threads of an NF that use a CPU while its lcores wait at the gate: they take time from both arms."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

from nalm_agent.nf.lcore_threads import PROC, threads_below

LOOK_SECONDS = 0.1
BUSY_SHARE = 0.5
"""Share of that time for which a thread ran, or waited for its CPU, from which it counts as busy."""


@dataclass(frozen=True)
class _CpuTime:
    name: str
    demand_ns: int
    """Time for which the thread ran or waited for a CPU."""


def busy_threads(pid: int) -> list[str]:
    """Names of the busy threads of a process and its descendants. Call it between two turns."""
    before, begin = _cpu_times(pid), time.monotonic_ns()
    time.sleep(LOOK_SECONDS)
    after, elapsed = _cpu_times(pid), time.monotonic_ns() - begin
    return sorted(
        one.name
        for tid, one in after.items()
        if tid in before and one.demand_ns - before[tid].demand_ns > BUSY_SHARE * elapsed
    )


def _cpu_times(pid: int) -> dict[int, _CpuTime]:
    found = {}
    for tid, _ in threads_below(pid):
        place = PROC / str(tid) / "task" / str(tid)
        with suppress(OSError):  # it has just ended
            ran, waited = (place / "schedstat").read_text().split()[:2]
            found[tid] = _CpuTime((place / "comm").read_text().strip(), int(ran) + int(waited))
    return found
