# SPDX-License-Identifier: Apache-2.0
"""Judges what stands beside the chain's cycles: own metrics, and stages and instructions with a threshold.

None of them changes the outcome of the run, which the chain's cycles decide.

A metric that repeats exactly is compared by one value of each build. Others are judged like CPP, by the ratio
of two means over launches, or layouts of code, at the run's look; the error rate is shared by all metrics of
the run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from nalm_core.report.catalogue import FUNCTION_IPP, METRICS, title_of
from nalm_core.report.defaults import CULPRIT_SHARE, MIN_LAUNCHES
from nalm_core.report.instructions import arm_ipp, common_source
from nalm_core.report.judged_arm import feature_change, judged_arm
from nalm_core.report.outcome import Outcome
from nalm_core.report.own_metrics import OwnMetric, Threshold
from nalm_core.report.rounds import PairedLaunch, launches_done, pair_launches, random_units, unit_means
from nalm_core.report.run_report import Arm, Model, RunReport, Settings
from nalm_core.stats.estimate import MiddleLaunches, estimate_ratio, middle_launches
from nalm_core.stats.sequential import decide_at, least_for_change, look_for, same_spent_at, spent_at
from nalm_core.text.percents import (
    bracketed_percent,
    change_percent,
    margin_percent,
    share_percent,
)
from nalm_core.verdict.long_calls import long_call_stages
from nalm_core.verdict.rank_change import growth_change, rank_change, shares_error_rate

MetricOutcome = Literal["same", "improved", "regressed", "inconclusive", "missing"]

ONE_VALUE = "one value of each build does not show how it varies: its history does"
ONE_ARM_IS_ZERO = (
    "all values of {zero} are 0, and {above} of {launches} of {other} are above: {least} would show a change"
)
NOT_COUNTED = "instructions were not counted for both arms"
NOT_TIMED = "the stage has no cycles of its own in both arms"
UNDECIDED = "neither a change nor its absence is shown at a margin of ±{margin}"
FEW_LAUNCHES = "{launches} launches; a change can be shown from {least} on"
NEVER_JUDGED = "shown, not judged: it belongs to single packets"
OWN_MOVED = "the same of its own cycles moved, too"
OTHER_FEATURES = "the feature set changed, and it was not measured with base's features"


class MetricChange(Model):
    """One metric from base to head, or to head run with base's features."""

    metric: str
    stage: str | None = None
    """The stage of a metric of packets; None: the chain, or the whole NF."""
    function: str | None = None
    """The C function of `function_ipp`."""
    chain_share: float | None = None
    """Of a C function: what it gained, relative to the chain's instructions."""
    unit: str
    better: Literal["lower", "higher"]
    outcome: MetricOutcome
    gates: bool
    """Whether a regression of this comparison fails the check and makes an alert. One value of each build
    that varies never does: its history decides."""
    base: float | None = None
    """Over the launches that take part: the median of a rate, a latency or a figure at a load, the mean of
    others; None: missing."""
    head: float | None = None
    ratio: float | None = None
    """head / base; None without both, or if base is 0."""
    low: float | None = None
    high: float | None = None
    """Interval of the ratio, at `level`; both equal the ratio of a metric that repeats exactly."""
    level: float | None = None
    margin: float = Field(gt=0)
    reason: str | None = None
    """Why it is missing or undecided."""

    @property
    def fails(self) -> bool:
        """True if it fails the check."""
        return self.gates and self.outcome == "regressed"

    @property
    def lost(self) -> bool:
        """True if it gates and could be read in base, but not in head."""
        unread = self.outcome == "missing" and self.reason != OTHER_FEATURES
        return self.gates and unread and self.base is not None and self.head is None


def metric_changes(report: RunReport) -> list[MetricChange]:
    """All metrics of a measured run: stages and instructions that have a threshold, then the report's own
    metrics, in its order."""
    varying = sum(shares_error_rate(one) for one in report.own_metrics)
    of_stages = [one for one in report.thresholds if one.metric != FUNCTION_IPP]
    varying += sum(one.metric == "cpp" for one in of_stages)
    settings = report.settings.model_copy(update={"alpha": report.settings.alpha / max(varying, 1)})
    arm = Arm.HEAD if not feature_change(report) else judged_arm(report) or Arm.HEAD_AS_BASE
    launches = random_units(report, pair_launches(report, Arm.BASE, arm)) if of_stages else []
    of_packets = [_threshold(report, one, arm, launches, settings) for one in of_stages]
    own: list[MetricChange] = []
    for one in report.own_metrics:
        found = _own(report, one, arm, settings)
        own += [found, *_paying_stages(found, one, arm, report.settings.alpha)]
    return of_packets + own


