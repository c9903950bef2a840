# SPDX-License-Identifier: Apache-2.0
"""Long answers that follow from what never changes, such as a run's report, computed once per process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Engine
from sqlalchemy.orm import Session

MOST_BYTES = 64 * 2**20
"""Of all answers of a database together; those requested least recently go first."""


class AnswerCache:
    """Bytes by key, up to a total size. For several threads."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._answers: OrderedDict[Hashable, bytes] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """The stored answer, or what `make` returns, which is stored. Two threads may both make it."""
        with self._lock:
            found = self._answers.get(key)
            if found is not None:
                self._answers.move_to_end(key)
                return found
        made = make()
        with self._lock:
            self._store(key, made)
        return made

    def _store(self, key: Hashable, made: bytes) -> None:
        if len(made) > self._most or key in self._answers:
            return
        self._answers[key] = made
        self._size += len(made)
        while self._size > self._most:
            _, gone = self._answers.popitem(last=False)
            self._size -= len(gone)


_caches: WeakKeyDictionary[Any, AnswerCache] = WeakKeyDictionary()
_lock = threading.Lock()


def cache_of(session: Session) -> AnswerCache:
    """The cache of the session's database."""
    bind = session.get_bind()
    engine: Engine = bind if isinstance(bind, Engine) else bind.engine
    with _lock:
        return _caches.setdefault(engine, AnswerCache())
