# SPDX-License-Identifier: Apache-2.0
"""Keeps the end of a child process's output in a file of limited size.

A commit's build or NF may write without end and would fill the bench host's disk.
"""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

from nalm_agent.runtime.child import Child

LIMIT_BYTES = 8 << 20
KEPT_BYTES = LIMIT_BYTES // 2
CHUNK_BYTES = 1 << 16
CATCH_UP_SECONDS = 1.0
LEFT_OUT = b"[nalm: earlier output is left out]\n"

_following: dict[Path, BoundedLog] = {}


class BoundedLog:
    """Copies a pipe into a file, in its own thread, until all writers have closed the pipe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("ab+", buffering=0)
        self._size = self._file.seek(0, os.SEEK_END)
        self._reading, self.writing = os.pipe()
        self._thread = threading.Thread(target=self._copy, name=f"log {path.name}", daemon=True)

    def follow(self, process: Child) -> None:
        """Begins copying. Closes this process's write end, so that the child's exit ends the pipe."""
        os.close(self.writing)
        self._process = process
        _following[self._path] = self
        self._thread.start()

    def abandon(self) -> None:
        """Closes the pipe if no child was started."""
        os.close(self.writing)
        os.close(self._reading)
        self._file.close()

    def catch_up(self) -> None:
        """Waits until the file has all output, if the child has ended."""
        if self._process.poll() is not None:
            self._thread.join(CATCH_UP_SECONDS)

    def _copy(self) -> None:
        while chunk := os.read(self._reading, CHUNK_BYTES):
            with contextlib.suppress(OSError):  # a full disk loses the log, not the measurement
                self._write(chunk)
        os.close(self._reading)
        self._file.close()
        if _following.get(self._path) is self:
            del _following[self._path]

    def _write(self, chunk: bytes) -> None:
        self._file.write(chunk)
        self._size += len(chunk)
        if self._size > LIMIT_BYTES:
            self._shorten()

    def _shorten(self) -> None:
        """Shortens the file atomically: a reader finds the old file or the new one."""
        kept = LEFT_OUT + read_end(self._path, KEPT_BYTES)
        new = self._path.with_name(f".{self._path.name}.new")
        new.write_bytes(kept)
        self._file.close()
        self._file = new.open("ab+", buffering=0)
        new.replace(self._path)
        self._size = len(kept)


def catch_up(path: Path) -> None:
    """Brings a log up to date for a reader; see BoundedLog.catch_up."""
    if log := _following.get(path):
        log.catch_up()


def newest() -> Path | None:
    """The log of the running process that was started last."""
    return next(reversed(list(_following)), None)


def read_end(path: Path, size: int) -> bytes:
    """At most the last `size` bytes of a file; empty if it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - size))
            return file.read(size)
    except OSError:
        return b""
