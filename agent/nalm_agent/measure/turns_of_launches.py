# SPDX-License-Identifier: Apache-2.0
"""Chooses how many turns the launches of a fine margin have, from the noise of those before.

On a quiet host the launch is the limit, on a host with neighbours its turns are, and a start takes as long as
tens of turns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nalm_core.pooling.constants import PILOT_LAUNCHES
from nalm_core.pooling.launches import run_launches
from nalm_core.pooling.turns import launch_noise
from nalm_core.report.run_report import RunReport

THE_PAIR = "pair"
"""Name of the only pair of a run."""


@dataclass
class TurnsOfLaunches:
    """Gives each launch its number of turns."""

    turns: int
    """Of the next launch."""
    most: int
    report: Callable[[], RunReport]
    """The report with all launches so far."""
    _next_look: int = PILOT_LAUNCHES

    def of(self, launch: int, seconds: float) -> int:
        """Turns of each arm in a launch. seconds: time of the launches before it.

        It looks at the noise after PILOT_LAUNCHES launches, and whenever there are twice as many. The choice
        rests on the spread of ratios alone, not on their mean, so the error rates of the verdict hold.
        """
        if launch < self._next_look:
            return self.turns
        self._next_look = 2 * launch
        found = run_launches(self.report(), THE_PAIR)
        noise = None if found is None else launch_noise([found], seconds / launch)
        if noise is not None:
            self.turns = min(noise.best_turns, self.most)
        return self.turns
