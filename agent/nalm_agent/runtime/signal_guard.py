# SPDX-License-Identifier: Apache-2.0
"""Short steps of the main thread that SIGINT and SIGTERM must not cut in two: what they start would be lost.

A process or thread is known to who ends it only after the line that started it. A signal that comes between
the two is raised after the step instead.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import ClassVar

from nalm_agent.runtime.errors import StoppedError


class SignalGuard:
    """A context manager: what stops the command waits for its end. In other threads it does nothing."""

    _depth: ClassVar[int] = 0
    _stopped: ClassVar[bool] = False

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            SignalGuard._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        SignalGuard._depth -= 1
        if SignalGuard._stopped and SignalGuard._depth == 0:
            SignalGuard._stopped = False
            raise StoppedError

    @classmethod
    def stop(cls) -> None:
        """Of a signal's handler: raises StoppedError, or leaves it to the end of the step that is held."""
        if cls._depth == 0:
            raise StoppedError
        cls._stopped = True
