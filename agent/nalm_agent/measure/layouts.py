# SPDX-License-Identifier: Apache-2.0
"""Spreads launches over layouts: placements of code, stack and heap, the same number for both arms.

Placement moves cycles without any change of the code, and a build has one placement of code for life. Where
that is larger than the margin, or may be the whole of a change, launches take several: two after each other
have the same one, so that the spread between layouts can be told from that between launches.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from nalm_core.report.run_report import Arm, Layouts

from nalm_agent.build.build import Built
from nalm_agent.build.relink import CannotRelinkError, Link, links_of, relinked
from nalm_agent.measure.rounds import ArmRun
from nalm_agent.store.home import Home, WorkDir

LAUNCHES_PER_LAYOUT = 2
STACK, HEAP = "NALM_LAYOUT_STACK", "NALM_PROBE_HEAP_OFFSET"
OFFSET_GRAIN, OFFSETS = 16, 256
"""Stack and heap are moved by multiples of OFFSET_GRAIN bytes below one page."""

AsRun = Callable[[Arm, Built], ArmRun]
"""How an arm is started from a build's directory."""


@dataclass
class LayoutsOfLaunches:
    """Gives each launch its layout. It begins with the builds as they are, until `spread` is called."""

    home: Home
    work: WorkDir
    built: Mapping[Arm, Built]
    as_run: AsRun
    most: int = 1
    """Layouts that launches are spread over; with 1 all have the builds as they are."""
    numbers: list[int] = field(default_factory=list)
    """The layout of each launch so far."""
    reason: str | None = None
    """Why code cannot be placed otherwise; None: it can, or nobody tried."""
    _links: dict[Arm, list[Link]] = field(default_factory=dict)
    _placed: int = 0

    @property
    def spreading(self) -> bool:
        return self.most > 1

    def spread(self, layouts: int) -> None:
        """From the next launch on, launches take so many layouts."""
        self.most = layouts

    def place(self, launch: int, runs: Mapping[Arm, ArmRun]) -> Mapping[Arm, ArmRun]:
        """The arms of a launch, in its layout."""
        del self.numbers[launch:]
        if not self.spreading:
            self.numbers.append(0)
            return runs
        number = 1 + (self._placed // LAUNCHES_PER_LAYOUT) % self.most
        self._placed += 1
        placed = dict(runs)
        if self.reason is None:
            try:
                placed = {arm: self._relinked(arm, run, number) for arm, run in runs.items()}
            except CannotRelinkError as error:
                self.reason = error.message
        if self.reason is not None:
            number = self._placed
        self.numbers.append(number)
        offsets = offsets_of(number)
        return {arm: replace(run, how=run.how.given(offsets)) for arm, run in placed.items()}

    def in_report(self) -> Layouts | None:
        """None if all launches had the builds as they are."""
        if not any(self.numbers):
            return None
        return Layouts(relinked=self.reason is None, reason=self.reason, numbers=list(self.numbers))

    def _relinked(self, arm: Arm, run: ArmRun, number: int) -> ArmRun:
        if arm not in self._links:
            self._links[arm] = links_of(self.home, self.work, self.built[arm])
        placed = relinked(self.home, self.built[arm], self._links[arm], number)
        again = self.as_run(arm, placed)
        return replace(
            again, how=replace(again.how, urgent=run.how.urgent, say=run.how.say), offered=run.offered
        )


def offsets_of(number: int) -> dict[str, str]:
    """Variables that move the stack, by their size, and the heap of an NF whose probe reads HEAP."""
    drawn = random.Random(f"offsets {number}")
    stack, heap = (OFFSET_GRAIN * drawn.randrange(OFFSETS) for _ in range(2))
    return {STACK: "x" * stack, HEAP: str(heap)}
