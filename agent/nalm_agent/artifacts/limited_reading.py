# SPDX-License-Identifier: Apache-2.0
"""Reads files of a build in a separate process with limits, since a commit made them."""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from nalm_agent.runtime.errors import BuildError

MEMORY_BYTES = 6 << 30
"""Address space of the process: several times the largest file."""
CPU_SECONDS = 300

Argument = TypeVar("Argument")
Result = TypeVar("Result")


def in_limits(read: Callable[[Argument], Result], what: Argument) -> Result:
    """Calls a module's function in the process. The function and `what` are transferred by pickle.

    Raises BuildError if the call exceeds the limits, otherwise the function's own exception.
    """
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawned, initializer=_limit, initargs=(MEMORY_BYTES, CPU_SECONDS)) as child:
        try:
            return child.submit(read, what).result()
        except (BrokenProcessPool, MemoryError) as error:
            raise BuildError(
                f"reading what the build made took more than {CPU_SECONDS} s or {MEMORY_BYTES >> 30} GiB of "
                "memory: that is no ordinary ELF file"
            ) from error


def _limit(memory_bytes: int, cpu_seconds: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
