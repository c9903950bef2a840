# SPDX-License-Identifier: Apache-2.0
"""A command that runs under a reaper (`reaper.py`), which ends it with all its descendants."""

from __future__ import annotations

import contextlib
import marshal
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

_REAPER = f"import sys; sys.path.append({str(Path(__file__).parent)!r}); import reaper; reaper.main()"
"""A module is compiled once; a program would be at each start."""


class Child:
    """A running command. Its methods are those of subprocess.Popen of the same names."""

    def __init__(
        self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str], given: int, output: int
    ) -> None:
        """given, output: file descriptors of its standard input, and of its standard output and error.

        Raises OSError if it cannot be started.
        """
        self.args = list(command)
        self.returncode: int | None = None
        self._lock = threading.Lock()
        self._unread = b""
        self._reports, reporting = os.pipe()
        try:
            own = [sys.executable, "-I", "-S", "-c", _REAPER, str(given), str(output), str(reporting)]
            self._reaper = subprocess.Popen(
                own,
                bufsize=0,
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(given, output, reporting),
                start_new_session=True,
            )
        except BaseException:
            os.close(self._reports)
            raise
        finally:
            os.close(reporting)
        self.pid = self._begun(command, cwd, env)

    def _begun(self, command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> int:
        """Has the reaper start the command; returns its process id."""
        words = [os.fsencode(one) for one in command]
        variables = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
        order = marshal.dumps((words, os.fsencode(cwd), variables))
        assert self._reaper.stdin is not None
        try:
            with contextlib.suppress(BrokenPipeError):  # it was killed: it reports nothing
                left = memoryview(len(order).to_bytes(8, "little") + order)
                while left:
                    left = left[self._reaper.stdin.write(left) :]
            kind, _, number = self._line(None).partition(" ")
            if kind == "error":
                raise OSError(int(number), os.strerror(int(number)), str(cwd))
            if kind != "pid":
                raise OSError(f"the program that starts {command[0]} was ended")
        except BaseException:
            self.stop()
            raise
        return int(number)

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        if self._lock.acquire(blocking=False):  # otherwise another thread waits for it
            try:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._wait(0)
            finally:
                self._lock.release()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, when it has ended. Raises subprocess.TimeoutExpired after so many seconds."""
        with self._lock:
            return self._wait(timeout)

    def _wait(self, timeout: float | None) -> int:
        if self.returncode is None:
            kind, _, number = self._line(timeout).partition(" ")
            killed = kind != "status"  # with its reaper
            self.returncode = -signal.SIGKILL if killed else os.waitstatus_to_exitcode(int(number))
        return self.returncode

    def _line(self, timeout: float | None) -> str:
        """The next line of the reaper; empty if it has ended."""
        end = None if timeout is None else time.monotonic() + timeout
        while b"\n" not in self._unread:
            left = None if end is None else max(0.0, end - time.monotonic())
            poll = select.poll()
            poll.register(self._reports, select.POLLIN)
            if not poll.poll(None if left is None else 1000 * left):
                assert timeout is not None
                raise subprocess.TimeoutExpired(self.args, timeout)
            part = os.read(self._reports, 4096)
            if not part:
                return ""
            self._unread += part
        line, _, self._unread = self._unread.partition(b"\n")
        return line.decode()

    def send_signal(self, number: signal.Signals) -> None:
        """Sends it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def end(self) -> None:
        """Has the reaper kill it and all its descendants, and does not wait. For any thread."""
        with contextlib.suppress(OSError, ValueError):  # it has ended
            assert self._reaper.stdin is not None
            self._reaper.stdin.write(b".")

    def stop(self) -> None:
        """Kills it and all its descendants, and waits until they have ended."""
        self.end()
        self._reaper.wait()
        assert self._reaper.stdin is not None
        self._reaper.stdin.close()
        if self._reports >= 0:
            self.wait()
            os.close(self._reports)
            self._reports = -1
