# SPDX-License-Identifier: Apache-2.0
"""How two builds differ at the same load: percentiles of latency and jitter, loss, and the verdict.

The launch is the random unit: each gives one difference of each figure. docs/statistics.md has the test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log, log1p
from statistics import median
from typing import TypeVar

from nalm_core.rates.comparison_report import (
    CommonLoad,
    ComparisonSettings,
    ComparisonVerdict,
    FigureChange,
    LoadChange,
    RateComparison,
    RateFigure,
)
from nalm_core.rates.defaults import COMPARE_MIN_PAIRS
from nalm_core.rates.latency import Bin, Histogram, percentile_bins
from nalm_core.rates.long_calls import long_calls
from nalm_core.rates.rate_report import Trial
from nalm_core.rates.trials import intended, lost_packets, total_losses
from nalm_core.report.outcome import CHANGED, WORST_FIRST, Decided, Outcome
from nalm_core.report.run_report import Arm, ArmInfo
from nalm_core.stats.signed_rank import least_differences
from nalm_core.verdict.long_calls import PayingStage, long_call_stages
from nalm_core.verdict.rank_change import Decision, Steps, decide, hides, steps_text

ARMS = (Arm.BASE, Arm.HEAD)
LEAST_NS = 1.0
"""The resolution of the histograms: shorter times count as this one."""
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


def judge_comparison(report: RateComparison) -> ComparisonVerdict:
    """Changes of all figures at all loads, and the verdict: the worst of them."""
    if report.failed is not None:
        outcome = Outcome.BROKEN if report.failed is Arm.HEAD else Outcome.INVALID
        reasons = [f"{report.failed}: {report.failure}"]
        return ComparisonVerdict(outcome=outcome, reasons=reasons, loads=[])
    at_loads = [_at_load(report, number) for number in range(len(report.loads))]
    tests = sum(bool(pairs) for one in at_loads for pairs in one.values.values())
    found = [_judged(one, tests, report.settings) for one in at_loads]
    failed = [
        f"{arm}: {check.message}" for arm, made in report.checks.items() for check in made if not check.passed
    ]
    if failed or not found:
        reasons = failed or ["no load was measured"]
        return ComparisonVerdict(outcome=Outcome.INVALID, reasons=reasons, loads=found)
    # A generator need not measure jitter; without latency or loss there is no verdict.
    outcomes: list[Outcome] = [
        figure.outcome
        for load in found
        for figure in load.figures
        if figure.launches or figure.figure not in JITTERS
    ]
    reasons = _reasons(found, tests, report.settings)
    worst = min(outcomes, key=WORST_FIRST.index)
    return ComparisonVerdict(outcome=worst, reasons=reasons, loads=found)


def change_of(
    figure: RateFigure,
    pairs: Sequence[LaunchPair],
    tests: int,
    settings: ComparisonSettings,
    begins: Sequence[LaunchPair] = (),
) -> FigureChange:
    """The change of one figure over launches. tests: figures that share `alpha`; begins: of the bins whose
    ends the pairs are."""
    matters = settings.margin_of(figure)
    if not pairs:
        return FigureChange(figure=figure, outcome=Outcome.INCONCLUSIVE, launches=0, margin=matters)
    by_ratio = figure is not RateFigure.LOSS
    margin = log1p(matters) if by_ratio else matters
    differences = [log(head / base) if by_ratio else head - base for base, head in pairs]
    steps = Steps.of(pairs, begins) if begins else None
    alpha = settings.alpha / tests
    decision, found = decide(differences, margin, alpha, settings.equivalence_alpha, steps)
    hidden = decision == "undecided" and hides(differences, margin, alpha, settings.equivalence_alpha)

    def shown(value: float) -> float | None:
        if abs(value) == inf:
            return None
        return exp(value) - 1 if by_ratio else value

    return FigureChange(
        figure=figure,
        outcome=WORSE_IF_GROWN[decision],
        launches=len(pairs),
        margin=matters,
        base=median(base for base, _ in pairs),
        head=median(head for _, head in pairs),
        change=shown(found.estimate),
        low=shown(found.low),
        high=shown(found.high),
        steps_ns=steps.width_ns if steps and hidden else None,
    )


@dataclass(frozen=True, slots=True)
class _AtLoad:
    load: CommonLoad
    values: dict[RateFigure, list[LaunchPair]]
    begins: dict[RateFigure, list[LaunchPair]]
    """Of figures that are ends of bins: where these begin."""
    launches: list[dict[Arm, list[Trial]]]
    """The trials of each launch that takes part."""
    arms: dict[Arm, ArmInfo]
    of: int

    @property
    def used(self) -> dict[Arm, list[Trial]]:
        return {arm: [one for sides in self.launches for one in sides[arm]] for arm in ARMS}


def _at_load(report: RateComparison, number: int) -> _AtLoad:
    """Figures by launch, of pairs of which both trials are valid."""
    trials: dict[tuple[int, int], dict[Arm, Trial]] = {}
    for one in report.trials:
        if one.load == number:
            trials.setdefault((one.trial.launch, one.pair), {})[one.arm] = one.trial
    pairs = {place: both for place, both in trials.items() if len(both) == 2}
    valid: dict[int, list[dict[Arm, Trial]]] = {}
    for (launch, _), both in sorted(pairs.items()):
        if all(trial.invalid is None for trial in both.values()):
            valid.setdefault(launch, []).append(both)
    launches = [
        {arm: [both[arm] for both in mine] for arm in ARMS}
        for mine in valid.values()
        if len(mine) >= COMPARE_MIN_PAIRS
    ]
    values: dict[RateFigure, list[LaunchPair]] = {figure: [] for figure in RateFigure}
    begins: dict[RateFigure, list[LaunchPair]] = {figure: [] for figure in RateFigure}
    for sides in launches:
        base, head = (_times(sides[arm]) for arm in ARMS)
        for figure in base.keys() & head.keys():
            values[figure].append((base[figure].end_ns, head[figure].end_ns))
            begins[figure].append((base[figure].begin_ns, head[figure].begin_ns))
        old, new = (_loss(sides[arm], report.arms[arm]) for arm in ARMS)
        if old is not None and new is not None:
            values[RateFigure.LOSS].append((old, new))
    return _AtLoad(report.loads[number], values, begins, launches, report.arms, len(pairs))


def _times(trials: Sequence[Trial]) -> dict[RateFigure, Bin]:
    """Latency and jitter of an arm in one launch."""
    found = median_bins(LATENCIES, [one.latency for one in trials])
    return found | median_bins(JITTERS, [one.jitter for one in trials])


def _loss(trials: Sequence[Trial], info: ArmInfo) -> float | None:
    """Losses are summed, so that a rare burst counts."""
    due = sum(intended(one) for one in trials)
    return min(1.0, sum(lost_packets(one, info) for one in trials) / due) if due else None


def median_bins(
    percents: Mapping[Figure, float], histograms: Sequence[Histogram | None]
) -> dict[Figure, Bin]:
    """Percentiles of one launch, and from where their bins are: medians over its trials, so that one
    disturbed trial does not decide. Empty if no trial has values."""
    by_trial = [
        values
        for one in histograms
        if one is not None and (values := percentile_bins(one, tuple(percents.values()))) is not None
    ]
    if not by_trial:
        return {}
    columns = zip(*by_trial, strict=True)
    return {
        figure: Bin(
            median(one.begin_ns for one in column), max(LEAST_NS, median(one.end_ns for one in column))
        )
        for figure, column in zip(percents, columns, strict=True)
    }


def _judged(one: _AtLoad, tests: int, settings: ComparisonSettings) -> LoadChange:
    figures = []
    for figure, pairs in one.values.items():
        change = change_of(figure, pairs, tests, settings, one.begins[figure])
        figures.append(change.model_copy(update={"stages": _stages(change, pairs, one, settings.alpha)}))
    used = one.used
    return LoadChange(
        load=one.load,
        figures=figures,
        losses={arm: total_losses(trials, one.arms[arm]) for arm, trials in used.items()},
        pairs=len(used[Arm.BASE]),
        of=one.of,
    )


def _stages(
    change: FigureChange, pairs: Sequence[LaunchPair], one: _AtLoad, alpha: float
) -> list[PayingStage]:
    """The stages whose long calls explain the change of a latency or jitter. alpha: of all stages."""
    if change.outcome not in CHANGED or change.figure not in {**LATENCIES, **JITTERS}:
        return []
    values = {arm: [pair[at] for pair in pairs] for at, arm in enumerate(ARMS)}
    calls = long_calls(values, one.launches, one.arms)
    if calls is None:
        return []
    return long_call_stages(calls, Arm.HEAD, alpha, grew=change.outcome == Outcome.REGRESSED)


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
        found += [
            f"at {one.load.pps} pps {change.figure}: {steps_text(change.steps_ns)}"
            for change in one.figures
            if change.steps_ns is not None
        ]
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
