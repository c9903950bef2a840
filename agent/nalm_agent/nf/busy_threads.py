# SPDX-License-Identifier: Apache-2.0
"""Threads of an NF that use a CPU while its lcores wait at the gate: they take time from both arms."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

from nalm_agent.nf.lcore_threads import PROC, stat_fields, threads_below

LOOK_SECONDS = 0.1
LONGEST_LOOK_SECONDS = 1.0
"""The kernel adds the time for which a thread waited when the thread runs again: it is waited for so long."""
BUSY_SHARE = 0.5
"""Share of that time for which a thread ran, or waited for its CPU, from which it counts as busy."""
RUNNABLE = "R"


@dataclass(frozen=True)
class _Thread:
    name: str
    demand_ns: int
    """Time for which it ran or waited for a CPU."""
    state: str
    """As in /proc/PID/stat."""


def busy_threads(pid: int) -> list[str]:
    """Names of the busy threads of a process and its descendants. Call it between two turns."""
    busy = _busy(pid)
    if busy:  # one that waited for its CPU before the look, and ran at its begin, is not busy in the next one
        again = _busy(pid)
        busy = {tid: name for tid, name in busy.items() if tid in again}
    return sorted(busy.values())


def _busy(pid: int) -> dict[int, str]:
    """Names by thread, for one look."""
    before, begin = _threads(pid), time.monotonic_ns()
    always = _runnable(before)
    while True:
        time.sleep(LOOK_SECONDS)
        after, elapsed = _threads(pid), time.monotonic_ns() - begin
        always &= _runnable(after)
        known = before.keys() & after.keys()
        busy = {t for t in known if after[t].demand_ns - before[t].demand_ns > BUSY_SHARE * elapsed}
        if not (known & _runnable(after)) - busy:
            break
        if elapsed >= LONGEST_LOOK_SECONDS * 1e9:
            busy |= always  # at each look, it ran or waited for its CPU
            break
    return {tid: after[tid].name for tid in busy}


def _runnable(threads: dict[int, _Thread]) -> set[int]:
    return {tid for tid, one in threads.items() if one.state == RUNNABLE}


def _threads(pid: int) -> dict[int, _Thread]:
    found = {}
    for tid, _ in threads_below(pid):
        place = PROC / str(tid) / "task" / str(tid)
        with suppress(OSError):  # it has just ended
            ran, waited = (place / "schedstat").read_text().split()[:2]
            name = (place / "comm").read_text().strip()
            found[tid] = _Thread(name, int(ran) + int(waited), stat_fields(tid)[0])
    return found