def _paying_stages(chain: MetricChange, metric: OwnMetric, arm: Arm, alpha: float) -> list[MetricChange]:
    """A row for each stage that bears a fair share of a change of the chain, the one with most first."""
    if chain.outcome not in ("regressed", "improved") or chain.base is None or chain.head is None:
        return []
    if metric.long_calls is not None:
        grew = (chain.outcome == "regressed") == (chain.better == "lower")
        found = long_call_stages(metric.long_calls, arm, alpha, grew=grew)
        return [_stage_row(chain, one.name, one.reason) for one in found]
    if metric.stage_growth:
        return _moved_stages(chain, metric, arm)
    whole = chain.head - chain.base
    old, new = metric.stages.get(Arm.BASE, {}), metric.stages.get(arm, {})
    grown = {name: new.get(name, 0.0) - old.get(name, 0.0) for name in (*old, *new)}
    shares = {name: change / whole for name, change in grown.items() if whole}
    paying = sorted(
        (name for name in shares if shares[name] >= CULPRIT_SHARE), key=lambda name: -shares[name]
    )
    return [
        _stage_row(
            chain,
            name,
            f"{share_percent(min(shares[name], 1.0))} of the chain's change",
            old.get(name),
            new.get(name),
        )
        for name in paying
    ]


def _moved_stages(chain: MetricChange, metric: OwnMetric, arm: Arm) -> list[MetricChange]:
    """A row for each stage whose own figure surely moved as the chain's did, the largest move first."""
    assert chain.base is not None and chain.head is not None
    rose, old, new = chain.head > chain.base, metric.stage_growth[Arm.BASE], metric.stage_growth[arm]
    moved = [
        name
        for name in old.keys() & new.keys()
        if (new[name].low > old[name].high if rose else new[name].high < old[name].low)
    ]
    moved.sort(key=lambda name: (-abs(math.log(new[name].level / old[name].level)), name))
    return [_stage_row(chain, name, OWN_MOVED, old[name].level, new[name].level) for name in moved]


def _stage_row(
    chain: MetricChange, stage: str, reason: str, base: float | None = None, head: float | None = None
) -> MetricChange:
    """A stage that explains a change of the chain. It has no interval of its own."""
    return chain.model_copy(
        update={
            "stage": stage,
            "base": base,
            "head": head,
            "ratio": head / base if base and head is not None else None,
            "low": None,
            "high": None,
            "level": None,
            "reason": reason,
        }
    )


def failing(changes: Sequence[MetricChange]) -> list[MetricChange]:
    """Those that fail the check, the largest change first."""
    return sorted((one for one in changes if one.fails), key=largest_first)


def largest_first(change: MetricChange) -> tuple[bool, float]:
    """A key for sorting: the chain before the stages that pay for its change, then the larger ratio first.
    Halved counts as much as doubled, and a change to or from 0 is the largest."""
    size = math.inf if not change.ratio else abs(math.log(change.ratio))
    return change.stage is not None, -size


def _threshold(
    report: RunReport,
    threshold: Threshold,
    arm: Arm,
    launches: Sequence[PairedLaunch],
    settings: Settings,
) -> MetricChange:
    """A stage's CPP, or instructions, which repeat exactly."""
    stage = threshold.stage
    found = MetricChange(
        metric=threshold.metric,
        stage=stage,
        unit=METRICS[threshold.metric].unit,
        better="lower",
        outcome="missing",
        gates=True,
        margin=threshold.margin,
    )
    if threshold.metric == "ipp":
        old, new = (_ipp(report, one, stage, arm) for one in (Arm.BASE, arm))
        if old is None or new is None:
            return found.model_copy(update={"reason": NOT_COUNTED})
        return found.model_copy(update={"base": old, "head": new} | _exact(found, old, new))
    timed = all(stage in one.stage_cycles for pair in launches for one in (*pair.base, *pair.head))
    if not launches or not timed:
        return found.model_copy(update={"reason": NOT_TIMED})
    kept = middle_launches([one.base_cpp() for one in launches], [one.head_cpp() for one in launches])
    before, after = [one.base_cpp(stage) for one in launches], [one.head_cpp(stage) for one in launches]
    return found.model_copy(update=_by_ratio(found, _Sides(before, after, kept), report, settings))


