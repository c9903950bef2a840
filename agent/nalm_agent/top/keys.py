# SPDX-License-Identifier: Apache-2.0
"""Reads single keys and size changes of a terminal while waiting. Without a terminal, waiting is sleeping."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable
from types import TracebackType

_Handler = Callable[[str], None]


class Keys:
    """A context manager that restores the terminal on exit."""

    def __init__(self, handler: _Handler, resized: Callable[[], None]) -> None:
        """`wait` calls `handler` with each key and `resized` after a change of size; an exception that they
        raise ends the wait."""
        self._handler, self._resized = handler, resized
        self._file: int | None = None

    def __enter__(self) -> Keys:
        if sys.stdin.isatty():
            self._file = sys.stdin.fileno()
            self._settings = termios.tcgetattr(self._file)
            tty.setcbreak(self._file)
            self._sizes, note = os.pipe()
            self._note = note
            self._before = signal.signal(signal.SIGWINCH, lambda *_: os.write(note, b"."))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            signal.signal(signal.SIGWINCH, self._before)
            os.close(self._sizes)
            os.close(self._note)
            termios.tcsetattr(self._file, termios.TCSADRAIN, self._settings)

    @property
    def there(self) -> bool:
        """True if there is a terminal to read from."""
        return self._file is not None

    def wait(self, seconds: float) -> None:
        """Waits and handles keys."""
        if self._file is None:
            time.sleep(seconds)
            return
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            ready = select.select([self._file, self._sizes], [], [], left)[0]
            if self._sizes in ready:
                os.read(self._sizes, 512)
                self._resized()
            if self._file in ready:
                self._handler(os.read(self._file, 1).decode(errors="replace"))
