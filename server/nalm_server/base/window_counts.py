# SPDX-License-Identifier: Apache-2.0
"""Counts of requests in fixed windows of time, in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from limits.storage import Storage

SWEEP_SECONDS = 60.0
"""Counts of windows that are over are removed this often."""


class WindowCounts(Storage):
    """For limits.strategies.FixedWindowRateLimiter. The package's own storage in memory starts a thread for
    almost each count, which takes longer than the rest of a small request; here counts remove old ones."""

    STORAGE_SCHEME = None

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._clock = clock
        self._windows: dict[str, tuple[int, float]] = {}
        """(count, end of the window) by key."""
        self._swept = clock()
        self._lock = threading.Lock()

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        now = self._clock()
        with self._lock:
            if now - self._swept >= SWEEP_SECONDS:
                self._windows = {each: one for each, one in self._windows.items() if one[1] > now}
                self._swept = now
            count, end = self._windows.get(key, (0, 0.0))
            if end <= now:
                count, end = 0, now + expiry
            self._windows[key] = count + amount, end
            return count + amount

    def get(self, key: str) -> int:
        count, end = self._windows.get(key, (0, 0.0))
        return count if end > self._clock() else 0

    def get_expiry(self, key: str) -> float:
        now = self._clock()
        return max(now, self._windows.get(key, (0, now))[1])

    def check(self) -> bool:
        return True

    def reset(self) -> int:
        with self._lock:
            number = len(self._windows)
            self._windows.clear()
            return number

    def clear(self, key: str) -> None:
        with self._lock:
            self._windows.pop(key, None)

    def __len__(self) -> int:
        return len(self._windows)
