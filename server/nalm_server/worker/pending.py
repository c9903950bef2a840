# SPDX-License-Identifier: Apache-2.0
"""A set of items, processed one by one by a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import structlog

log = structlog.get_logger()

T = TypeVar("T")


class Pending(Generic[T]):
    """`put` never waits. An item that is put again while it waits is processed once; while in process, once
    more."""

    def __init__(self, name: str, do: Callable[[T], None], rest_seconds: float = 0) -> None:
        self._do = do
        self._rest_seconds = rest_seconds
        """Pause when nothing else waits: items that come meanwhile are then processed together."""
        self._waiting: dict[T, None] = {}
        self._changed = threading.Condition()
        self._ended = False
        self.rests = False
        """It has done an item and lets others come."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def put(self, item: T) -> None:
        with self._changed:
            if self._ended:
                return
            self._waiting[item] = None
            if self._thread.ident is None:
                self._thread.start()
            self._changed.notify()

    def stop(self, seconds: float) -> None:
        """Finishes the current item within that time; drops waiting ones."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        while (item := self._next()) is not None:
            try:
                self._do(item)
            except Exception as error:
                log.warning("not done; a later run finds it", what=str(item), error=str(error))
            self._rest(item)

    def _rest(self, done: T) -> None:
        if self._rest_seconds:
            with self._changed:
                if not self._waiting.keys() - {done}:
                    self.rests = True
                    self._changed.wait_for(lambda: self._ended, self._rest_seconds)
                    self.rests = False

    def _next(self) -> T | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ended)
            if self._ended:
                return None
            item = next(iter(self._waiting))
            del self._waiting[item]
            return item
