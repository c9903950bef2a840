# SPDX-License-Identifier: Apache-2.0
"""How long to wait before the next try, and how often to try: a policy as a value, for server and agent."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import count

MOST_DOUBLINGS = 32
"""More would change nothing below any limit, and overflow."""


@dataclass(frozen=True)
class Backoff:
    """Each pause is twice as long as the one before, up to a limit."""

    first_seconds: float
    longest_seconds: float
    tries: int | None = None
    """None: without end."""
    jitter: float = 0.0
    """The share by which a pause is shorter or longer: what failed together is not tried again together."""

    def seconds(self, tries: int, *, at_least: float = 0.0, chance: float | None = None) -> float:
        """The pause after so many tries. `at_least`: what the other side requests. `chance`: 0 to 1."""
        usual = min(self.longest_seconds, self.first_seconds * 2.0 ** min(tries - 1, MOST_DOUBLINGS))
        chance = random.random() if chance is None else chance
        return max(usual * (1 + self.jitter * (2 * chance - 1)), at_least)

    def pause(self, tries: int, *, at_least: float = 0.0, chance: float | None = None) -> timedelta:
        """The same as `seconds`."""
        return timedelta(seconds=self.seconds(tries, at_least=at_least, chance=chance))

    def pauses(self) -> Iterator[float]:
        """Seconds between the tries, until they are used up."""
        for tries in count(1):
            if self.used_up(tries):
                return
            yield self.seconds(tries)

    def used_up(self, tries: int) -> bool:
        """True if so many tries are all there are."""
        return self.tries is not None and tries >= self.tries

    @property
    def longest(self) -> timedelta:
        """No pause of this policy is longer, unless the other side requests it."""
        return timedelta(seconds=self.longest_seconds * (1 + self.jitter))
