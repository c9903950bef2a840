# SPDX-License-Identifier: Apache-2.0
"""A sweep of loads: the figures of chain and stages over the load, and the knee of cycles per packet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from nalm_core.rates.defaults import (
    KNEE_CHANGE,
    KNEE_CONFIDENCE,
    KNEE_DRAWS,
    KNEE_LOADS,
    SWEEP_CONFIDENCE,
)
from nalm_core.rates.latency import LatencyFigures, figures, merged
from nalm_core.rates.rate_report import LoadEvents, Phase, RateReport, Trial
from nalm_core.rates.trials import as_round, forwarded_pps, loss_ratio
from nalm_core.report import event_counts
from nalm_core.report.counters import RoundTotals, ratio, totals
from nalm_core.report.run_report import ArmInfo
from nalm_core.stats.estimate import estimate_ratio
from nalm_core.stats.knee import Knee, KneeRule, KneeShift, Observation, find_knee, knee_shift

RULE = KneeRule(KNEE_CHANGE, KNEE_CONFIDENCE, KNEE_DRAWS, KNEE_LOADS)


@dataclass(frozen=True, slots=True)
class BuildTrials:
    """The trials of one build, of a sweep and others."""

    trials: Sequence[Trial]
    info: ArmInfo


@dataclass(frozen=True, slots=True)
class StageAt:
    """A stage at one load. None: not counted."""

    cpp: float | None
    batch: float | None
    ipp: float | None
    eipc: float | None


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """The figures at one load, median valid trial. None: not counted, or no trial was valid."""

    share: float | None
    pps: int
    """Offered."""
    forwarded_pps: float | None
    cur: float | None
    cpp: float | None
    batch: float | None
    """Packets of a poll that found any."""
    ipp: float | None
    eipc: float | None
    """Instructions per core cycle, counted with ipp in a launch of its own."""
    loss_ratio: float | None
    latency: LatencyFigures | None
    stages: Mapping[str, StageAt]
    trials: int
    of: int


@dataclass(frozen=True, slots=True)
class Sweep:
    """The curve of one build."""

    points: list[LoadPoint]
    """Least load first."""
    knee: Knee | None
    """Of the chain's CPP; None with too few loads."""
    stage_knees: Mapping[str, Knee]


@dataclass(frozen=True, slots=True)
class BusyPoint:
    """The load at which a CUR is reached, between two measured loads."""

    cur: float
    forwarded_pps: float
    cpp: float
    batch: float
    """Packets of a poll that found any."""
    between: tuple[int, int]
    """Packets per second offered at the two loads."""


@dataclass(frozen=True, slots=True)
class PointChange:
    """Head over base at one load. The interval holds for all loads together."""

    pps: int
    ratio: float
    low: float | None
    high: float | None

    @property
    def differs(self) -> bool:
        return self.low is not None and self.high is not None and not self.low <= 1 <= self.high


@dataclass(frozen=True, slots=True)
class SweepChange:
    cpp: list[PointChange]
    cur: list[PointChange]
    knee: KneeShift | None


Of = Callable[[RoundTotals], float | None]


def sweep(report: RateReport) -> Sweep | None:
    """The curve of a report's sweep; None without trials of one."""
    build = _build(report)
    return None if build is None else sweep_of(build, report.load_events)


def sweep_of(build: BuildTrials, events: Sequence[LoadEvents] = ()) -> Sweep | None:
    """The curve of one build's trials; None without trials of a sweep."""
    trials, info = _swept(build.trials), build.info
    if not trials:
        return None
    return Sweep(
        load_points(build, events), _knee(trials, info, lambda one: one.cpp), stage_knees(trials, info)
    )


def load_points(build: BuildTrials, events: Sequence[LoadEvents] = ()) -> list[LoadPoint]:
    """The figures at each load of a sweep, least load first."""
    trials, counted = _swept(build.trials), {one.pps: one for one in events}
    loads = sorted({one.intended_pps for one in trials if one.intended_pps is not None})
    return [
        _point([one for one in trials if one.intended_pps == pps], build.info, counted.get(pps))
        for pps in loads
    ]


def busy_point(curve: Sweep, cur: float) -> BusyPoint | None:
    """Where the curve first reaches this CUR, linear between neighbouring loads (Wu et al., Fig. 12: 0.85).

    None: no two neighbouring loads have it between them, or their figures were not counted.
    """
    for low, high in pairwise(curve.points):
        if low.cur is None or high.cur is None or not low.cur <= cur <= high.cur:
            continue
        part = ratio(cur - low.cur, high.cur - low.cur) or 0.0
        forwarded = _between(low.forwarded_pps, high.forwarded_pps, part)
        cpp, batch = _between(low.cpp, high.cpp, part), _between(low.batch, high.batch, part)
        if forwarded is None or cpp is None or batch is None:
            return None
        return BusyPoint(cur, forwarded, cpp, batch, (low.pps, high.pps))
    return None


def _between(low: float | None, high: float | None, part: float) -> float | None:
    return None if low is None or high is None else low + (high - low) * part


