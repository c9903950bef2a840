# SPDX-License-Identifier: Apache-2.0
"""The comparisons in a run: ln(head / base) of each metric of chain and stages, with its variance.

A commit that changes the feature set has two comparisons: of the code, both with base's features, and of the
features, in head's code. Cycles are compared as in the verdict, turn by turn; other metrics launch by launch,
or layout by layout where launches are in several layouts of code. Variances are those of intervals over the
normal quantile, so that few launches do not seem exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from math import fsum, inf, isfinite, log
from typing import NamedTuple

from nalm_core.report.defaults import CONFIDENCE, STAGE_FALSE_DISCOVERY_RATE
from nalm_core.report.history_figure import HistoryFigure
from nalm_core.report.judged_arm import equal_code, feature_change, judged_arm
from nalm_core.report.own_metrics import OwnMetric
from nalm_core.report.rounds import launches_done, unit_means
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.summary import ArmSummary, Summaries
from nalm_core.stats.estimate import estimate_ratio, middle_launches
from nalm_core.stats.quantiles import normal_quantile
from nalm_core.verdict.attribution import Rates, compare_arms
from nalm_core.verdict.change import Change
from nalm_core.verdict.pairing import Pairs

CHAIN = "chain"
OF_VERDICT = ("cpp", "ipp", "eipc")
"""Metrics compared as in the verdict."""


class Part(IntEnum):
    CODE = 0
    """From base to head at equal features."""
    FEATURES = 1
    """From head with base's features to head with its own."""


class LinkValue(NamedTuple):
    """One comparison of one series."""

    stage: str
    metric: str
    source: str
    part: Part
    ln_ratio: float
    variance: float


def links_of(
    report: RunReport, summaries: Summaries | None = None, pairs: Pairs | None = None
) -> list[LinkValue]:
    """All comparisons of a valid, measured report. summaries, pairs: of its arms, if some are made
    already."""
    summaries, pairs = summaries or Summaries(report), pairs or Pairs(report)
    if Arm.BASE not in report.arms or Arm.HEAD not in report.arms:
        return []
    found = []
    for part, base, head in _arms(report):
        found += [*_cycles(pairs, part, base, head), *_others(summaries, part, base, head)]
    return found


def _arms(report: RunReport) -> list[tuple[Part, Arm, Arm]]:
    if not feature_change(report):
        return [(Part.CODE, Arm.BASE, Arm.HEAD)]
    if equal_code(report) or judged_arm(report) is None:
        return [(Part.FEATURES, Arm.BASE, Arm.HEAD)]
    return [(Part.CODE, Arm.BASE, Arm.HEAD_AS_BASE), (Part.FEATURES, Arm.HEAD_AS_BASE, Arm.HEAD)]


def _cycles(pairs: Pairs, part: Part, base: Arm, head: Arm) -> Iterator[LinkValue]:
    report, pair = pairs.report, pairs.of(base, head)
    if pair is None:
        return
    rates = Rates(1 - CONFIDENCE, STAGE_FALSE_DISCOVERY_RATE, report.settings.margin)
    compared = compare_arms(*pair, rates)
    load = report.arms[head].run.series_source
    for stage, change in ((CHAIN, compared.chain), *((one.stage, one) for one in compared.stages)):
        for metric, source, ln_ratio, variance in _of_change(change):
            yield LinkValue(stage, metric, load(source), part, ln_ratio, variance)


def _of_change(change: Change) -> Iterator[tuple[str, str, float, float]]:
    """(metric, source, ln ratio, variance)."""
    if change.base is None or change.head is None:
        return
    sources = change.head.sources
    ln_cpp, error = _ln_and_error(change)
    ln_ipp = _ln(change.base.ipp, change.head.ipp)
    counted = ln_ipp is not None and change.base.sources.get("ipp") == sources.get("ipp")
    if ln_cpp is not None and error is not None:
        yield "cpp", sources["cpp"], ln_cpp, error**2
        if counted and ln_ipp is not None and "eipc" in sources:
            yield "eipc", sources["eipc"], ln_ipp - ln_cpp, error**2
    if counted and ln_ipp is not None:
        yield "ipp", sources["ipp"], ln_ipp, 0.0


