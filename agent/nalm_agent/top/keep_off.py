# SPDX-License-Identifier: Apache-2.0
"""Who looks stays off the CPUs of what it looks at, where there are others."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def keep_off(threads: Iterable[int]) -> None:
    """Leaves to these threads the CPUs they are bound to, one each. Threads that are gone do not count."""
    taken: set[int] = set()
    for thread in threads:
        with suppress(OSError):
            cpus = os.sched_getaffinity(thread)
            taken |= cpus if len(cpus) == 1 else set()
    left = os.sched_getaffinity(0) - taken
    if left:
        os.sched_setaffinity(0, left)


def threads_of(pid: int) -> list[int]:
    """Every thread of a process; none if it is gone, or numbered otherwise here."""
    with suppress(OSError):
        return [int(entry.name) for entry in Path(f"/proc/{pid}/task").iterdir()]
    return []
