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
from nalm_core.rates.long_calls import long_calls
from nalm_core.rates.rate_change import median_percentiles
from nalm_core.rates.sweep import chain_knee, stage_knees
from nalm_core.rates.trials import as_round, forwarded_pps, intended, lost_packets, total_losses
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
"""Figures that a generator need not measure: without one the verdict is not open."""

ByLaunch = dict[int, tuple[float, float]]
"""Base's and head's value by launch."""


class _MissingError(Exception):
    """Why a figure has no value."""


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
    """The knee of each arm with its interval. No knee is a reason, not a load."""
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
        gates=not missing,
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
        values = figures.of(name)
    except _MissingError as error:
        gates = found.gates and name not in OPTIONAL
        return found.model_copy(update={"missing": dict.fromkeys(ARMS, str(error)), "gates": gates})
    columns = {arm: [pair[at] for pair in values.values()] for at, arm in enumerate(ARMS)}
    causes = figures.causes() if name == "loss_ratio" else {}
    stages = figures.cycles_of_stages() if name == LOAD_CPP else {}
    calls = figures.long_calls(columns) if name in {**LATENCIES, **JITTERS} else None
    return found.model_copy(
        update={"values": columns, "causes": causes, "stages": stages, "long_calls": calls}
    )


@dataclass(frozen=True)
class _Figures:
    run: RateRun
    arms: Mapping[Arm, ArmInfo]

    def of(self, name: str) -> ByLaunch:
        """Raises _MissingError."""
        if name == "mrr_pps":
            return self._full_load()
        if name in ("ndr_pps", "pdr_pps"):
            return self._searched(name.removesuffix("_pps"))
        return self._each(self._at_the_load(name))

    def _at_the_load(self, name: str) -> Callable[[int, Arm], float | None]:
        """The figure of an arm in one launch."""
        launches = self._launches
        if name == "loss_ratio":
            return lambda launch, arm: _loss(launches[launch][arm], self.arms[arm])
        if name == LOAD_CPP:
            return lambda launch, arm: self._cycles_by_launch[launch, arm].get(None)
        if name == "latency_max_ns":
            return lambda launch, arm: _greatest(launches[launch][arm])
        return lambda launch, arm: self._percentiles_by_launch[launch, arm].get(name)

    @cached_property
    def _cycles_by_launch(self) -> dict[tuple[int, Arm], dict[str | None, float]]:
        return {
            (launch, arm): _cycles(sides[arm], self.arms[arm])
            for launch, sides in self._launches.items()
            for arm in ARMS
        }

    @cached_property
    def _percentiles_by_launch(self) -> dict[tuple[int, Arm], dict[str, float]]:
        return {
            (launch, arm): median_percentiles(LATENCIES, [one.latency for one in sides[arm]])
            | median_percentiles(JITTERS, [one.jitter for one in sides[arm]])
            for launch, sides in self._launches.items()
            for arm in ARMS
        }

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
        found: ByLaunch = {}
        for launch in self._launches:
            base, head = (figure(launch, arm) for arm in ARMS)
            if base is not None and head is not None:
                found[launch] = base, head
        if not found:
            raise _MissingError("no trial has a value of it")
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

    def _full_load(self) -> ByLaunch:
        """Median rate of each launch's valid trials at full load. Raises _MissingError."""
        made = [one for one in self.run.trials if one.trial.phase is Phase.MRR]
        rates: dict[int, dict[Arm, list[float]]] = {}
        for one in made:
            rate = None if one.trial.invalid else forwarded_pps(one.trial, self.arms[one.arm])
            if rate:
                rates.setdefault(one.trial.launch, {}).setdefault(one.arm, []).append(rate)
        found = {
            launch: (median(of[Arm.BASE]), median(of[Arm.HEAD]))
            for launch, of in sorted(rates.items())
            if len(of) == len(ARMS)
        }
        if not found:
            raise _MissingError(
                _most_frequent((one.trial.invalid for one in made), "no trial at full load was made")
            )
        return found

    def _searched(self, goal: str) -> ByLaunch:
        """The greatest load that met the goal, of launches in which both searches found one.

        Raises _MissingError.
        """
        made = [one for one in self.run.searches if one.search.goal == goal]
        rates: dict[int, dict[Arm, float]] = {}
        for one in made:
            if one.search.ended is Ended.FOUND and one.search.lower_pps is not None:
                rates.setdefault(one.launch, {})[one.arm] = one.search.lower_pps
        found = {
            launch: (of[Arm.BASE], of[Arm.HEAD])
            for launch, of in sorted(rates.items())
            if len(of) == len(ARMS)
        }
        if not found:
            raise _MissingError(_why_not_found(made, goal))
        return found


def _why_not_found(searches: Sequence[ArmSearch], goal: str) -> str:
    reasons = (
        one.search.reason or one.search.ended for one in searches if one.search.ended is not Ended.FOUND
    )
    return _most_frequent(reasons, f"no search of {goal.upper()} was made")


def _why_no_trials(trials: Iterable[PairedTrial]) -> str:
    reasons = (one.trial.invalid for one in trials if one.load is not None)
    why = _most_frequent(reasons, "too few trials were made")
    return f"no launch has {defaults.COMPARE_MIN_PAIRS} valid pairs of trials: {why}"


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
