# SPDX-License-Identifier: Apache-2.0
"""A search for NDR and PDR. Only a search loads the package that chooses its loads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from nalm_core.rates.rate_report import RateSettings, Search, Trial
from nalm_core.report.run_report import ArmInfo

Measure = Callable[[float, int], Trial]
"""Runs a trial of some seconds at a load in packets per second."""


class Goal(NamedTuple):
    """A rate to search for."""

    name: Literal["ndr", "pdr"]
    loss_ratio: float


class Loads(NamedTuple):
    """The range of the search, in packets per second."""

    least: float
    greatest: float


def search(
    goals: Sequence[Goal], loads: Loads, measure: Measure, info: ArmInfo, settings: RateSettings
) -> list[Search]:
    """Searches for all goals at once. `ended` has the outcome; a disturbed host raises no error."""
    from nalm_agent.trials.mlr_search import search_by_package

    return search_by_package(goals, loads, measure, info, settings)
