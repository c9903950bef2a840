# SPDX-License-Identifier: Apache-2.0
"""NDR and PDR by MLRsearch (draft-ietf-bmwg-mlrsearch; the package of FD.io CSIT). The package chooses the
loads; nalm decides whether a trial is valid.

To load the package takes half a second of CPU: it inspects the stack for each of its fields, and that
compares all loaded modules."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from MLRsearch import AbstractMeasurer, Config, MeasurementResult, MultipleLossRatioSearch, SearchGoal
from nalm_core.rates.rate_report import Ended, RateSettings, Search
from nalm_core.rates.trials import intended, lost_packets
from nalm_core.report.run_report import ArmInfo
from nalm_core.text.percents import share_percent

from nalm_agent.trials.search import Goal, Loads, Measure


class _DisturbedError(Exception):
    """All permitted trials of a load were invalid."""


class _Measurer(AbstractMeasurer):  # type: ignore[misc] # the package has no types
    """Runs trials for the package and repeats invalid ones up to a limit."""

    def __init__(self, measure: Measure, info: ArmInfo, repeats: int) -> None:
        self._measure = measure
        self._info = info
        self._repeats = repeats

    def measure(self, intended_duration: float, intended_load: float) -> MeasurementResult:
        reason = None
        for _ in range(self._repeats + 1):
            trial = self._measure(intended_duration, max(1, round(intended_load)))
            reason = trial.invalid
            if reason is None:
                packets = intended(trial)
                lost = min(packets, lost_packets(trial, self._info))
                return MeasurementResult(
                    intended_duration=intended_duration,
                    intended_load=intended_load,
                    offered_count=packets,
                    loss_count=lost,
                )
        tried = f"{self._repeats + 1} trials in a row were invalid"
        raise _DisturbedError(f"at {intended_load:.0f} pps {tried}, the last because {reason}")


def search_by_package(
    goals: Sequence[Goal], loads: Loads, measure: Measure, info: ArmInfo, settings: RateSettings
) -> list[Search]:
    """`nalm_agent.trials.search.search`."""
    search_goals = {goal: _search_goal(goal, settings) for goal in goals}
    config = Config()
    config.goals = list(search_goals.values())
    config.min_load = loads.least
    config.max_load = max(loads.greatest, loads.least * 1.01 + 1)
    config.search_duration_max = settings.search_s
    config.warmup_duration = settings.trial_s
    measurer = _Measurer(measure, info, settings.max_repeats)
    try:
        found = MultipleLossRatioSearch(config=config).search(measurer, debug=_nobody)
    except _DisturbedError as error:
        return [_search(goal, loads, Ended.DISTURBED, str(error)) for goal in goals]
    except RuntimeError:
        late = f"the search did not end within {settings.search_s:g} s"
        return [_search(goal, loads, Ended.OUT_OF_TIME, late) for goal in goals]
    return [_result(goal, loads, found, search_goals) for goal in goals]


def _search_goal(goal: Goal, settings: RateSettings) -> SearchGoal:
    return SearchGoal(
        loss_ratio=goal.loss_ratio,
        exceed_ratio=settings.exceed_ratio,
        relative_width=settings.width,
        initial_trial_duration=settings.trial_s,
        final_trial_duration=settings.trial_s,
        duration_sum=settings.trial_s * settings.trials_per_load,
        preceding_targets=2,
        fail_fast=False,
    )


def _nobody(line: str) -> None:
    """Discards the package's log, since the report has every trial."""


def _result(
    goal: Goal, loads: Loads, found: Mapping[SearchGoal, object], search_goals: Mapping[Goal, SearchGoal]
) -> Search:
    bounds = found[search_goals[goal]]
    lower = _load(getattr(bounds, "relevant_lower_bound", None))
    upper = _load(getattr(bounds, "relevant_upper_bound", None))
    throughput = _load(getattr(bounds, "conditional_throughput", None))
    ended, reason, share = Ended.FOUND, None, share_percent(goal.loss_ratio, 2)
    if lower is None:
        ended = Ended.LOSS_AT_LEAST
        reason = f"more than {share} is lost even at {loads.least:.0f} pps, where the search ends"
    elif upper is None:
        ended = Ended.NO_LOSS_AT_MOST
        reason = f"no more than {share} is lost at {loads.greatest:.0f} pps, where the search begins"
    return _search(goal, loads, ended, reason, (lower, upper, throughput))


def _load(bound: object) -> float | None:
    value = None if bound is None else float(bound)  # type: ignore[arg-type] # a DiscreteLoad
    return value if value is not None and math.isfinite(value) else None


def _search(
    goal: Goal,
    loads: Loads,
    ended: Ended,
    reason: str | None,
    found: tuple[float | None, float | None, float | None] = (None, None, None),
) -> Search:
    """found: lower bound, upper bound and throughput, in packets per second."""
    lower, upper, throughput = found
    return Search(
        goal=goal.name,
        loss_ratio=goal.loss_ratio,
        least_pps=loads.least,
        greatest_pps=loads.greatest,
        lower_pps=lower,
        upper_pps=upper,
        throughput_pps=throughput,
        ended=ended,
        reason=reason,
    )
