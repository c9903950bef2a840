# SPDX-License-Identifier: Apache-2.0
"""Figures of a run of rates (`RunReport.rates`) as metrics of both arms: a value of each launch, or a reason.

A figure takes part launch by launch, with both arms or not at all. An invalid trial is in no figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from types import MappingProxyType
from typing import Final

from nalm_core.rates import defaults
from nalm_core.rates.latency import Bin
from nalm_core.rates.long_calls import long_calls
from nalm_core.rates.rate_change import median_bins
from nalm_core.rates.sweep import chain_knee, stage_knees
from nalm_core.rates.trials import (
    as_round,
    carried_all,
    forwarded_pps,
    intended,
    lost_packets,
    total_losses,
)
from nalm_core.report.counters import totals
from nalm_core.report.own_metrics import Judged, MetricGrowth, OwnMetric
from nalm_core.report.run_report import Arm, ArmInfo
from nalm_core.report.trials.long_calls import LongCalls
from nalm_core.report.trials.rate_run import ArmSearch, PairedTrial, RateMode, RateRun
from nalm_core.report.trials.trial import Ended, Phase, Trial

ARMS: Final = (Arm.BASE, Arm.HEAD)


@dataclass(frozen=True, slots=True)
class RateMetric:
    """A figure of a run of rates."""

    mode: RateMode
    """The part of a launch that measures it."""
    unit: str
    better: str
    judged: Judged
    margin: float


LOAD_CPP: Final = "load_cpp"
"""Cycles per packet at the run's load, which may be partial."""
RATE_METRICS: Final[Mapping[str, RateMetric]] = MappingProxyType(
    {
        "mrr_pps": RateMetric("mrr", "packets/s", "higher", "ranks", defaults.RATE_MARGIN),
        "ndr_pps": RateMetric("ndr", "packets/s", "higher", "ranks", defaults.RATE_MARGIN),
        "pdr_pps": RateMetric("ndr", "packets/s", "higher", "ranks", defaults.RATE_MARGIN),
        "latency_p50_ns": RateMetric("latency", "ns", "lower", "ranks", defaults.LATENCY_MARGIN),
        "latency_p90_ns": RateMetric("latency", "ns", "lower", "ranks", defaults.LATENCY_MARGIN),
        "latency_p99_ns": RateMetric("latency", "ns", "lower", "ranks", defaults.LATENCY_MARGIN),
        "latency_p99_9_ns": RateMetric("latency", "ns", "lower", "ranks", defaults.LATENCY_MARGIN),
        "latency_max_ns": RateMetric("latency", "ns", "lower", "never", defaults.LATENCY_MARGIN),
        "jitter_p99_ns": RateMetric("latency", "ns", "lower", "ranks", defaults.LATENCY_MARGIN),
        "loss_ratio": RateMetric("latency", "1", "lower", "share", defaults.LOSS_MARGIN),
        LOAD_CPP: RateMetric("latency", "cycles/packet", "lower", "ranks", defaults.LOAD_CPP_MARGIN),
    }
)
"""All figures of a run of rates, in the order in which they are shown."""
LATENCIES: Final = {
    "latency_p50_ns": 50.0,
    "latency_p90_ns": 90.0,
    "latency_p99_ns": 99.0,
    "latency_p99_9_ns": 99.9,
}
JITTERS: Final = {"jitter_p99_ns": 99.0}
KNEE: Final = "knee_pps"
"""Of runs that sweep: the load at which CPP leaves its level at small loads."""
OPTIONAL: Final = tuple(JITTERS)
"""Figures that a generator need not measure: if both arms lack one, the verdict is not open."""

NO_FULL_LOAD: Final = "no trial at full load was made"
OTHER_GREATEST: Final = "it carried all that it was offered, and the other build was offered another load"

ByLaunch = dict[int, tuple[float, float]]
"""Base's and head's value by launch."""


class _MissingError(Exception):
    """Why a figure has no value: the reasons of the arms that lack it."""

    def __init__(self, reasons: dict[Arm, str]) -> None:
        super().__init__("; ".join(f"{arm}: {reason}" for arm, reason in reasons.items()))
        self.reasons = reasons


@dataclass(frozen=True, slots=True)
class _Rate:
    """Bounds of an arm's rate in a launch."""

    lower: float
    upper: float | None
    """None: the arm carried the greatest load that it was offered."""


RatesByLaunch = dict[int, dict[Arm, _Rate]]


