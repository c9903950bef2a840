# SPDX-License-Identifier: Apache-2.0
"""What a page shows of the sweep in a run of rates: curves of both builds, their knees, and the change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median, quantiles

from nalm_core.rates.defaults import KNEE_CONFIDENCE, SWEEP_CONFIDENCE
from nalm_core.rates.sweep import (
    BuildTrials,
    LoadPoint,
    PointChange,
    StageAt,
    Sweep,
    load_points,
    sweep_change,
    sweep_of,
)
from nalm_core.report.run_report import Arm, Model, RunReport
from nalm_core.report.trials.rate_run import RateRun
from nalm_core.stats.knee import Knee

LEAST_LAUNCHES = 3
"""Fewest launches whose quartiles are shown."""


class LaunchSpread(Model):
    """A figure at one load over the launches, each of which has one value of it."""

    value: float
    """Median launch."""
    low: float | None
    """First quartile; None with fewer than three launches."""
    high: float | None
    """Third quartile."""


class StageFigures(Model):
    """A stage, or the chain, at one load. None: not counted."""

    cpp: LaunchSpread | None
    batch: LaunchSpread | None
    """Packets of a poll that found any."""
    ipp: LaunchSpread | None
    eipc: LaunchSpread | None
    """Instructions per core cycle."""


class LoadFigures(StageFigures):
    """One build at one load; the chain's figures and those of each stage."""

    pps: int
    """Offered packets per second, the same for both builds."""
    share: float | None
    """Of base's NDR."""
    forwarded_pps: LaunchSpread | None
    cur: LaunchSpread | None
    latency_p50_ns: LaunchSpread | None
    latency_p99_ns: LaunchSpread | None
    loss_ratio: LaunchSpread | None
    """Of the due packets."""
    stages: dict[str, StageFigures]
    trials: int
    """Valid ones."""
    of: int


class CurveKnee(Model):
    """The load at which CPP leaves its level at small loads."""

    pps: float | None
    """None: there is none; `reason` says why."""
    low: float | None
    high: float | None
    """None with `low`: beyond the greatest load."""
    reason: str | None


class ArmCurve(Model):
    arm: Arm
    points: list[LoadFigures]
    """Least load first."""
    knee: CurveKnee | None
    """Of the chain; None: too few loads have valid trials."""
    stage_knees: dict[str, CurveKnee]


class LoadChange(Model):
    """Head over base at one load. The interval holds for all loads together."""

    pps: int
    ratio: float
    low: float | None
    high: float | None


class KneeMove(Model):
    """Head's knee over base's."""

    ratio: float
    low: float | None
    high: float | None
    """None: unknown, or without a bound."""


class LoadCurves(Model):
    arms: list[ArmCurve]
    """Base, then head."""
    cpp: list[LoadChange]
    cur: list[LoadChange]
    knee: KneeMove | None
    """None unless both builds have a knee."""
    knee_confidence: float
    """Level of the intervals of knees, and of the knee's move."""
    change_confidence: float
    """Level of the intervals of changes, of all loads together."""


def curves_of(report: RunReport) -> LoadCurves | None:
    """None for a run that does not sweep."""
    run = report.rates
    if run is None:
        return None
    base, head = (_build(run, report, arm) for arm in (Arm.BASE, Arm.HEAD))
    old, new = (
        sweep_of(of, run.load_events.get(arm, ())) for arm, of in ((Arm.BASE, base), (Arm.HEAD, head))
    )
    if old is None or new is None:
        return None
    change = sweep_change(base, head, (old, new))
    return LoadCurves(
        arms=[_curve(Arm.BASE, base, old), _curve(Arm.HEAD, head, new)],
        cpp=[_change(one) for one in change.cpp],
        cur=[_change(one) for one in change.cur],
        knee=None
        if change.knee is None
        else KneeMove(ratio=change.knee.ratio, low=change.knee.low, high=change.knee.high),
        knee_confidence=KNEE_CONFIDENCE,
        change_confidence=SWEEP_CONFIDENCE,
    )


def _build(run: RateRun, report: RunReport, arm: Arm) -> BuildTrials:
    return BuildTrials([one.trial for one in run.trials if one.arm is arm], report.arms[arm])


def _curve(arm: Arm, build: BuildTrials, curve: Sweep) -> ArmCurve:
    launches = sorted({one.launch for one in build.trials})
    each = [
        load_points(BuildTrials([one for one in build.trials if one.launch == launch], build.info))
        for launch in launches
    ]
    return ArmCurve(
        arm=arm,
        points=[_figures([one for of in each for one in of if one.pps == at.pps], at) for at in curve.points],
        knee=None if curve.knee is None else _knee(curve.knee),
        stage_knees={name: _knee(one) for name, one in curve.stage_knees.items()},
    )


def _figures(launches: Sequence[LoadPoint], at: LoadPoint) -> LoadFigures:
    """launches: the points of each launch at this load."""

    def of(figure: Callable[[LoadPoint], float | None]) -> LaunchSpread | None:
        return _spread([figure(one) for one in launches])

    def of_stage(name: str, figure: Callable[[StageAt], float | None]) -> LaunchSpread | None:
        return _spread([figure(one.stages[name]) for one in launches if name in one.stages])

    return LoadFigures(
        pps=at.pps,
        share=at.share,
        forwarded_pps=of(lambda one: one.forwarded_pps),
        cur=of(lambda one: one.cur),
        cpp=of(lambda one: one.cpp),
        batch=of(lambda one: one.batch),
        ipp=_once(at.ipp),
        eipc=_once(at.eipc),
        latency_p50_ns=of(lambda one: None if one.latency is None else one.latency.p50_ns),
        latency_p99_ns=of(lambda one: None if one.latency is None else one.latency.p99_ns),
        loss_ratio=of(lambda one: one.loss_ratio),
        stages={
            name: StageFigures(
                cpp=of_stage(name, lambda one: one.cpp),
                batch=of_stage(name, lambda one: one.batch),
                ipp=_once(stage.ipp),
                eipc=_once(stage.eipc),
            )
            for name, stage in at.stages.items()
        },
        trials=at.trials,
        of=at.of,
    )


def _once(value: float | None) -> LaunchSpread | None:
    """A figure of a launch of its own."""
    return None if value is None else LaunchSpread(value=value, low=None, high=None)


def _spread(values: Sequence[float | None]) -> LaunchSpread | None:
    known = [value for value in values if value is not None]
    if not known:
        return None
    if len(known) < LEAST_LAUNCHES:
        return LaunchSpread(value=median(known), low=None, high=None)
    low, _, high = quantiles(known, n=4, method="inclusive")
    return LaunchSpread(value=median(known), low=low, high=high)


def _knee(knee: Knee) -> CurveKnee:
    interval = knee.interval
    return CurveKnee(
        pps=knee.load,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        reason=knee.reason,
    )


def _change(one: PointChange) -> LoadChange:
    return LoadChange(pps=one.pps, ratio=one.ratio, low=one.low, high=one.high)
