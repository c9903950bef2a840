# SPDX-License-Identifier: Apache-2.0
"""How many turns a launch should have: those with which a ratio becomes certain in the least time.

A launch with n turns of each arm has the variance b + t / n, and takes s + c n seconds. Variance times
seconds is least for n = sqrt(t s / (b c)) (Cochran, Sampling Techniques, 10.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median
from typing import Final

from nalm_core.pooling.components import Components, Level, components, observations
from nalm_core.pooling.constants import MOST_TURNS
from nalm_core.pooling.launches import RunLaunches

LEAST_TURNS: Final = 16
LEAST_BETWEEN: Final = 0.1
"""Least share of a launch's variance that is taken to be the launch's own: a few launches cannot show less,
and an overestimated number of turns costs more than an underestimated one."""


@dataclass(frozen=True, slots=True)
class LaunchNoise:
    """What turns and the launch itself add to the variance of a launch's ln ratio, and to its time."""

    of_turn: float
    """Variance of one turn of each arm."""
    of_launch: float
    """The launch's own variance."""
    start_seconds: float
    """Time of a launch apart from its turns."""
    turn_seconds: float
    """Time of one turn of each arm."""

    @property
    def best_turns(self) -> int:
        """Turns of each arm with the least variance in a given time."""
        best = sqrt(self.of_turn * self.start_seconds / (self.of_launch * self.turn_seconds))
        return round(min(max(best, LEAST_TURNS), MOST_TURNS))

    def variance(self, turns: int) -> float:
        """Variance of a launch's ln ratio."""
        return self.of_launch + self.of_turn / turns

    def seconds(self, turns: int) -> float:
        """Time of a launch."""
        return self.start_seconds + turns * self.turn_seconds


def launch_noise(
    runs: Sequence[RunLaunches], seconds: float, found: Components | None = None
) -> LaunchNoise | None:
    """The noise that launches of a scenario showed; None with too few of them, or of their turns.

    seconds: mean time of a launch. found: the components of these runs; None: they are calculated.
    """
    found = components(observations(runs)) if found is None else found
    launches = [(one, one.turns or run.turns) for run in runs for one in run.launches]
    of_turns = [one.turn_variance * turns for one, turns in launches if one.turn_variance is not None]
    if found is None or not of_turns:
        return None
    whole, turns = found.variances[Level.LAUNCH], fmean(turns for _, turns in launches)
    of_turn = median(of_turns)
    turn_seconds = 2 * runs[-1].turn_ms / 1000
    return LaunchNoise(
        of_turn=min(of_turn, whole * turns),
        of_launch=max(whole - of_turn / turns, LEAST_BETWEEN * whole),
        start_seconds=max(seconds - turns * turn_seconds, turn_seconds),
        turn_seconds=turn_seconds,
    )