def rate_metrics(run: RateRun, arms: Mapping[Arm, ArmInfo], margins: Mapping[str, float]) -> list[OwnMetric]:
    """All figures that the run's launches measure. margins: by metric, where they differ from
    RATE_METRICS'."""
    figures = _Figures(run, arms)
    found = [
        _metric(name, of, margins.get(name, of.margin), figures)
        for name, of in RATE_METRICS.items()
        if of.mode in run.modes
    ]
    if any(one.trial.phase is Phase.SWEEP for one in run.trials):
        found.append(_knee_metric(run, arms, margins.get(KNEE, defaults.KNEE_MARGIN)))
    return found


def _knee_metric(run: RateRun, arms: Mapping[Arm, ArmInfo], margin: float) -> OwnMetric:
    """The knee of each arm with its interval. No knee is a reason, not a load. Without one in both arms the
    verdict is not open; one that appears or vanishes is a change of unknown size."""
    values: dict[Arm, list[float]] = {}
    growth: dict[Arm, MetricGrowth] = {}
    missing: dict[Arm, str] = {}
    of_stages: dict[Arm, dict[str, MetricGrowth]] = {}
    for arm in ARMS:
        trials = [one.trial for one in run.trials if one.arm is arm]
        knee = chain_knee(trials, arms[arm])
        if knee is None:
            missing[arm] = f"fewer than {defaults.KNEE_LOADS} loads have valid trials"
        elif knee.load is None or knee.interval is None:
            missing[arm] = f"there is none: {knee.reason or 'one launch does not tell'}"
        elif knee.interval.high is None:
            missing[arm] = "its interval reaches beyond the greatest load"
        else:
            values[arm] = [knee.load]
            growth[arm] = MetricGrowth(low=knee.interval.low, high=knee.interval.high, level=knee.load)
            of_stages[arm] = {
                name: MetricGrowth(low=one.interval.low, high=one.interval.high, level=one.load)
                for name, one in stage_knees(trials, arms[arm]).items()
                if one.load is not None and one.interval is not None and one.interval.high is not None
            }
    base = values.get(Arm.BASE, [1.0])[0]
    return OwnMetric(
        name=KNEE,
        unit="packets/s",
        better="higher",
        every="launch",
        exact=False,
        source="trials",
        margin=margin * base,
        judged="growth",
        gates=len(missing) < len(ARMS),
        values=values,
        missing=missing,
        growth=growth,
        stage_growth=of_stages if len(of_stages) == len(ARMS) else {},
    )


def _metric(name: str, of: RateMetric, margin: float, figures: _Figures) -> OwnMetric:
    found = OwnMetric(
        name=name,
        unit=of.unit,
        better="higher" if of.better == "higher" else "lower",
        every="launch",
        exact=False,
        source="trials",
        margin=margin,
        judged=of.judged,
        gates=of.judged != "never",
    )
    try:
        values, at_least = figures.of(name, margin)
    except _MissingError as error:
        gates = found.gates and (name not in OPTIONAL or len(error.reasons) < len(ARMS))
        return found.model_copy(update={"missing": error.reasons, "gates": gates})
    columns = {arm: [pair[at] for pair in values.values()] for at, arm in enumerate(ARMS)}
    causes = figures.causes() if name == "loss_ratio" else {}
    stages = figures.cycles_of_stages() if name == LOAD_CPP else {}
    timed = name in {**LATENCIES, **JITTERS}
    return found.model_copy(
        update={
            "values": columns,
            "begins": figures.begins(name, values) if timed else {},
            "at_least": at_least,
            "causes": causes,
            "stages": stages,
            "long_calls": figures.long_calls(columns) if timed else None,
        }
    )


