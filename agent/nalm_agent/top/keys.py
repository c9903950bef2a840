# SPDX-License-Identifier: Apache-2.0
"""Single keys of a terminal, read while waiting. On anything else there are none, and waiting is sleeping."""

from __future__ import annotations

import os
import select
import sys
import termios
import time
import tty
from collections.abc import Callable
from types import TracebackType

_Handler = Callable[[str], None]


class Keys:
    """A context manager: the terminal is as before afterwards."""

    def __init__(self, handler: _Handler) -> None:
        """handler: called with each key while `wait` lasts; what it raises ends the wait."""
        self._handler = handler
        self._file: int | None = None

    def __enter__(self) -> Keys:
        if sys.stdin.isatty():
            self._file = sys.stdin.fileno()
            self._settings = termios.tcgetattr(self._file)
            tty.setcbreak(self._file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
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
            if select.select([self._file], [], [], left)[0]:
                self._handler(os.read(self._file, 1).decode(errors="replace"))
