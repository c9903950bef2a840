# SPDX-License-Identifier: Apache-2.0
"""Who looks stays off the CPUs of what it looks at, where there are others."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress


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
