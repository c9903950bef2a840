# SPDX-License-Identifier: Apache-2.0
"""The results of a rate report: rates, latencies, losses by cause, and whether they are valid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from nalm_core.rates.latency import LatencyFigures, figures, merged
from nalm_core.rates.presets import Mode
from nalm_core.rates.rate_report import Ended, Phase, RateReport, RateStatus, Search, Trial
from nalm_core.rates.sweep import Sweep, sweep
from nalm_core.rates.trials import Loss, as_round, forwarded_pps, invalid_reason, shares_core, total_losses
from nalm_core.report.counters import counted_packets, cpu_time_scale, cur, pps, ratio, totals
from nalm_core.report.run_report import Arm, ArmInfo, Build, Check, RunDefinition, StageInfo
from nalm_core.verdict.checks import run_checks

HONEST = "generator_honest"


class RateVerdict(StrEnum):
    """Whether the figures can be used."""

    MEASURED = "measured"
    INCONCLUSIVE = "inconclusive"
    """A requested figure could not be found; `reasons` says why."""
    INVALID = "invalid"
    """The report contradicts itself."""
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure over several trials."""

    median: float
    least: float
    greatest: float
    trials: int
    of: int
    """Number of trials, including invalid ones, which are not used."""


@dataclass(frozen=True, slots=True)
class FullLoad:
    """The rate at full load, and the lcores' figures at that load."""

    pps: Spread
    """Forwarded packets per second, by the wall clock."""
    nf_pps: float | None
    """Packets per second of the NF's own CPU time, without generator, sink and other programs (Eq. 6)."""
    cpp: float | None
    cur: float | None


@dataclass(frozen=True, slots=True)
class LatencyAt:
    """Latency and jitter at one load."""

    share: float | None
    """The load as a share of NDR."""
    pps: int
    latency: LatencyFigures | None
    jitter: LatencyFigures | None
    lost: list[Loss]
    trials: int
    of: int


@dataclass(frozen=True, slots=True)
class RateResult:
    verdict: RateVerdict
    reasons: list[str]
    mrr: FullLoad | None
    searches: list[Search]
    latency: list[LatencyAt]
    sweep: Sweep | None
    losses: dict[Phase, list[Loss]]
    """Losses of the valid trials by phase."""
    shared_core: bool
    """True if the generator runs on an lcore of the NF: wall-clock rates are those of both together."""
    invalid_trials: int


def arm_info(build: Build, run: RunDefinition, stages: list[StageInfo]) -> ArmInfo:
    """The NF under test in the form that core's functions of rounds need."""
    return ArmInfo(build=build, run=run, stages=stages)


def rate_checks(trials: Sequence[Trial], info: ArmInfo, tsc_hz: int) -> list[Check]:
    """The run report's checks that apply to any load, and a check of the generator by this report's own rule.

    A trial whose generator was wrong, late or starved is invalid, and no figure uses it. The check fails only
    if all trials are invalid.
    """
    rounds = [as_round(trial, number) for number, trial in enumerate(trials)]
    checks = [one for one in run_checks({Arm.HEAD: info}, rounds, [], tsc_hz) if one.name != HONEST]
    if trials:
        honest = ratio(sum(trial.invalid is None for trial in trials), len(trials)) or 0.0
        worst = next((trial.invalid for trial in trials if trial.invalid), "")
        text = "the generator sent what was requested" if honest else f"no trial was usable: {worst}"
        checks.append(Check(name=HONEST, passed=honest > 0, value=1 - honest, limit=1.0, message=text))
    return checks