def compare_sweeps(
    base: RateReport, head: RateReport, curves: Sequence[Sweep | None] | None = None
) -> SweepChange | None:
    """The change of each figure over the loads, by launches that both have; None without two curves.

    curves: base's and head's, as of `sweep`; None: they are computed.
    """
    old, new = _build(base), _build(head)
    of_base, of_head = curves or (sweep(base), sweep(head))
    if old is None or new is None or of_base is None or of_head is None:
        return None
    return sweep_change(old, new, (of_base, of_head))


def sweep_change(base: BuildTrials, head: BuildTrials, curves: tuple[Sweep, Sweep]) -> SweepChange:
    """The same of trials. curves: base's and head's."""
    old, new = (curve.knee for curve in curves)
    return SweepChange(
        cpp=_changes(base, head, lambda one: one.cpp),
        cur=_changes(base, head, lambda one: one.cur),
        knee=None if old is None or new is None else knee_shift(old, new, RULE),
    )


def _build(report: RateReport) -> BuildTrials | None:
    if report.build is None:
        return None
    info = ArmInfo(build=report.build, run=report.run, stages=report.stages)
    return BuildTrials(report.trials, info)


def _swept(trials: Sequence[Trial]) -> list[Trial]:
    return [one for one in trials if one.phase is Phase.SWEEP]


def _stage_cpp(name: str) -> Of:
    return lambda one: one.stage_cpp(name)


def _valid(trials: Sequence[Trial]) -> list[Trial]:
    return [one for one in trials if one.invalid is None]


def chain_knee(trials: Sequence[Trial], info: ArmInfo) -> Knee | None:
    """The knee of the chain's CPP, of a sweep's trials; None with too few loads."""
    return _knee(_swept(trials), info, lambda one: one.cpp)


def stage_knees(trials: Sequence[Trial], info: ArmInfo) -> dict[str, Knee]:
    """The knees of the stages' own CPP, of a sweep's trials; none with too few loads."""
    swept, own = _swept(trials), [stage.name for stage in info.stages if not stage.apart]
    knees = {name: _knee(swept, info, _stage_cpp(name)) for name in own}
    return {name: knee for name, knee in knees.items() if knee is not None}


def _knee(trials: Sequence[Trial], info: ArmInfo, of: Of) -> Knee | None:
    seen = [
        Observation(one.intended_pps, value, one.launch)
        for one in _valid(trials)
        if one.intended_pps is not None and (value := of(totals(as_round(one), info)))
    ]
    return find_knee(seen, RULE)


def _point(trials: Sequence[Trial], info: ArmInfo, events: LoadEvents | None) -> LoadPoint:
    valid = _valid(trials)
    sums = [totals(as_round(one), info) for one in valid]
    counted = {} if events is None else event_counts.figures(events.count, info.apart_stages())
    chain = counted.get(None)
    waits = [one.latency for one in valid if one.latency is not None]
    return LoadPoint(
        share=trials[0].share,
        pps=trials[0].intended_pps or 0,
        forwarded_pps=_median([forwarded_pps(one, info) for one in valid]),
        cur=_median([one.cur for one in sums]),
        cpp=_median([one.cpp for one in sums]),
        batch=_median([ratio(one.taken_in, one.polls or 0) for one in sums]),
        ipp=None if chain is None else chain.ipp,
        eipc=None if chain is None else chain.eipc,
        loss_ratio=_median([loss_ratio(one, info) for one in valid]),
        latency=figures(merged(waits)) if waits else None,
        stages={
            stage.name: StageAt(
                cpp=_median([one.stage_cpp(stage.name) for one in sums]),
                batch=_median([_batch(one, stage.name) for one in valid]),
                ipp=None if stage.name not in counted else counted[stage.name].ipp,
                eipc=None if stage.name not in counted else counted[stage.name].eipc,
            )
            for stage in info.stages
            if not stage.apart
        },
        trials=len(valid),
        of=len(trials),
    )


def _batch(trial: Trial, stage: str) -> float | None:
    counters = as_round(trial).stages.get(stage)
    return None if counters is None or counters.batches is None else ratio(counters.packets, counters.batches)


def _changes(base: BuildTrials, head: BuildTrials, of: Of) -> list[PointChange]:
    old, new = _by_load(base, of), _by_load(head, of)
    loads = sorted(old.keys() & new.keys())
    return [one for pps in loads if (one := _change(pps, old[pps], new[pps], len(loads))) is not None]


def _by_load(build: BuildTrials, of: Of) -> dict[int, dict[int, float]]:
    """The figure by load and launch."""
    found = dict[int, dict[int, float]]()
    for one in _valid(_swept(build.trials)):
        if one.intended_pps is not None:
            value = of(totals(as_round(one), build.info))
            if value:
                found.setdefault(one.intended_pps, {})[one.launch] = value
    return found


def _change(pps: int, base: dict[int, float], head: dict[int, float], loads: int) -> PointChange | None:
    launches = sorted(base.keys() & head.keys())
    if not launches:
        return None
    old, new = [base[at] for at in launches], [head[at] for at in launches]
    estimate = estimate_ratio(old, new)
    if estimate is None:
        return PointChange(pps, new[0] / old[0], None, None)
    low, high = estimate.interval((1 - SWEEP_CONFIDENCE) / loads)
    return PointChange(pps, estimate.ratio, low, high)


def _median(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return median(there) if there else None