def _ipp(report: RunReport, arm: Arm, stage: str | None, other: Arm) -> float | None:
    info = report.arms.get(arm)
    source = common_source(report.instructions, (Arm.BASE, other))
    ipp = None if info is None else arm_ipp(report.instructions, arm, info, source)
    if ipp is None:
        return None
    return ipp.chain if stage is None else ipp.stages.get(stage)


def _own(report: RunReport, metric: OwnMetric, arm: Arm, settings: Settings) -> MetricChange:
    old, new = metric.values.get(Arm.BASE), metric.values.get(arm)
    found = MetricChange(
        metric=metric.name,
        unit=metric.unit,
        better=metric.better,
        outcome="missing",
        gates=metric.gates and (metric.exact or metric.every != "build"),
        base=_mean(old),
        head=_mean(new),
        margin=metric.margin,
    )
    if old is None or new is None:
        return found.model_copy(update={"reason": _why_missing(metric, arm)})
    return found.model_copy(update=_judged(found, metric, _Pair(arm, old, new), report, settings))


@dataclass(frozen=True)
class _Pair:
    """Values of base and of the judged arm."""

    arm: Arm
    old: Sequence[float]
    new: Sequence[float]


def _judged(
    found: MetricChange, metric: OwnMetric, pair: _Pair, report: RunReport, settings: Settings
) -> dict[str, object]:
    """The outcome of a metric that both arms have, by the way in which it is judged."""
    if metric.judged == "never":
        return {"outcome": "inconclusive", "reason": NEVER_JUDGED}
    if metric.judged == "growth":
        return growth_change(metric, pair.arm)
    if metric.judged in ("ranks", "share"):
        return rank_change(metric, pair.arm, settings.alpha)
    return (
        _exact(found, pair.old[0], pair.new[0])
        if metric.exact
        else _by_means(found, metric, pair, report, settings)
    )


def _by_means(
    found: MetricChange, metric: OwnMetric, pair: _Pair, report: RunReport, settings: Settings
) -> dict[str, object]:
    """A metric that varies between equal builds."""
    old, new = pair.old, pair.new
    if metric.every == "build":
        ratio = new[0] / old[0] if old[0] else None
        return {"outcome": "inconclusive", "ratio": ratio, "reason": ONE_VALUE}
    if not any(old) and not any(new):
        return {"outcome": "same"}
    launches = min(len(old), len(new))
    old, new = (unit_means(report, dict(enumerate(values[:launches]))) for values in (old, new))
    kept = middle_launches(old, new) if all(old) else None
    return _by_ratio(found, _Sides(old, new, kept), report, settings)


def _why_missing(metric: OwnMetric, arm: Arm) -> str:
    reasons = [f"{one}: {metric.missing[one]}" for one in (Arm.BASE, arm) if one in metric.missing]
    return "; ".join(reasons) or OTHER_FEATURES


def _exact(found: MetricChange, old: float, new: float) -> dict[str, object]:
    if old == new:
        return {"outcome": "same", "ratio": 1.0, "low": 1.0, "high": 1.0}
    if not old:
        return {"outcome": _direction(found, grew=True)}
    ratio, upper = new / old, 1 + found.margin
    outcome = "same" if 1 / upper < ratio < upper else _direction(found, grew=ratio > 1)
    return {"outcome": outcome, "ratio": ratio, "low": ratio, "high": ratio}


def _direction(found: MetricChange, *, grew: bool) -> MetricOutcome:
    return "regressed" if grew == (found.better == "lower") else "improved"


@dataclass(frozen=True)
class _Sides:
    """Values of both arms by launch or layout, and which of these take part; None: all."""

    old: Sequence[float]
    new: Sequence[float]
    kept: MiddleLaunches | None