def judge_rates(report: RateReport) -> RateResult:
    """Figures and verdict of a rate report."""
    if report.status is RateStatus.BROKEN or report.build is None:
        return RateResult(
            RateVerdict.BROKEN,
            [report.failure or "the NF could not be run"],
            None,
            [],
            [],
            None,
            {},
            False,
            0,
        )
    info = arm_info(report.build, report.run, report.stages)
    valid = [trial for trial in report.trials if trial.invalid is None]
    made = {phase: [trial for trial in report.trials if trial.phase is phase] for phase in Phase}
    mrr = full_load(made[Phase.MRR], info, report.host.tsc_hz)
    latency = latencies(made[Phase.LATENCY], info)
    failed = [check.message for check in report.checks if not check.passed]
    curve = sweep(report)
    missing = _missing(report, mrr, latency, curve)
    verdict = RateVerdict.MEASURED
    if missing:
        verdict = RateVerdict.INCONCLUSIVE
    if failed:
        verdict = RateVerdict.INVALID
    return RateResult(
        verdict=verdict,
        reasons=[*failed, *missing],
        mrr=mrr,
        searches=report.searches,
        latency=latency,
        sweep=curve,
        losses={
            phase: lost
            for phase in Phase
            if (lost := total_losses([trial for trial in valid if trial.phase is phase], info))
        },
        shared_core=any(shares_core(trial) for trial in report.trials),
        invalid_trials=len(report.trials) - len(valid),
    )


def _missing(
    report: RateReport, mrr: FullLoad | None, latency: Sequence[LatencyAt], curve: Sweep | None
) -> list[str]:
    """Requested figures that were not found, with reasons."""
    mode, found = report.settings.mode, []
    if mode in (Mode.MRR, Mode.ALL) and mrr is None:
        found.append("MRR: no trial at full load was valid")
    for search in report.searches:
        if search.ended is not Ended.FOUND:
            found.append(f"{search.goal.upper()}: {search.reason or search.ended}")
    if mode in (Mode.LATENCY, Mode.ALL):
        if not latency:
            found.append("latency: the loads are shares of NDR, which was not found")
        for one in latency:
            if one.latency is None:
                found.append(f"latency at {one.pps} pps: no valid trial had packets with time stamps")
    if mode is Mode.SWEEP:
        found += _missing_of_sweep(curve)
    return found


def _missing_of_sweep(curve: Sweep | None) -> list[str]:
    if curve is None:
        return ["sweep: the loads are shares of NDR, which was not found"]
    return [f"sweep: no trial at {one.pps} pps was valid" for one in curve.points if one.trials == 0]


def full_load(trials: Sequence[Trial], info: ArmInfo, tsc_hz: int) -> FullLoad | None:
    """The rate at full load over the valid trials; None if there are none."""
    valid = [trial for trial in trials if trial.invalid is None]
    rates = [rate for trial in valid if (rate := forwarded_pps(trial, info)) is not None]
    if not rates:
        return None
    rounds = [as_round(trial) for trial in valid]
    return FullLoad(
        pps=Spread(median(rates), min(rates), max(rates), len(rates), len(trials)),
        nf_pps=_median([pps(one, counted_packets(one, info), tsc_hz) for one in rounds]),
        cpp=_median([totals(one, info).cpp for one in rounds]),
        cur=_median([cur(one) for one in rounds]),
    )


def latencies(trials: Sequence[Trial], info: ArmInfo) -> list[LatencyAt]:
    """Latency at each load, least load first. Histograms of a load's trials are merged."""
    loads = sorted({(trial.intended_pps, trial.share) for trial in trials if trial.intended_pps is not None})
    found = []
    for requested, share in loads:
        mine = [trial for trial in trials if (trial.intended_pps, trial.share) == (requested, share)]
        valid = [trial for trial in mine if trial.invalid is None]
        waits = [trial.latency for trial in valid if trial.latency is not None]
        jitters = [trial.jitter for trial in valid if trial.jitter is not None]
        found.append(
            LatencyAt(
                share=share,
                pps=requested or 0,
                latency=figures(merged(waits)) if waits else None,
                jitter=figures(merged(jitters)) if jitters else None,
                lost=total_losses(valid, info),
                trials=len(valid),
                of=len(mine),
            )
        )
    return found


def marked(trial: Trial, info: ArmInfo) -> Trial:
    """The trial with the reason why it is invalid, if it is."""
    return trial.model_copy(update={"invalid": invalid_reason(trial, info)})


def cpu_pps(trial: Trial, info: ArmInfo) -> float | None:
    """Forwarded packets per second of CPU time of the lcore that had its CPU least: where a search starts on
    a busy host."""
    rate = forwarded_pps(trial, info)
    scale = min(cpu_time_scale(lcore) for lcore in trial.lcores)
    return None if rate is None or scale <= 0 else rate / scale


def _median(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return median(there) if there else None
