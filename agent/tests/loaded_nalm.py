# SPDX-License-Identifier: Apache-2.0
"""Runs the command `nalm` in forks of one process that has loaded its modules: loading them takes longer than
most commands of the tests. Tests of how `nalm` starts and ends run the executable instead.

A fork gets its arguments, directory, environment and output files, then calls the executable's entry point.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from nalm_agent.shell import entry

NALM = Path(sys.executable).with_name("nalm")
LOADED = (
    "nalm_agent.shell.app",
    "nalm_agent.desk.conclude",
    "nalm_agent.measure.measure",
    "typer.rich_utils",
)


class LoadedNalm:
    """The process that forks: one call at a time."""

    def __init__(self, environment: dict[str, str]) -> None:
        command = [sys.executable, __file__]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)
        atexit.register(self._end)

    def run(
        self,
        arguments: Sequence[str],
        *,
        cwd: Path,
        environment: dict[str, str],
        stdin: bytes = b"",
        timeout: float,
    ) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run` of `nalm`, with its output as text."""
        with tempfile.TemporaryDirectory() as folder:
            given, out, err = Path(folder, "in"), Path(folder, "out"), Path(folder, "err")
            given.write_bytes(stdin)
            call = {"arguments": [str(NALM), *arguments], "cwd": str(cwd), "environment": environment}
            self._send(call | {"in": str(given), "out": str(out), "err": str(err)})
            limit = threading.Timer(timeout, os.kill, [int(self._answer()), signal.SIGKILL])
            limit.start()
            code = int(self._answer())
            limit.cancel()
            return subprocess.CompletedProcess(call["arguments"], code, out.read_text(), err.read_text())

    def _send(self, call: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        print(json.dumps(call), file=self._process.stdin, flush=True)

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def _end(self) -> None:
        with contextlib.suppress(OSError):
            self._process.communicate()


@cache
def loaded_nalm() -> LoadedNalm:
    """One for each test process."""
    return LoadedNalm(os.environ | {"COLUMNS": "200", "NO_COLOR": "1"})


def _next_call() -> dict[str, Any] | None:
    """In a fork its call. In the process itself None, when no calls follow."""
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            call: dict[str, Any] = json.loads(line)
            return call
        print(process, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
    return None


def _become(call: dict[str, Any]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, path, how in ((0, call["in"], os.O_RDONLY), (1, call["out"], flags), (2, call["err"], flags)):
        file = os.open(path, how)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(call["environment"])
    os.chdir(call["cwd"])
    sys.argv[:] = call["arguments"]


def _main() -> None:
    gc.disable()
    for module in LOADED:
        importlib.import_module(module)
    gc.freeze()  # so that a fork that ends does not look at what was loaded
    gc.enable()
    call = _next_call()
    if call is not None:
        _become(call)
        entry.main()


if __name__ == "__main__":
    _main()
