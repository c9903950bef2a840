# SPDX-License-Identifier: Apache-2.0
"""How much cost can have moved from functions that lost some to functions that gained some.

A maximum flow (Ford & Fulkerson 1956, along shortest paths as by Edmonds & Karp 1972) from losers to gainers
over the links that evidence allows, in tiers: links of a later tier carry what earlier ones cannot.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

N = TypeVar("N", bound=Hashable)
LEAST = 1e-9
"""Relative to all losses: less is rounding."""


def moved(
    losses: Mapping[N, float], gains: Mapping[N, float], tiers: Sequence[Mapping[tuple[N, N], float]]
) -> dict[tuple[N, N], float]:
    """What moves over each link: of all that losers lost as much as links and gains allow.

    tiers: the most that can move from the first to the second node of each link.
    """
    network = _Network(dict(losses), dict(gains), LEAST * sum(losses.values()))
    for tier in tiers:
        network.add(tier)
        while path := network.shortest_path():
            network.push(path)
    return {link: size for link, size in network.flow.items() if size > network.least}


class _Network(Generic[N]):
    """Links, and what flows over them."""

    def __init__(self, left: dict[N, float], room: dict[N, float], least: float) -> None:
        self.left, self.room, self.least = left, room, least
        self.flow: dict[tuple[N, N], float] = defaultdict(float)
        self._most: dict[tuple[N, N], float] = defaultdict(float)
        self._near: dict[N, dict[N, None]] = defaultdict(dict)

    def add(self, links: Mapping[tuple[N, N], float]) -> None:
        for (a, b), most in links.items():
            self._most[a, b] = max(self._most[a, b], most)
            self._near[a][b] = self._near[b][a] = None

    def _free(self, a: N, b: N) -> float:
        """What can still flow from a to b, also by less flow from b to a."""
        return self._most.get((a, b), 0.0) - self.flow.get((a, b), 0.0) + self.flow.get((b, a), 0.0)

    def shortest_path(self) -> list[N] | None:
        """From a node that has something left, the one with most first, to one with room; None: none."""
        starts = sorted(
            (one for one, size in self.left.items() if size > self.least), key=lambda one: -self.left[one]
        )
        came: dict[N, N | None] = dict.fromkeys(starts)
        waiting = deque(starts)
        while waiting:
            at = waiting.popleft()
            if self.room.get(at, 0.0) > self.least:
                return self._back(at, came)
            for following in self._near.get(at, ()):
                if following not in came and self._free(at, following) > self.least:
                    came[following] = at
                    waiting.append(following)
        return None

    def _back(self, end: N, came: Mapping[N, N | None]) -> list[N]:
        path = [end]
        while (before := came[path[-1]]) is not None:
            path.append(before)
        return path[::-1]

    def push(self, path: Sequence[N]) -> None:
        """Moves as much as the path can carry."""
        steps = list(pairwise(path))
        size = min(self.left[path[0]], self.room[path[-1]], *(self._free(a, b) for a, b in steps))
        for a, b in steps:
            back = min(size, self.flow.get((b, a), 0.0))
            self.flow[b, a] -= back
            self.flow[a, b] += size - back
        self.left[path[0]] -= size
        self.room[path[-1]] -= size
