# SPDX-License-Identifier: Apache-2.0
"""Reads files of a build in a separate process with limits, since a commit made them.

The process gets pickled pairs of a function and its argument, and answers with pickled pairs: whether the
call failed, and its result or exception.
"""

from __future__ import annotations

import os
import pickle
import resource
import select
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Self, TypeVar

from nalm_agent.runtime.errors import BuildError, UnrepeatableError
from nalm_agent.runtime.signal_guard import SignalGuard

MEMORY_BYTES = 6 << 30
"""Address space of the process: several times the largest file."""
CPU_SECONDS = 300
_PROCESS = f"import {__name__} as one; one.answer()"

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class LimitedReading:
    """The process, which the first reading starts. A context manager, which ends it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def read(self, function: Callable[[Argument], Result], what: Argument) -> Result:
        """Calls a module's function in the process. The function and `what` are transferred by pickle.

        Raises BuildError if the calls exceed the limits, UnrepeatableError if the process was killed,
        otherwise the function's own exception.
        """
        if self._process is None:
            with SignalGuard():
                self._process = _start()
        asking, answers = self._process.stdin, self._process.stdout
        assert asking is not None
        assert answers is not None
        try:
            pickle.dump((function, what), asking)
            asking.flush()
            failed, found = pickle.load(answers)
        except (BrokenPipeError, EOFError, pickle.UnpicklingError) as error:
            raise UnrepeatableError(
                f"reading what the build made took more than {CPU_SECONDS} s, or was killed",
                hint="if this host lacks memory, give it more; otherwise that is no ordinary ELF file",
            ) from error
        if not failed:
            result: Result = found
            return result
        if isinstance(found, MemoryError):
            raise BuildError(
                f"reading what the build made took more than {MEMORY_BYTES >> 30} GiB of memory: that is no "
                "ordinary ELF file"
            ) from found
        raise found


def _start() -> subprocess.Popen[bytes]:
    # -P: nothing is imported from the working directory, which is often the measured repository.
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _PROCESS, str(MEMORY_BYTES), str(CPU_SECONDS)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # an interrupt of the terminal is the agent's
    )


def answer() -> None:
    """The process."""
    memory_bytes, cpu_seconds = (int(one) for one in sys.argv[1:])
    threading.Thread(target=_end_with_parent, daemon=True).start()
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    while True:
        try:
            function, what = pickle.load(sys.stdin.buffer)
            found = False, function(what)
        except Exception as error:
            found = True, error
        pickle.dump(found, answers)
        answers.flush()


def _end_with_parent() -> None:
    """Nobody is left then to read for, also amid a long reading."""
    ended = select.poll()
    ended.register(sys.stdin.fileno(), 0)  # only its end
    ended.poll()
    os._exit(1)
