# SPDX-License-Identifier: Apache-2.0
"""The share of an NF's CPU time that it spends in the kernel, whose instructions nothing counts."""

from __future__ import annotations

from contextlib import suppress

from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.lcore_threads import stat_fields, threads_below

LOOK_MS = 100.0
"""Least length of the turn that is looked at: the kernel tells these times in hundredths of a second."""
_USER, _KERNEL = 11, 12
"""utime and stime among `stat_fields`."""


def kernel_share(nf: RunningNf, turn_ms: float) -> float | None:
    """The share in a turn of its own, of all its threads; None if they used too little CPU time to tell.

    Raises NfError if the NF does not take the turn.
    """
    before = _times(nf.pid)
    nf.turn(milliseconds=max(turn_ms, LOOK_MS))
    after = _times(nf.pid)
    known = before.keys() & after.keys()
    user, kernel = (sum(after[tid][part] - before[tid][part] for tid in known) for part in (0, 1))
    return kernel / (user + kernel) if user + kernel else None


def _times(pid: int) -> dict[int, tuple[int, int]]:
    """CPU time of each thread so far, in the program and in the kernel."""
    found = {}
    for tid, _ in threads_below(pid):
        with suppress(OSError):  # it has just ended
            fields = stat_fields(tid)
            found[tid] = int(fields[_USER]), int(fields[_KERNEL])
    return found