def _ln_and_error(change: Change) -> tuple[float | None, float | None]:
    """ln ratio, and its standard error by the normal quantile: rather too large than too small."""
    ratio, low, high, level = change.ratio_cpp, change.low, change.high, change.level
    if ratio is None or low is None or high is None or level is None:
        return None, None
    if not (0 < low <= ratio <= high and isfinite(high) and 0 < level < 1):
        return None, None
    return log(ratio), _error(low, high, level)


def _error(low: float, high: float, level: float) -> float:
    """Standard error of ln(head / base) by its interval at this level."""
    return (log(high) - log(low)) / 2 / normal_quantile(0.5 + level / 2)


def _ln(base: float | None, head: float | None) -> float | None:
    return log(head / base) if base and head and base > 0 and head > 0 else None


def _others(summaries: Summaries, part: Part, base: Arm, head: Arm) -> Iterator[LinkValue]:
    """Metrics that the verdict's comparison does not have."""
    report, old, new = summaries.report, summaries.of(base), summaries.of(head)
    in_bins = {one.name: one for one in report.own_metrics if one.begins}
    places = [(CHAIN, old.chain, new.chain)]
    places += [(name, old.stages[name], of) for name, of in new.stages.items() if name in old.stages]
    for stage, before, after in places:
        for metric, figure in after.items():
            known = before.get(metric)
            if metric in OF_VERDICT or known is None or known.source != figure.source:
                continue
            found = _compared(report, known, figure, old, new)
            if found is None:
                continue
            more = _of_bins(in_bins[metric], base, head) if metric in in_bins else 0.0
            if isfinite(more):
                yield LinkValue(stage, metric, figure.source, part, found[0], found[1] + more)


def _of_bins(metric: OwnMetric, base: Arm, head: Arm) -> float:
    """Variance of ln(head / base) of values that are known to a bin: each arm may be off by the width of its
    bins. Infinite where these begin at 0."""
    found = 0.0
    for arm in (base, head):
        least = fsum(metric.begins[arm])
        found += log(fsum(metric.values[arm]) / least) ** 2 if least > 0 else inf
    return found


def _compared(
    report: RunReport, base: HistoryFigure, head: HistoryFigure, old: ArmSummary, new: ArmSummary
) -> tuple[float, float] | None:
    """(ln ratio, variance)."""
    if not base.launches and not head.launches:
        exact = _ln(base.value, head.value)
        return None if exact is None else (exact, 0.0)
    before, after = _side_by_side(report, base, head, _launches(old), _launches(new))
    if not before or min(*before, *after) <= 0:
        return None
    estimate = estimate_ratio(before, after, kept=middle_launches(before, after))
    if estimate is None:
        return None
    return estimate.ln_ratio, _error(*estimate.interval(1 - CONFIDENCE), CONFIDENCE) ** 2


def _launches(summary: ArmSummary) -> list[int]:
    return list(dict.fromkeys(one.launch for one in summary.rounds))


def _side_by_side(
    report: RunReport, base: HistoryFigure, head: HistoryFigure, old: Sequence[int], new: Sequence[int]
) -> tuple[list[float], list[float]]:
    """Values of the launches that both arms have, or of their layouts."""
    if len(base.launches) == len(old) and len(head.launches) == len(new):
        before = dict(zip(old, base.launches, strict=True))
        after = dict(zip(new, head.launches, strict=True))
    elif len(base.launches) != len(head.launches):
        return [], []
    elif len(base.launches) == launches_done(report):  # also of those whose rounds are not used
        before, after = dict(enumerate(base.launches)), dict(enumerate(head.launches))
    else:  # of launches of their own, which have the builds as they are
        return base.launches, head.launches
    common = [one for one in before if one in after]
    first, second = (unit_means(report, {one: of[one] for one in common}) for of in (before, after))
    return first, second