@dataclass(frozen=True)
class _Figures:
    run: RateRun
    arms: Mapping[Arm, ArmInfo]

    def of(self, name: str, margin: float) -> tuple[ByLaunch, dict[Arm, int]]:
        """The values, and the number of launches in which an arm carried all that it was offered. Raises
        _MissingError."""
        if name == "mrr_pps":
            return _compared(self._full_load(), margin)
        if name in ("ndr_pps", "pdr_pps"):
            return _compared(self._searched(name.removesuffix("_pps")), margin)
        return self._each(self._at_the_load(name)), {}

    def _at_the_load(self, name: str) -> Callable[[int, Arm], float | None]:
        """The figure of an arm in one launch."""
        launches = self._launches
        if name == "loss_ratio":
            return lambda launch, arm: _loss(launches[launch][arm], self.arms[arm])
        if name == LOAD_CPP:
            return lambda launch, arm: self._cycles_by_launch[launch, arm].get(None)
        if name == "latency_max_ns":
            return lambda launch, arm: _greatest(launches[launch][arm])
        return lambda launch, arm: (
            None if (of := self._bins_by_launch[launch, arm].get(name)) is None else of.end_ns
        )

    @cached_property
    def _cycles_by_launch(self) -> dict[tuple[int, Arm], dict[str | None, float]]:
        return {
            (launch, arm): _cycles(sides[arm], self.arms[arm])
            for launch, sides in self._launches.items()
            for arm in ARMS
        }

    @cached_property
    def _bins_by_launch(self) -> dict[tuple[int, Arm], dict[str, Bin]]:
        return {
            (launch, arm): median_bins(LATENCIES, [one.latency for one in sides[arm]])
            | median_bins(JITTERS, [one.jitter for one in sides[arm]])
            for launch, sides in self._launches.items()
            for arm in ARMS
        }

    def begins(self, name: str, launches: Iterable[int]) -> dict[Arm, list[float]]:
        """Of a latency or jitter in these launches: where the bins begin whose ends are the values."""
        used = list(launches)
        return {arm: [self._bins_by_launch[launch, arm][name].begin_ns for launch in used] for arm in ARMS}

    def causes(self) -> dict[Arm, dict[str, float]]:
        """The share of lost packets by cause, of the trials that take part."""
        found = {}
        for arm in ARMS:
            trials = [one for sides in self._launches.values() for one in sides[arm]]
            due = sum(intended(one) for one in trials)
            losses = total_losses(trials, self.arms[arm])
            found[arm] = {loss.cause: loss.packets / due for loss in losses} if due else {}
        return found

    def cycles_of_stages(self) -> dict[Arm, dict[str, float]]:
        """Cycles per packet of each stage, of the trials that take part."""
        found: dict[Arm, dict[str, float]] = {}
        for arm in ARMS:
            launches = [self._cycles_by_launch[launch, arm] for launch in self._launches]
            names = [stage.name for stage in self.arms[arm].stages if not stage.apart]
            found[arm] = {
                name: median(one[name] for one in launches if name in one)
                for name in names
                if any(name in one for one in launches)
            }
        return found

    def long_calls(self, values: Mapping[Arm, Sequence[float]]) -> LongCalls | None:
        """Of the trials that take part. values: a latency of each launch."""
        return long_calls(values, list(self._launches.values()), self.arms)

    def _each(self, figure: Callable[[int, Arm], float | None]) -> ByLaunch:
        """A figure of the open loop's trials of each launch. Raises _MissingError."""
        if not self._launches:
            raise _MissingError(_why_no_trials(self.run.trials))
        values = {launch: {arm: figure(launch, arm) for arm in ARMS} for launch in self._launches}
        found: ByLaunch = {}
        for launch, of in values.items():
            base, head = (of[arm] for arm in ARMS)
            if base is not None and head is not None:
                found[launch] = base, head
        if not found:
            without = [arm for arm in ARMS if all(of[arm] is None for of in values.values())]
            raise _MissingError(dict.fromkeys(without or ARMS, "no trial has a value of it"))
        return found

    @cached_property
    def _launches(self) -> dict[int, dict[Arm, list[Trial]]]:
        """Valid pairs of the open loop's trials, of launches with at least COMPARE_MIN_PAIRS."""
        pairs: dict[tuple[int, int], dict[Arm, Trial]] = {}
        for one in self.run.trials:
            if one.load is not None:
                pairs.setdefault((one.trial.launch, one.pair), {})[one.arm] = one.trial
        launches: dict[int, dict[Arm, list[Trial]]] = {}
        for (launch, _), both in sorted(pairs.items()):
            if len(both) == len(ARMS) and all(one.invalid is None for one in both.values()):
                sides = launches.setdefault(launch, {arm: [] for arm in ARMS})
                for arm, trial in both.items():
                    sides[arm].append(trial)
        return {
            launch: sides
            for launch, sides in launches.items()
            if len(sides[Arm.BASE]) >= defaults.COMPARE_MIN_PAIRS
        }

    def _full_load(self) -> RatesByLaunch:
        """Median rate of each launch's valid trials at full load. Where all that a generator outside sent
        did not fill the NF's time, its rate is at least what it forwarded. Raises _MissingError."""
        made = [one for one in self.run.trials if one.trial.phase is Phase.MRR]
        measured: dict[tuple[int, Arm], list[float]] = {}
        carried: dict[tuple[int, Arm], list[float]] = {}
        for one in made:
            info = self.arms[one.arm]
            rate = forwarded_pps(one.trial, info)
            if rate and one.trial.invalid is None:
                measured.setdefault((one.trial.launch, one.arm), []).append(rate)
            elif rate and carried_all(one.trial, info):
                carried.setdefault((one.trial.launch, one.arm), []).append(rate)
        found: RatesByLaunch = {}
        for launch, arm in sorted(carried | measured):
            rates = measured.get((launch, arm))
            lower = median(rates or carried[launch, arm])
            found.setdefault(launch, {})[arm] = _Rate(lower, lower if rates else None)
        return _of_both(
            found,
            {
                arm: _most_frequent((one.trial.invalid for one in made if one.arm is arm), NO_FULL_LOAD)
                for arm in ARMS
            },
        )

    def _searched(self, goal: str) -> RatesByLaunch:
        """The bounds of each search that found the rate, or lost nothing at the greatest load. Raises
        _MissingError."""
        made = [one for one in self.run.searches if one.search.goal == goal]
        found: RatesByLaunch = {}
        for one in sorted(made, key=lambda one: one.launch):
            search = one.search
            if search.lower_pps is None or search.ended not in (Ended.FOUND, Ended.NO_LOSS_AT_MOST):
                continue
            upper = None if search.ended is Ended.NO_LOSS_AT_MOST else search.upper_pps or search.lower_pps
            found.setdefault(one.launch, {})[one.arm] = _Rate(search.lower_pps, upper)
        return _of_both(
            found, {arm: _why_not_found([one for one in made if one.arm is arm], goal) for arm in ARMS}
        )


