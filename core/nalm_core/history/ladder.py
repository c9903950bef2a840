# SPDX-License-Identifier: Apache-2.0
"""Which comparisons over longer distances a history needs, what each costs and what it gains.

Neighbours alone let the error of a difference grow with the root of the distance. Links over powers of
LINK_RATIO commits make it grow with the logarithm at most: the way between two commits takes a few links of
each length. A link of length d begins at each LINK_STRIDE * sqrt(d) commits: the longer, the rarer, but more
of them lie beside each other, since each is passed by all ways to the far end. Releases are compared with
the releases before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from nalm_core.history import constants as c


@dataclass(frozen=True)
class Rung:
    """A comparison to make, by place along the first parent."""

    base: int
    head: int
    why: str
    """`release`, `distance`, or `bridge` between two environments."""


@dataclass(frozen=True)
class Gain:
    """Standard error of ln(head / base) without the link and with it; before None: nothing connects them."""

    before: float | None
    after: float

    @property
    def share(self) -> float:
        """Share of the variance that the link takes."""
        return 1.0 if self.before is None else 1 - (self.after / self.before) ** 2 if self.before else 0.0


def rungs(length: int, releases: Sequence[int], since: int = 0) -> list[Rung]:
    """The planned comparisons of a line of `length` commits whose head is at `since` or later; those over
    longer distances first, since they gain most. releases: places of tags, ascending."""
    found = {}
    for distance in takewhile(lambda one: one < length, _distances()):
        for head in range(distance, length, int(c.LINK_STRIDE * distance**0.5)):
            found[head - distance, head] = Rung(head - distance, head, "distance")
    for number, head in enumerate(releases):
        for base in releases[max(0, number - c.LINK_RELEASES) : number]:
            found[base, head] = Rung(base, head, "release")
    planned = [one for one in found.values() if one.head >= since and one.head - one.base > 1]
    return sorted(planned, key=lambda one: (one.base - one.head, one.head))


def _distances() -> list[int]:
    distances = [c.LINK_RATIO]
    while distances[-1] < c.LINK_LONGEST:
        distances.append(distances[-1] * c.LINK_RATIO)
    return distances


def gain(before: float | None, error: float) -> Gain:
    """before: the present standard error between the ends; error: that of the new link."""
    if before is None:
        return Gain(None, error)
    return Gain(before, (before**-2 + error**-2) ** -0.5 if before > 0 else 0.0)
