# SPDX-License-Identifier: Apache-2.0
"""Single keys of a terminal and changes of its size, seen while waiting. On anything else there are none, and
waiting is sleeping."""

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
    """A context manager: the terminal is as before afterwards."""

    def __init__(self, handler: _Handler, resized: Callable[[], None]) -> None:
        """handler: called with each key while `wait` lasts, resized: when the terminal has another size; what
        they raise ends the wait."""
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
        """Whether there is a terminal to read from."""
        return self._file is not None

    def wait(self, seconds: float) -> None:
        """Waits, handling keys."""
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
