# SPDX-License-Identifier: Apache-2.0
"""What the search of a history finds: changes, suspicions, and states of the machine."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["step", "drift"]


@dataclass(frozen=True)
class ChangePoint:
    """kind: a step or a drift. index: first commit of the new level, likely between low and high; of a drift
    its middle, low its first commit and high its last. size: relative to the level before; with a level that
    is not above 0, before or after, in the unit of the values, and not `relative`. probability: that the
    change is there and stays. p_value: that noise or outliers alone show as much."""

    index: int
    low: int
    high: int
    size: float
    probability: float
    p_value: float
    kind: Kind
    relative: bool = True

    def moved(self, by: int) -> ChangePoint:
        """The change, later by a number of commits."""
        return replace(self, index=self.index + by, low=self.low + by, high=self.high + by)


@dataclass(frozen=True)
class Visit:
    """Commits first to last were measured in another state of the machine. open: the history ends, or begins,
    in it. size, relative: as of a change, to the level around."""

    first: int
    last: int
    size: float
    open: bool
    relative: bool = True

    def moved(self, by: int) -> Visit:
        """The visit, later by a number of commits."""
        return replace(self, first=self.first + by, last=self.last + by)


@dataclass(frozen=True)
class Detection:
    """changes: of the level. suspicions: changes that one or two newest values show; the next decides.
    visits: of states of the machine that recur, which are no changes. All in order."""

    changes: list[ChangePoint]
    suspicions: list[ChangePoint]
    visits: list[Visit]

    def moved(self, by: int) -> Detection:
        """The same of commits that are later by a number."""
        return Detection(
            [one.moved(by) for one in self.changes],
            [one.moved(by) for one in self.suspicions],
            [one.moved(by) for one in self.visits],
        )
