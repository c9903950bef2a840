# SPDX-License-Identifier: Apache-2.0
"""Splits of lcores between the roles of a chain, predicted from one run and measured (Wu et al., Eq. 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from statistics import fmean, median

from nalm_core.models.documents.base import Answer, Document
from nalm_core.models.documents.roles import ASSUMES, RolePlan, RoleWork
from nalm_core.models.quantity import ModelInputError
from nalm_core.models.roles import ROLES, Work, planned, whole_lcores, work_of_stages
from nalm_core.rates.rate_report import Phase, RateReport
from nalm_core.rates.rate_result import arm_info
from nalm_core.rates.trials import as_round
from nalm_core.report.counters import totals

NEAR_RATE = 0.10
"""Error of a predicted rate within which it counts as right."""


@dataclass(frozen=True, slots=True)
class Split:
    """A scenario with its lcores by role."""

    scenario: str
    dispatch: int
    workers: int
    databases: int
    rates: Sequence[float] = ()
    """Measured at full load, one per launch, in packets/s; none: `left_out` has the reason."""
    left_out: str | None = None


class SplitAnswer(Document):
    """A split, predicted and measured."""

    scenario: str
    dispatch: int
    workers: int
    databases: int
    predicted_pps: float
    bottleneck: str
    measured_pps: float | None
    """Mean of the launches; null: not measured."""
    error: float | None
    """Predicted / measured - 1."""
    left_out: str | None
    """Why it was not measured."""


class SplitsAnswer(Answer):
    """What one run predicts for splits of the same chain, beside what was measured."""

    scenario: str
    """Of the run that gave the work."""
    work: RoleWork
    frequency_hz: float
    splits: list[SplitAnswer]
    near: int
    """Splits whose predicted rate is within NEAR_RATE of the measured one."""
    plans: dict[int, RolePlan]
    """The best split by lcores."""


def work_of_report(report: RateReport, roles: Mapping[str, Sequence[str]]) -> Work:
    """Cycles per packet of each role, medians of the valid trials at full load.

    roles: shell patterns of the stages of `dispatch` and `databases`; all other stages are the workers'.
    Without them, dispatch is rx, dispatch and tx, and databases are the hand-overs. Raises ModelInputError if
    there is no valid trial, or a pattern matches no stage.
    """
    if report.build is None:
        raise ModelInputError("rate report", report.failure or "the NF could not be built")
    info = arm_info(report.build, report.run, report.stages)
    rounds = [
        totals(as_round(trial), info)
        for trial in report.trials
        if trial.phase is Phase.MRR and trial.invalid is None
    ]
    rounds = [one for one in rounds if one.packets]
    if not rounds:
        raise ModelInputError("rate report", "no trial at full load was valid")
    cpp = {
        stage: median(one.stage_cycles.get(stage, 0.0) / one.packets for one in rounds)
        for stage in rounds[0].stage_cycles
    }
    return _by_patterns(cpp, roles) if roles else work_of_stages(cpp)


def _by_patterns(cpp: Mapping[str, float], roles: Mapping[str, Sequence[str]]) -> Work:
    cycles = dict.fromkeys(ROLES, 0.0)
    unused = {pattern for patterns in roles.values() for pattern in patterns}
    for stage, each in cpp.items():
        found = {
            role: matching
            for role, patterns in roles.items()
            if (matching := [one for one in patterns if fnmatchcase(stage, one)])
        }
        if len(found) > 1:
            raise ModelInputError("roles", f"stage {stage} is of {' and '.join(found)}")
        unused -= {one for matching in found.values() for one in matching}
        cycles[next(iter(found), "workers")] += each
    if unused:
        raise ModelInputError(
            "roles", f"no stage matches {', '.join(sorted(unused))}; stages are {', '.join(cpp)}"
        )
    return Work(**cycles)


def splits_answer(
    scenario: str, work: Work, frequency_hz: float, splits: Sequence[Split], lcores: Sequence[int] = ()
) -> SplitsAnswer:
    """lcores: numbers to plan for; by default those of the splits. Raises ModelInputError."""
    answers = [_answer(work, frequency_hz, one) for one in splits]
    totals_of = sorted(set(lcores) or {one.dispatch + one.workers + one.databases for one in splits})
    return SplitsAnswer.model_validate(
        {
            "assumes": ASSUMES,
            "notes": [] if any(one.error is not None for one in answers) else ["no split was measured"],
            "scenario": scenario,
            "work": work,
            "frequency_hz": frequency_hz,
            "splits": answers,
            "near": sum(one.error is not None and abs(one.error) <= NEAR_RATE for one in answers),
            "plans": {count: whole_lcores(work, count, frequency_hz) for count in totals_of},
        }
    )


def _answer(work: Work, frequency_hz: float, one: Split) -> SplitAnswer:
    try:
        plan = planned(work, (one.dispatch, one.workers, one.databases), frequency_hz)
    except ModelInputError as error:
        raise ModelInputError(f"split {one.scenario}", str(error)) from error
    measured = fmean(one.rates) if one.rates else None
    return SplitAnswer(
        scenario=one.scenario,
        dispatch=one.dispatch,
        workers=one.workers,
        databases=one.databases,
        predicted_pps=plan.pps,
        bottleneck=plan.bottleneck,
        measured_pps=measured,
        error=None if measured is None else plan.pps / measured - 1,
        left_out=one.left_out,
    )
