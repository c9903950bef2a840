# SPDX-License-Identifier: Apache-2.0
"""What a page shows of a run under load: distributions of both arms, losses by cause, searches, invalid
trials, the curves of a sweep, and the course of a soak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from nalm_core.rates import soak_readings
from nalm_core.rates.latency import merged, percentiles_ns
from nalm_core.rates.load_curves import LoadCurves, curves_of
from nalm_core.rates.soak_readings import Reading
from nalm_core.rates.trials import intended, total_losses
from nalm_core.report.run_report import Arm, ArmInfo, Model, RunReport
from nalm_core.report.trials.histogram import Histogram
from nalm_core.report.trials.rate_run import ArmSearch, CommonLoad, RateRun, SoakInterval
from nalm_core.report.trials.trial import Phase, Trial

PERCENTS: Final = (
    *(0.0, 1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 98.0, 99.0, 99.5, 99.8, 99.9),
    *(99.95, 99.99, 99.999, 100.0),
)
"""Points of a shown distribution."""
MOST_POINTS: Final = 300
"""Of the course of a soak."""
AT_THE_LOAD: Final = frozenset({Phase.LATENCY, Phase.SOAK})
"""Phases whose trials are at the run's load."""


class Distribution(Model):
    """All valid trials at the run's load together."""

    packets: int
    percents: list[float]
    ns: list[float]
    """At `percents`."""


class LossByCause(Model):
    cause: str
    packets: int
    share: float
    """Of the due packets."""


class InvalidTrials(Model):
    reason: str
    trials: int


class SoakPoint(Model):
    """One interval."""

    hours: float
    """Under load, of all launches, at the end of the interval."""
    cpp: float | None
    pps: float | None
    latency_p99_9_ns: float | None
    memory_bytes: float | None
    buffers_in_use: float | None


class ArmRates(Model):
    arm: Arm
    trials: int
    """Also those at full load and of a sweep, and invalid ones; without the steps of searches."""
    invalid: list[InvalidTrials]
    latency: Distribution | None
    jitter: Distribution | None
    losses: list[LossByCause]
    soak: list[SoakPoint]


class RunRates(Model):
    """A run of rates or a soak."""

    kind: Literal["rate", "soak"]
    load: CommonLoad | None
    arms: list[ArmRates]
    searches: list[ArmSearch]
    sweep: LoadCurves | None
    """None: the run's nalm.toml has no `rates.sweep`."""


def rates_of(report: RunReport) -> RunRates | None:
    """None for a run of cycles, and one without trials."""
    run = report.rates
    if run is None:
        return None
    arms = [_arm(run, arm, report.arms[arm]) for arm in (Arm.BASE, Arm.HEAD)]
    return RunRates(kind=run.kind, load=run.load, arms=arms, searches=run.searches, sweep=curves_of(report))


def _arm(run: RateRun, arm: Arm, info: ArmInfo) -> ArmRates:
    intervals = [one.interval for one in run.intervals if one.arm is arm]
    trials = [one.trial for one in run.trials if one.arm is arm] + [one.trial for one in intervals]
    valid = [one for one in trials if one.invalid is None]
    at_load = [one for one in valid if one.phase in AT_THE_LOAD]
    points, before = [], _seconds_before(intervals)
    for one in intervals[:: max(1, -(-len(intervals) // MOST_POINTS))]:
        points.append(
            SoakPoint(
                hours=(before[one.launch] + one.launch_s) / 3600,
                cpp=_value(soak_readings.cpp(one, info)),
                pps=_value(soak_readings.pps(one, info)),
                latency_p99_9_ns=_value(soak_readings.latency_p99_9(one, info)),
                memory_bytes=one.memory_bytes,
                buffers_in_use=one.buffers_in_use,
            )
        )
    return ArmRates(
        arm=arm,
        trials=len(trials),
        invalid=_invalid(trials),
        latency=_distribution(one.latency for one in at_load),
        jitter=_distribution(one.jitter for one in at_load),
        losses=_losses(at_load, info),
        soak=points,
    )


def _value(reading: Reading | None) -> float | None:
    return None if reading is None else reading.value


def _seconds_before(intervals: Sequence[SoakInterval]) -> dict[int, float]:
    """Under load, by launch, in the launches before it."""
    lengths: dict[int, float] = {}
    for one in intervals:
        lengths[one.launch] = max(lengths.get(one.launch, 0.0), one.launch_s)
    return {launch: sum(lengths[each] for each in lengths if each < launch) for launch in lengths}


def _invalid(trials: Sequence[Trial]) -> list[InvalidTrials]:
    counts = Counter(one.invalid for one in trials if one.invalid is not None)
    return [InvalidTrials(reason=reason, trials=count) for reason, count in counts.most_common()]


def _losses(trials: Sequence[Trial], info: ArmInfo) -> list[LossByCause]:
    due = sum(intended(one) for one in trials)
    return [
        LossByCause(cause=one.cause, packets=one.packets, share=one.packets / due)
        for one in total_losses(trials, info)
        if due
    ]


def _distribution(histograms: Iterable[Histogram | None]) -> Distribution | None:
    together = merged([one for one in histograms if one is not None])
    ns = percentiles_ns(together, PERCENTS)
    return None if ns is None else Distribution(packets=together.count, percents=list(PERCENTS), ns=ns)