def _of_both(found: RatesByLaunch, reasons: Mapping[Arm, str]) -> RatesByLaunch:
    """The launches that have a rate of both arms. reasons: why an arm has none. Raises _MissingError."""
    both = {launch: of for launch, of in found.items() if len(of) == len(ARMS)}
    if not both:
        without = [arm for arm in ARMS if not any(arm in of for of in found.values())]
        raise _MissingError({arm: reasons[arm] for arm in without or ARMS})
    return both


def _compared(rates: RatesByLaunch, margin: float) -> tuple[ByLaunch, dict[Arm, int]]:
    """Values by launch, so that no difference is greater than the bounds say: if one arm carried all that it
    was offered, the other has its upper bound, and at most what that arm carried. Raises _MissingError."""
    found: ByLaunch = {}
    at_least = dict.fromkeys(ARMS, 0)
    for launch, of in rates.items():
        base, head = of[Arm.BASE], of[Arm.HEAD]
        old, new = base.lower, head.lower
        if base.upper is None and head.upper is None:
            if max(old, new) > (1 + margin) * min(old, new):
                continue
        elif base.upper is None:
            new = min(old, head.upper or new)
        elif head.upper is None:
            old = min(new, base.upper)
        found[launch] = old, new
        for arm in ARMS:
            at_least[arm] += of[arm].upper is None
    if not found:
        raise _MissingError(dict.fromkeys(ARMS, OTHER_GREATEST))
    return found, {arm: launches for arm, launches in at_least.items() if launches}


def _why_not_found(searches: Sequence[ArmSearch], goal: str) -> str:
    reasons = (
        one.search.reason or one.search.ended for one in searches if one.search.ended is not Ended.FOUND
    )
    return _most_frequent(reasons, f"no search of {goal.upper()} was made")


def _why_no_trials(trials: Iterable[PairedTrial]) -> dict[Arm, str]:
    """The reasons of the arms with invalid trials; of both if none was invalid."""
    none = f"no launch has {defaults.COMPARE_MIN_PAIRS} valid pairs of trials"
    invalid: dict[Arm, list[str]] = {}
    for one in trials:
        if one.load is not None and one.trial.invalid is not None:
            invalid.setdefault(one.arm, []).append(one.trial.invalid)
    return {
        arm: f"{none}: {_most_frequent(invalid.get(arm, ()), 'too few trials were made')}"
        for arm in ARMS
        if arm in invalid or not invalid
    }


def _most_frequent(reasons: Iterable[str | None], otherwise: str) -> str:
    counts = Counter(one for one in reasons if one is not None)
    return counts.most_common(1)[0][0] if counts else otherwise


def _loss(trials: Sequence[Trial], info: ArmInfo) -> float | None:
    """Of all trials together, so that a rare burst counts."""
    due = sum(intended(one) for one in trials)
    return min(1.0, sum(lost_packets(one, info) for one in trials) / due) if due else None


def _cycles(trials: Sequence[Trial], info: ArmInfo) -> dict[str | None, float]:
    """Cycles per packet, of the chain (None) and by stage: medians over the trials."""
    summed = [one for trial in trials if (one := totals(as_round(trial), info)).cpp is not None]
    if not summed:
        return {}
    found: dict[str | None, float] = {None: median(one.cpp for one in summed if one.cpp is not None)}
    for stage in summed[0].stage_cycles:
        found[stage] = median(cpp for one in summed if (cpp := one.stage_cpp(stage)) is not None)
    return found


def _greatest(trials: Sequence[Trial]) -> float | None:
    values = [one.latency.max_ns for one in trials if one.latency is not None and one.latency.max_ns]
    return max(values) if values else None
