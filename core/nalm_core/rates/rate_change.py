# SPDX-License-Identifier: Apache-2.0
"""How two builds differ at the same load: percentiles of latency and jitter, loss, and the verdict.

The launch is the random unit: each gives one difference of each figure. docs/statistics.md has the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, inf, log, log1p
from statistics import median
from typing import TypeVar

from nalm_core.rates.comparison_report import CommonLoad, ComparisonSettings, RateComparison
from nalm_core.rates.defaults import COMPARE_MIN_PAIRS
from nalm_core.rates.latency import Histogram, percentiles_ns
from nalm_core.rates.rate_report import Trial
from nalm_core.rates.trials import Loss, intended, lost_packets, total_losses
from nalm_core.report.outcome import WORST_FIRST, Decided, Outcome
from nalm_core.report.run_report import Arm, ArmInfo
from nalm_core.stats.signed_rank import least_differences
from nalm_core.verdict.rank_change import Decision, decide

LEAST_NS = 1.0
"""The resolution of the histograms: shorter times count as this one."""


class RateFigure(StrEnum):
    """A figure that is judged."""

    LATENCY_P50 = "latency p50"
    LATENCY_P90 = "latency p90"
    LATENCY_P99 = "latency p99"
    LATENCY_P99_9 = "latency p99.9"
    JITTER_P99 = "jitter p99"
    LOSS = "loss"


LATENCIES = {
    RateFigure.LATENCY_P50: 50.0,
    RateFigure.LATENCY_P90: 90.0,
    RateFigure.LATENCY_P99: 99.0,
    RateFigure.LATENCY_P99_9: 99.9,
}
JITTERS = {RateFigure.JITTER_P99: 99.0}

WORSE_IF_GROWN: dict[Decision, Decided] = {
    "grew": Outcome.REGRESSED,
    "fell": Outcome.IMPROVED,
    "same": Outcome.SAME,
    "undecided": Outcome.INCONCLUSIVE,
}

Figure = TypeVar("Figure", bound=str)
LaunchPair = tuple[float, float]
"""Base's and head's figure in one launch."""


@dataclass(frozen=True, slots=True)
class FigureChange:
    """One figure at one load, of base and head."""

    figure: RateFigure
    outcome: Decided
    launches: int
    base: float | None
    """Median over launches, in ns or as a share of due packets; None: not measured."""
    head: float | None
    change: float | None
    """Of a percentile relative to base, of loss the difference."""
    low: float | None
    high: float | None
    """None: too few launches for an interval at this level."""


@dataclass(frozen=True, slots=True)
class LoadChange:
    """All figures at one load."""

    load: CommonLoad
    figures: list[FigureChange]
    losses: dict[Arm, list[Loss]]
    """Of the trials that take part."""
    pairs: int
    of: int
    """Pairs of trials that were measured; of these `pairs` are valid."""


@dataclass(frozen=True, slots=True)
class ComparisonVerdict:
    outcome: Outcome
    reasons: list[str]
    loads: list[LoadChange]


def judge_comparison(report: RateComparison) -> ComparisonVerdict:
    """Changes of all figures at all loads, and the verdict: the worst of them."""
    if report.failed is not None:
        outcome = Outcome.BROKEN if report.failed is Arm.HEAD else Outcome.INVALID
        return ComparisonVerdict(outcome, [f"{report.failed}: {report.failure}"], [])
    at_loads = [_at_load(report, number) for number in range(len(report.loads))]
    tests = sum(bool(pairs) for one in at_loads for pairs in one.values.values())
    found = [_judged(one, tests, report.settings) for one in at_loads]
    failed = [
        f"{arm}: {check.message}" for arm, made in report.checks.items() for check in made if not check.passed
    ]
    if failed or not found:
        return ComparisonVerdict(Outcome.INVALID, failed or ["no load was measured"], found)
    # A generator need not measure jitter; without latency or loss there is no verdict.
    outcomes: list[Outcome] = [
        figure.outcome
        for load in found
        for figure in load.figures
        if figure.launches or figure.figure not in JITTERS
    ]
    reasons = _reasons(found, tests, report.settings)
    return ComparisonVerdict(min(outcomes, key=WORST_FIRST.index), reasons, found)


def change_of(
    figure: RateFigure, pairs: Sequence[LaunchPair], tests: int, settings: ComparisonSettings
) -> FigureChange:
    """The change of one figure over launches. tests: figures that share `alpha`."""
    if not pairs:
        return FigureChange(figure, Outcome.INCONCLUSIVE, 0, None, None, None, None, None)
    by_ratio = figure is not RateFigure.LOSS
    margin = log1p(settings.margin) if by_ratio else settings.loss_margin
    differences = [log(head / base) if by_ratio else head - base for base, head in pairs]
    decision, found = decide(differences, margin, settings.alpha / tests, settings.equivalence_alpha)

    def shown(value: float) -> float | None:
        if abs(value) == inf:
            return None
        return exp(value) - 1 if by_ratio else value

    return FigureChange(
        figure=figure,
        outcome=WORSE_IF_GROWN[decision],
        launches=len(pairs),
        base=median(base for base, _ in pairs),
        head=median(head for _, head in pairs),
        change=shown(found.estimate),
        low=shown(found.low),
        high=shown(found.high),
    )


@dataclass(frozen=True, slots=True)
class _AtLoad:
    load: CommonLoad
    values: dict[RateFigure, list[LaunchPair]]
    used: dict[Arm, list[Trial]]
    arms: dict[Arm, ArmInfo]
    of: int


def _at_load(report: RateComparison, number: int) -> _AtLoad:
    """Figures by launch, of pairs of which both trials are valid."""
    trials: dict[tuple[int, int], dict[Arm, Trial]] = {}
    for one in report.trials:
        if one.load == number:
            trials.setdefault((one.trial.launch, one.pair), {})[one.arm] = one.trial
    pairs = {place: both for place, both in trials.items() if len(both) == 2}
    launches: dict[int, list[dict[Arm, Trial]]] = {}
    for (launch, _), both in sorted(pairs.items()):
        if all(trial.invalid is None for trial in both.values()):
            launches.setdefault(launch, []).append(both)
    values: dict[RateFigure, list[LaunchPair]] = {figure: [] for figure in RateFigure}
    used: dict[Arm, list[Trial]] = {Arm.BASE: [], Arm.HEAD: []}
    for mine in launches.values():
        if len(mine) < COMPARE_MIN_PAIRS:
            continue
        sides = {arm: [both[arm] for both in mine] for arm in used}
        base, head = (_figures(sides[arm], report.arms[arm]) for arm in used)
        for figure in base.keys() & head.keys():
            values[figure].append((base[figure], head[figure]))
        for arm, side in sides.items():
            used[arm].extend(side)
    return _AtLoad(report.loads[number], values, used, report.arms, len(pairs))


def _figures(trials: Sequence[Trial], info: ArmInfo) -> dict[RateFigure, float]:
    """Figures of an arm in one launch. Losses are summed, so that a rare burst counts."""
    found = median_percentiles(LATENCIES, [one.latency for one in trials])
    found |= median_percentiles(JITTERS, [one.jitter for one in trials])
    due = sum(intended(one) for one in trials)
    if due:
        found[RateFigure.LOSS] = min(1.0, sum(lost_packets(one, info) for one in trials) / due)
    return found


def median_percentiles(
    percents: Mapping[Figure, float], histograms: Sequence[Histogram | None]
) -> dict[Figure, float]:
    """Percentiles of one launch in ns: medians over its trials, so that one disturbed trial does not decide.
    Empty if no trial has values."""
    by_trial = [
        values
        for one in histograms
        if one is not None and (values := percentiles_ns(one, tuple(percents.values()))) is not None
    ]
    if not by_trial:
        return {}
    columns = zip(*by_trial, strict=True)
    return {figure: max(LEAST_NS, median(column)) for figure, column in zip(percents, columns, strict=True)}


def _judged(one: _AtLoad, tests: int, settings: ComparisonSettings) -> LoadChange:
    return LoadChange(
        load=one.load,
        figures=[change_of(figure, pairs, tests, settings) for figure, pairs in one.values.items()],
        losses={arm: total_losses(trials, one.arms[arm]) for arm, trials in one.used.items()},
        pairs=len(one.used[Arm.BASE]),
        of=one.of,
    )


def _reasons(loads: Sequence[LoadChange], tests: int, settings: ComparisonSettings) -> list[str]:
    """Why figures are missing or cannot be decided."""
    found = []
    needed = least_differences(settings.alpha / tests) if tests else 0
    for one in loads:
        if any(_loses_most(change) for change in one.figures):
            found.append(
                f"at {one.load.pps} pps both builds lose most packets: the NF does not carry the load, or "
                "nothing sends it; choose one below the NDR (`nalm rate --mode ndr`)"
            )
        missing = [change.figure for change in one.figures if change.launches == 0]
        if missing:
            found.append(f"at {one.load.pps} pps not measured: {', '.join(missing)}")
        fewest = min((change.launches for change in one.figures if change.launches), default=0)
        if 0 < fewest < needed:
            found.append(
                f"at {one.load.pps} pps {fewest} launches have valid pairs of trials; "
                f"a change can be shown from {needed} on"
            )
    return found


def _loses_most(change: FigureChange) -> bool:
    """True if both builds lose more than half of the packets."""
    if change.figure is not RateFigure.LOSS or change.base is None or change.head is None:
        return False
    return min(change.base, change.head) > 1 / 2
