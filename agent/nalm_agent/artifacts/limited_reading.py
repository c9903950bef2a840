# SPDX-License-Identifier: Apache-2.0
"""Reads files of a build in a separate process with limits, since a commit made them."""

from __future__ import annotations

import multiprocessing
import os
import resource
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Self, TypeVar

from nalm_agent.runtime.errors import BuildError, UnrepeatableError

MEMORY_BYTES = 6 << 30
"""Address space of the process: several times the largest file."""
CPU_SECONDS = 300
SAFE_PATH = "PYTHONSAFEPATH"
"""With it Python imports nothing from the working directory, which is often the measured repository."""

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class LimitedReading:
    """The process, which the first reading starts. A context manager, which ends it."""

    def __init__(self) -> None:
        self._process: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.shutdown()

    def read(self, function: Callable[[Argument], Result], what: Argument) -> Result:
        """Calls a module's function in the process. The function and `what` are transferred by pickle.

        Raises BuildError if the calls exceed the limits, UnrepeatableError if the process was killed,
        otherwise the function's own exception.
        """
        if self._process is None:
            spawned = multiprocessing.get_context("spawn")
            limits = (MEMORY_BYTES, CPU_SECONDS)
            self._process = ProcessPoolExecutor(1, spawned, initializer=_limit, initargs=limits)
        try:
            with _safe_path():  # the first call starts the process
                reading = self._process.submit(function, what)
            return reading.result()
        except MemoryError as error:
            raise BuildError(
                f"reading what the build made took more than {MEMORY_BYTES >> 30} GiB of memory: that is no "
                "ordinary ELF file"
            ) from error
        except BrokenProcessPool as error:
            raise UnrepeatableError(
                f"reading what the build made took more than {CPU_SECONDS} s, or was killed",
                hint="if this host lacks memory, give it more; otherwise that is no ordinary ELF file",
            ) from error


@contextmanager
def _safe_path() -> Iterator[None]:
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def _limit(memory_bytes: int, cpu_seconds: int) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))


def _end_with_parent() -> None:
    """The pool waits for work for ever, even when there is nobody left to give any."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
