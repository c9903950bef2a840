# SPDX-License-Identifier: Apache-2.0
"""Defers SIGINT and SIGTERM during short steps of the main thread that must not be interrupted.

A process or thread is registered only after the line that starts it; an interrupt between the two would leave
it running. Such a signal is raised after the step.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import ClassVar

from nalm_agent.runtime.errors import StoppedError


class SignalGuard:
    """A context manager that defers signals until its end. In other threads it does nothing."""

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
        """For signal handlers: raises StoppedError, now or at the end of the current step."""
        if cls._depth == 0:
            raise StoppedError
        cls._stopped = True
