# SPDX-License-Identifier: Apache-2.0
"""Decides when a cell has been measured long enough: by its precision, never by its result."""

from __future__ import annotations

from nalm_core.experiments.constants import CELL_ERROR
from nalm_core.report.defaults import MIN_LAUNCHES
from nalm_core.report.outcome import Outcome
from nalm_core.report.rounds import launches_done
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.stats.sequential import Decision, chain_estimate, look_schedule
from nalm_core.text.percents import share_percent


def look(report: RunReport) -> Decision:
    """At a planned look, `same` if the standard error is at most CELL_ERROR, which means nothing else; at the
    last look otherwise `inconclusive`. In all other cases the measurement continues."""
    launches, schedule = launches_done(report), look_schedule(report.settings)
    later = next((planned for planned in schedule if planned > launches), None)
    if later is not None and launches not in schedule:
        return Decision(None, f"{launches} of {later} launches until the next look", launches, None, later)
    estimate = chain_estimate(report, Arm.BASE, Arm.HEAD)
    known = estimate is not None and estimate.launches >= MIN_LAUNCHES
    if known and estimate is not None and estimate.standard_error <= CELL_ERROR:
        return Decision(
            Outcome.SAME, f"known to {share_percent(CELL_ERROR)} after {launches} launches", launches
        )
    if later is None:
        return Decision(
            Outcome.INCONCLUSIVE, f"less exact than {share_percent(CELL_ERROR)} after all launches", launches
        )
    return Decision(None, f"still less exact than {share_percent(CELL_ERROR)}", launches, None, later)
