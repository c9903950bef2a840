# SPDX-License-Identifier: Apache-2.0
"""What size of change a host can see: from an A/A spread to the smallest change found in a given time.

Model: ln(head / base) of a launch is normal with the standard deviation that the A/A run showed, launches
are independent, and every launch takes as long as there. A run of n launches is judged by
nalm_core.stats.sequential; a change is found when a look's interval leaves it out of doubt. The chance of
that at one look alone is that of the noncentral t distribution and a lower bound of the chance at any look,
so the look that sees most gives the change; trimming the launches takes a little of it away again. The
margin is not asked here: it decides what matters, this what can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, sqrt
from typing import Final

from scipy.special import chdtri, nctdtrinc, stdtrit

from nalm_core.report.defaults import CONFIDENCE, MIN_LAUNCHES
from nalm_core.report.run_report import Settings
from nalm_core.stats.estimate import RatioEstimate, middle_launches
from nalm_core.stats.sequential import look_schedule, spent_at

POWER: Final = 0.9
"""Chance that a change of the stated size is found."""
TIMES_S: Final = (10.0, 60.0, 600.0)
LARGEST_LN_CHANGE: Final = 1.0
"""Who can only see more than that sees nothing."""
MOST_LAUNCHES: Final = 10_000
"""More than that is never planned (report.Settings)."""


@dataclass(frozen=True, slots=True)
class LaunchNoise:
    """Launch-level noise of an A/A run."""

    ln_sd: float
    """Standard deviation of ln(head / base) of one launch, as the estimate's error implies it."""
    ln_sd_high: float
    """Upper end of its interval at defaults.CONFIDENCE (chi squared)."""
    ln_ratio: float
    """What the A/A comparison came to; 0 is the truth."""
    launches: int
    seconds_per_launch: float


@dataclass(frozen=True, slots=True)
class Resolution:
    """The smallest change found with POWER within a time."""

    seconds: float
    launches: int
    """That fit into the time."""
    change: float | None
    """Relative change of CPP; None when so few launches decide nothing."""


def spread(estimate: RatioEstimate, seconds_per_launch: float) -> LaunchNoise:
    """The spread behind an A/A estimate: its error times the square root of its launches.

    The error is that of the rule which judges (trimmed, winsorised), so the spread is the one it sees.
    """
    sd, degrees = estimate.standard_error * sqrt(estimate.launches), estimate.degrees
    high = sd * sqrt(degrees / float(chdtri(degrees, (1 + CONFIDENCE) / 2)))
    return LaunchNoise(sd, high, estimate.ln_ratio, estimate.launches, seconds_per_launch)


def resolutions(
    found: LaunchNoise, settings: Settings, seconds: Sequence[float] = TIMES_S
) -> list[Resolution]:
    """What this spread lets the sequential rule see in each of these times."""
    return [_within(time, found, settings) for time in seconds]


def _within(seconds: float, found: LaunchNoise, settings: Settings) -> Resolution:
    launches = min(int(seconds / found.seconds_per_launch), MOST_LAUNCHES)
    return Resolution(seconds, launches, smallest_change(found.ln_sd, launches, settings))


def smallest_change(ln_sd: float, launches: int, settings: Settings) -> float | None:
    """Relative change of CPP found with POWER in so many launches; None below MIN_LAUNCHES.

    settings gives error rate and looks; its launches are replaced by those given.
    """
    if launches < MIN_LAUNCHES:
        return None
    planned = settings.model_copy(update={"max_launches": launches, "looks": min(settings.looks, launches)})
    ln_change = min(
        _found_at(done, spent_at(planned.alpha, planned, look)) * ln_sd
        for look, done in enumerate(look_schedule(planned), start=1)
    )
    return exp(ln_change) - 1 if ln_change <= LARGEST_LN_CHANGE else None


def _found_at(launches: int, level: float) -> float:
    """ln of the change found with POWER at one look of this error rate, in a launch's standard deviations."""
    degrees = len(middle_launches([1.0] * launches, [1.0] * launches)) - 1
    quantile = -float(stdtrit(degrees, level / 2))
    shift = float(nctdtrinc(degrees, 1 - POWER, quantile))
    return shift / sqrt(launches) if isfinite(shift) else inf
