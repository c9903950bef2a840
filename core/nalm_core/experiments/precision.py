# SPDX-License-Identifier: Apache-2.0
"""Decides when a cell has been measured long enough: by its precision, never by its result.

The scatter of the first launches alone decides how many a cell has (Stein, Ann. Math. Stat. 16 (1945) 243). A
cell that could end at any look at which its error seems small would end where it is underestimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

from nalm_core.experiments.constants import CELL_ERROR, CELL_PILOT
from nalm_core.report.defaults import MIN_LAUNCHES
from nalm_core.report.outcome import Outcome
from nalm_core.report.rounds import PairedLaunch, launches_done, pair_launches, random_units
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.stats.estimate import RatioEstimate
from nalm_core.stats.sequential import Decision, estimate_of, look_schedule
from nalm_core.text.percents import share_percent


def look(report: RunReport) -> Decision:
    """At a planned look, `same` if the launches are enough for CELL_ERROR, which means nothing else; at the
    last look otherwise `inconclusive`. In all other cases the measurement continues."""
    launches, schedule = launches_done(report), look_schedule(report.settings)
    later = next((planned for planned in schedule if planned > launches), None)
    if later is not None and launches not in schedule:
        return Decision(None, f"{launches} of {later} launches until the next look", launches, None, later)
    units = random_units(report, pair_launches(report, Arm.BASE, Arm.HEAD))
    if len(units) >= (MIN_LAUNCHES if later is None else CELL_PILOT) and are_enough(units):
        return Decision(
            Outcome.SAME, f"known to {share_percent(CELL_ERROR)} after {launches} launches", launches
        )
    if later is None:
        return Decision(
            Outcome.INCONCLUSIVE, f"less exact than {share_percent(CELL_ERROR)} after all launches", launches
        )
    return Decision(None, f"still less exact than {share_percent(CELL_ERROR)}", launches, None, later)


def are_enough(units: Sequence[PairedLaunch]) -> bool:
    """True if the standard error over these launches, or layouts, is at most CELL_ERROR by the first ones."""
    first = _by_the_first(units)
    return first is not None and first.standard_error <= CELL_ERROR


def cell_estimate(units: Sequence[PairedLaunch]) -> RatioEstimate | None:
    """A cell's ratio over its launches, or layouts, in the order in which they ran. Its error is the larger
    one of two: by all, and by the first ones, whose number does not depend on their scatter."""
    found, first = estimate_of(units), _by_the_first(units)
    if found is None or first is None or first.standard_error <= found.standard_error:
        return found
    return replace(found, standard_error=first.standard_error, degrees=first.degrees)


def _by_the_first(units: Sequence[PairedLaunch]) -> RatioEstimate | None:
    """Of the first CELL_PILOT launches, with the standard error that all have at their scatter."""
    pilot = units[:CELL_PILOT]
    found = estimate_of(pilot)
    if found is None:
        return None
    return replace(found, standard_error=found.standard_error * sqrt(len(pilot) / len(units)))
