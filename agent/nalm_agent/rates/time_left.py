# SPDX-License-Identifier: Apache-2.0
"""How long the launches of a measurement still take, with those after them that count events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import NamedTuple

from nalm_agent.rates.load_events import COUNTED_S


class Left(NamedTuple):
    done: float
    """Share of the whole time."""
    seconds: float | None
    """None: nothing is done yet that would tell."""


class TimeLeft:
    """Begins with the first launch."""

    def __init__(self, counts: int, clock: Callable[[], float] = time.monotonic) -> None:
        """counts: launches that count events, after all others."""
        self._counts, self._clock, self._begun = counts, clock, clock()
        self._start_s = 0.0
        self._counting: float | None = None
        self._counted = 0

    def started(self, seconds: Iterable[float]) -> None:
        """How long NFs took to start."""
        self._start_s = max([self._start_s, *seconds])

    def measured(self, done: float) -> Left:
        """done: share of the launches that measure."""
        if done == 0:
            return Left(0.0, None)
        spent = self._clock() - self._begun
        return self._left(spent / done - spent + self._counts * self._of_one())

    def counted(self) -> Left:
        """To be called before each launch that counts events."""
        now = self._clock()
        if self._counting is None:
            self._counting = now
        each = (now - self._counting) / self._counted if self._counted else self._of_one()
        left = self._left((self._counts - self._counted) * each)
        self._counted += 1
        return left

    def _of_one(self) -> float:
        return self._start_s + COUNTED_S

    def _left(self, seconds: float) -> Left:
        spent = self._clock() - self._begun
        return Left(spent / (spent + seconds) if spent + seconds else 0.0, seconds)
