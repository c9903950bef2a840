# SPDX-License-Identifier: Apache-2.0
"""`nalm-server demo` as a child process, with its output read line by line."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
from nalm_server_sockets import free_port

ROOT = Path(__file__).resolve().parents[2]
STOP_SECONDS = 60
"""For the server to end with its agent, after the demo was killed."""


class Demo:
    """`nalm-server demo` as a child process, and its output."""

    def __init__(self, state: Path, *, merges: str | None = None, by_make: bool = False) -> None:
        """merges: only these, as `--merges` takes them. by_make: `make run`, with all installed and the page
        built."""
        self.state = state
        self.merges = merges
        self._options = ["--state", str(state), *(["--merges", merges] if merges else [])]
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.lines: list[str] = []
        self._incoming: queue.Queue[str | None] = queue.Queue()
        command = [str(Path(sys.executable).with_name("nalm-server")), "demo", *self._options]
        self.process = subprocess.Popen(
            self._make() if by_make else [*command, "--port", str(self.port)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"COLUMNS": "200", "NO_COLOR": "1"},
            start_new_session=True,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _make(self) -> list[str]:
        """The command of the make rule, with this demo's options."""
        own = self.state.with_name("bin")
        own.mkdir()
        program = own / "nalm-server"
        real = Path(sys.executable).with_name("nalm-server")
        program.write_text(f'#!/bin/sh\nexec {real} "$@" {shlex.join(self._options)}\n')
        program.chmod(0o755)
        return ["make", "-o", "install", "-o", "page", "run", f"BIN={own}", f"PORT={self.port}"]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._incoming.put(line.rstrip())
        self._incoming.put(None)

    def wait_for(self, pattern: str, seconds: float) -> str:
        """Reads until a line matches. Fails the test if the process ends or the time is over before."""
        ends = time.monotonic() + seconds
        while True:
            try:
                line = self._incoming.get(timeout=max(0.0, ends - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {pattern!r} within {seconds} s:\n{self.output}") from None
            assert line is not None, f"the demo ended before {pattern!r}:\n{self.output}"
            self.lines.append(line)
            if re.search(pattern, line):
                return line

    @property
    def measured(self) -> list[str]:
        """Lines about the measurement of a merge."""
        return [line for line in self.lines if "measuring" in line]

    @property
    def output(self) -> str:
        return "\n".join(self.lines[-60:])

    def family(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def interrupt(self) -> int:
        """Sends Ctrl-C to the whole foreground group, like a terminal."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(timeout=STOP_SECONDS)

    def end(self) -> None:
        """Kills it, and waits until all that it started has ended: the server gets a signal then, and writes
        to the state until it has ended."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        require_unused(self.state)


def require_unused(state: Path) -> None:
    """Waits until no process of a demo, which may have been killed, works in this folder. Fails the test if
    one stays."""
    _gone, alive = psutil.wait_procs(_processes_of(state), timeout=STOP_SECONDS)
    assert not alive, (
        f"processes of an earlier demo still use {state}: {[one.pid for one in alive]}; end them"
    )


def _processes_of(state: Path) -> list[psutil.Process]:
    """Those that name the folder in their command, or have an agent's files in it."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            named = [*process.cmdline(), process.environ().get("NALM_HOME", "")]
            if any(part == str(state) or part.startswith(f"{state}/") for part in named):
                found.append(process)
    return found
