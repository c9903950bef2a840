# SPDX-License-Identifier: Apache-2.0
"""The pauses between tries and their number: a policy as a value, for server and agent."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import count

MOST_DOUBLINGS = 32
"""More doublings have no effect below any limit, and would overflow."""


@dataclass(frozen=True)
class Backoff:
    """Each pause is twice as long as the one before, up to a limit."""

    first_seconds: float
    longest_seconds: float
    tries: int | None = None
    """None: no limit."""
    jitter: float = 0.0
    """Share by which a pause is randomly shorter or longer, so that tries do not coincide."""

    def seconds(self, tries: int, *, at_least: float = 0.0, chance: float | None = None) -> float:
        """The pause after a number of tries. at_least: requested by the other side. chance: 0 to 1."""
        usual = min(self.longest_seconds, self.first_seconds * 2.0 ** min(tries - 1, MOST_DOUBLINGS))
        chance = random.random() if chance is None else chance
        return max(usual * (1 + self.jitter * (2 * chance - 1)), at_least)

    def pause(self, tries: int, *, at_least: float = 0.0, chance: float | None = None) -> timedelta:
        """`seconds` as a timedelta."""
        return timedelta(seconds=self.seconds(tries, at_least=at_least, chance=chance))

    def pauses(self) -> Iterator[float]:
        """Seconds between the tries, until no try is left."""
        for tries in count(1):
            if self.used_up(tries):
                return
            yield self.seconds(tries)

    def used_up(self, tries: int) -> bool:
        """True if no try is left after this number."""
        return self.tries is not None and tries >= self.tries

    @property
    def longest(self) -> timedelta:
        """The longest pause of this policy, unless the other side requests a longer one."""
        return timedelta(seconds=self.longest_seconds * (1 + self.jitter))
