# SPDX-License-Identifier: Apache-2.0
"""Keeps this process off the CPUs of the observed NF if there are other CPUs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def keep_off(threads: Iterable[int]) -> None:
    """Moves this process off the CPUs to which the threads are bound one by one. Ignores ended threads."""
    taken: set[int] = set()
    for thread in threads:
        with suppress(OSError):
            cpus = os.sched_getaffinity(thread)
            taken |= cpus if len(cpus) == 1 else set()
    left = os.sched_getaffinity(0) - taken
    if left:
        os.sched_setaffinity(0, left)


def threads_of(pid: int) -> list[int]:
    """All threads of a process; none if it has ended or has another number in this namespace."""
    with suppress(OSError):
        return [int(entry.name) for entry in Path(f"/proc/{pid}/task").iterdir()]
    return []
