# SPDX-License-Identifier: Apache-2.0
"""Runs Python scripts in forks of one process that has loaded their modules: loading takes longer than most
of what the tests run. Tests of how a program starts run it as a process of its own.

A fork gets its arguments, directory, environment and files, then executes the script.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any


class Program:
    """A fork; methods as of `subprocess.Popen`."""

    def __init__(self, command: Sequence[str], pid: int, reap: Callable[[int], int]) -> None:
        self.args, self.pid, self.returncode = command, pid, None
        self._reap = reap
        self._end = os.pidfd_open(pid)

    args: Sequence[str]
    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        return self._code(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._code(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            signal.pidfd_send_signal(self._end, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _code(self, seconds: float | None) -> int | None:
        if self.returncode is None:
            ended = select.poll()
            ended.register(self._end, select.POLLIN)
            if ended.poll(None if seconds is None else seconds * 1000):
                self.returncode = self._reap(self.pid)
                os.close(self._end)
        return self.returncode


class LoadedPython:
    """The process that forks."""

    def __init__(self, loading: str, **environment: str) -> None:
        """loading: code that it executes once."""
        self._process = subprocess.Popen(
            [sys.executable, __file__, loading],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | environment,
        )
        self._call = threading.Lock()
        atexit.register(self._stop)

    def start(
        self,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
        output: Path,
        errors: Path | None = None,
        given: Path = Path(os.devnull),
        cwd: Path | None = None,
    ) -> Program:
        """command: script and arguments. output, errors: files; without errors both go to output."""
        arguments = [str(one) for one in command]
        files = [str(one) for one in (given, output, errors or output)]
        place = {"cwd": str(cwd or Path.cwd()), "environment": dict(environment)}
        return Program(
            arguments, self._answer({"arguments": arguments, "files": files} | place), self._code_of
        )

    def run(
        self,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
        cwd: Path | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run`, with output as text."""
        with tempfile.TemporaryDirectory() as folder:
            given, out, err = (Path(folder, name) for name in ("in", "out", "err"))
            given.write_bytes(stdin)
            program = self.start(
                command, environment=environment, output=out, errors=err, given=given, cwd=cwd
            )
            try:
                code = program.wait(timeout)
            finally:
                program.kill()
            return subprocess.CompletedProcess(program.args, code, out.read_text(), err.read_text())

    def _code_of(self, pid: int) -> int:
        return self._answer({"ended": pid})

    def _answer(self, call: dict[str, Any]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._call:
            print(json.dumps(call), file=self._process.stdin, flush=True)
            return int(self._process.stdout.readline())

    def _stop(self) -> None:
        with contextlib.suppress(OSError):
            self._process.communicate()


def _next_call() -> dict[str, Any] | None:
    """In a fork its call. In the process itself None, when no calls follow."""
    for line in sys.stdin:
        call: dict[str, Any] = json.loads(line)
        if "ended" in call:
            print(os.waitstatus_to_exitcode(os.waitpid(call["ended"], 0)[1]), flush=True)
            continue
        process = os.fork()
        if process == 0:
            return call
        print(process, flush=True)
    return None


def _become(call: dict[str, Any]) -> None:
    added = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for number, (path, how) in enumerate(zip(call["files"], (os.O_RDONLY, added, added), strict=True)):
        file = os.open(path, how, 0o666)
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(call["environment"])
    os.chdir(call["cwd"])
    sys.argv[:] = call["arguments"]
    sys.orig_argv[:] = [sys.executable, *call["arguments"]]


def _main() -> None:
    gc.disable()
    exec(sys.argv[1], {})
    gc.freeze()  # so that a fork that ends does not look at what was loaded
    gc.enable()
    call = _next_call()
    if call is not None:
        _become(call)
        runpy.run_path(call["arguments"][0], run_name="__main__")


if __name__ == "__main__":
    _main()
