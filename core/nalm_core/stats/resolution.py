# SPDX-License-Identifier: Apache-2.0
"""Resolution of a host: the smallest change found in a given time, from the spread of an A/A run.

Model: ln(head / base) of a launch is normal with the standard deviation that the A/A run showed, launches
are independent, and every launch takes as long as there. A run of n launches is judged by
nalm_core.stats.sequential; a change is found when a look's interval excludes zero. The chance of that at one
look is that of the noncentral t distribution, and a lower bound of the chance at any look, so the best look
gives the change; trimming the launches loses a little power. The margin plays no part: it decides what
matters, the resolution what can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, sqrt
from typing import Final

from nalm_core.report.defaults import CONFIDENCE, MIN_LAUNCHES
from nalm_core.report.run_report import Settings
from nalm_core.stats.estimate import RatioEstimate, trimmed_launches
from nalm_core.stats.quantiles import chi_square_quantile, t_quantile, t_shift
from nalm_core.stats.sequential import look_schedule, spent_at

POWER: Final = 0.9
"""Probability that a change of the given size is found."""
TIMES_S: Final = (10.0, 60.0, 600.0)
LARGEST_LN_CHANGE: Final = 1.0
"""Largest change that counts as resolution."""
MOST_LAUNCHES: Final = 10_000
"""Most launches of a plan (report.Settings)."""


@dataclass(frozen=True, slots=True)
class LaunchNoise:
    """Launch-level noise of an A/A run."""

    ln_sd: float
    """Standard deviation of ln(head / base) of one launch, as the estimate's error implies it."""
    ln_sd_high: float
    """Upper end of its interval at defaults.CONFIDENCE (chi squared)."""
    ln_ratio: float
    """Result of the A/A comparison; the true value is 0."""
    launches: int
    seconds_per_launch: float


@dataclass(frozen=True, slots=True)
class Resolution:
    """The smallest change found with POWER within a time."""

    seconds: float
    launches: int
    """Number of launches that fit into the time."""
    change: float | None
    """Relative change of CPP; None if the launches are too few to decide."""


def spread(estimate: RatioEstimate, seconds_per_launch: float) -> LaunchNoise:
    """The spread behind an A/A estimate: its error times the square root of its launches.

    The error is that of the judging rule (trimmed, winsorised), so the spread is the one that rule sees.
    """
    sd, degrees = estimate.standard_error * sqrt(estimate.launches), estimate.degrees
    high = sd * sqrt(degrees / chi_square_quantile(degrees, (1 + CONFIDENCE) / 2))
    return LaunchNoise(sd, high, estimate.ln_ratio, estimate.launches, seconds_per_launch)


def resolutions(
    found: LaunchNoise, settings: Settings, seconds: Sequence[float] = TIMES_S
) -> list[Resolution]:
    """The resolution of the sequential rule with this spread, in each of these times."""
    return [_within(time, found, settings) for time in seconds]


def _within(seconds: float, found: LaunchNoise, settings: Settings) -> Resolution:
    launches = min(int(seconds / found.seconds_per_launch), MOST_LAUNCHES)
    return Resolution(seconds, launches, smallest_change(found.ln_sd, launches, settings))


def smallest_change(
    ln_sd: float, launches: int, settings: Settings, *, per_unit: float = 1.0
) -> float | None:
    """Relative change of CPP that is found with POWER in a number of launches; None below MIN_LAUNCHES units.

    settings gives error rate and looks; its launches are replaced by those given. per_unit: launches of an
    independent unit, such as a layout of code; ln_sd is then that of independent launches of the same error.
    """
    if launches < MIN_LAUNCHES * per_unit:
        return None
    planned = settings.model_copy(update={"max_launches": launches, "looks": min(settings.looks, launches)})
    ln_change = min(
        _found_at(int(done / per_unit), spent_at(planned.alpha, planned, look)) * ln_sd / sqrt(per_unit)
        for look, done in enumerate(look_schedule(planned), start=1)
    )
    return exp(ln_change) - 1 if ln_change <= LARGEST_LN_CHANGE else None


def _found_at(launches: int, level: float) -> float:
    """ln of the change found with POWER at one look of this error rate, in a launch's standard deviations.
    launches: independent ones."""
    if launches < 2:
        return inf
    degrees = launches - 2 * trimmed_launches(launches) - 1
    quantile = -t_quantile(degrees, level / 2)
    shift = t_shift(degrees, 1 - POWER, quantile)
    return shift / sqrt(launches) if isfinite(shift) else inf
