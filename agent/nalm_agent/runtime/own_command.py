# SPDX-License-Identifier: Apache-2.0
"""Runs a command of nalm from another one, on the same output."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from nalm_agent.runtime.process import dying_with
from nalm_agent.runtime.signal_guard import SignalGuard


@contextmanager
def own_command(arguments: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Runs `nalm ARGUMENTS`. If the context ends first, or this process is killed, it gets SIGTERM and
    the time to clean up."""
    with ExitStack() as stack:
        with SignalGuard():
            # -P: nothing is imported from the working directory, which is often the measured repository.
            command = [sys.executable, "-P", "-m", "nalm_agent", *arguments]
            process = subprocess.Popen(dying_with(os.getpid(), command, "TERM"), stdin=subprocess.DEVNULL)
            stack.callback(_end, process)
        yield process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait()