def _by_ratio(found: MetricChange, sides: _Sides, report: RunReport, settings: Settings) -> dict[str, object]:
    """Judged by the ratio of two means, as CPP is."""
    if len(sides.old) > 1 and not (any(sides.old) and any(sides.new)):
        return _beside_zero(found, sides, report, settings)
    estimate = estimate_ratio(sides.old, sides.new, kept=sides.kept)
    if estimate is None:
        return {"outcome": "inconclusive", "reason": ONE_VALUE}
    settings = settings.model_copy(update={"margin": found.margin})
    look = look_for(launches_done(report), settings)
    decided = decide_at(estimate, settings, look)
    outcome, rate = "inconclusive", spent_at(settings.alpha, settings, look)
    if decided == Outcome.SAME:
        outcome, rate = "same", 2 * same_spent_at(settings, look)
    elif decided is not None:
        outcome = _direction(found, grew=decided == Outcome.REGRESSED)
    low, high = estimate.interval(rate)
    return {
        "outcome": outcome,
        "base": _mean(sides.old if sides.kept is None else sides.kept.of(sides.old)),
        "head": _mean(sides.new if sides.kept is None else sides.kept.of(sides.new)),
        "ratio": estimate.ratio,
        "low": low,
        "high": high,
        "level": 1 - rate,
        "reason": _why_undecided(found, estimate.launches, settings) if decided is None else None,
    }


def _why_undecided(found: MetricChange, launches: int, settings: Settings) -> str:
    least = least_for_change(settings.alpha)
    if launches < least:
        return FEW_LAUNCHES.format(launches=launches, least=least)
    return UNDECIDED.format(margin=margin_percent(found.margin))


def _beside_zero(
    found: MetricChange, sides: _Sides, report: RunReport, settings: Settings
) -> dict[str, object]:
    """One arm has 0 in every launch, so there is no ratio, and any value above 0 is beyond every margin. The
    sign test: if the arms were equal, each value above 0 would be in either arm alike."""
    launches, look = len(sides.old), look_for(launches_done(report), settings)
    rate = spent_at(settings.alpha, settings, look)
    above = sum(value > 0 for value in (*sides.old, *sides.new))
    grew = any(sides.new)
    least = max(MIN_LAUNCHES, 1 + math.ceil(math.log2(1 / rate))) if rate > 0 else launches + 1
    shown = {"ratio": None if grew else 0.0, "level": 1 - rate}
    if above >= least:
        return {"outcome": _direction(found, grew=grew), **shown}
    zero, other = ("base", "head") if grew else ("head", "base")
    reason = ONE_ARM_IS_ZERO.format(zero=zero, other=other, above=above, launches=launches, least=least)
    return {"outcome": "inconclusive", **shown, "reason": reason}


def _mean(values: Sequence[float] | None) -> float | None:
    return sum(values) / len(values) if values else None


def said(change: MetricChange) -> str:
    """One metric in a line: `Resident memory 1,000 to 1,100 bytes (+10.0 %), regressed`."""
    if change.outcome == "missing":
        return f"{metric_name(change)}: missing; {change.reason}"
    if change.base is None and change.head is None:
        return f"{metric_name(change)}: {change.reason}"
    size = "" if change.ratio is None else f" ({change_percent(change.ratio - 1)}{_interval(change)})"
    text = f"{metric_name(change)} {number(change.base)} to {number(change.head)} {change.unit}{size}"
    text += f", {change.outcome}"
    return text if change.reason is None else f"{text}: {change.reason}"


def in_short(change: MetricChange) -> str:
    """One metric for a table's cell."""
    size = "" if change.ratio is None else f" {change_percent(change.ratio - 1)}"
    return f"{metric_name(change)}{size}"


def metric_name(change: MetricChange) -> str:
    """The metric's title, with its stage, and for a C function with its name."""
    title = title_of(change.metric)
    named = title if change.function is None else f"{change.function} {title}"
    return named if change.stage is None else f"{change.stage} {named}"


def number(value: float | None) -> str:
    """A value with at most four significant digits behind the point, whole numbers whole."""
    if value is None:
        return "missing"
    return f"{value:,.0f}" if value >= 1000 or value == round(value) else f"{value:.4g}"


def _interval(change: MetricChange) -> str:
    if change.low is None or change.high is None or change.low == change.high:
        return ""
    return f" {bracketed_percent(change.low - 1, change.high - 1)}"
