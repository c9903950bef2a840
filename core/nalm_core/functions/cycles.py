# SPDX-License-Identifier: Apache-2.0
"""Tests of functions' cycles by samples of both arms.

Samples of a function are Poisson counts. Each arm was sampled in one launch, whose placement in memory moves
the function by more: by the scatter of its stage (or of the chain) between the launches of the rounds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import variance

from nalm_core.functions.model import Key
from nalm_core.report.defaults import FUNCTION_FALSE_DISCOVERY_RATE, FUNCTION_SAMPLES
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.stats.discovery import discoveries
from nalm_core.stats.quantiles import t_cdf, t_quantile

CONTINUITY = 0.5
"""Added to each count, so that its logarithm is all but unbiased."""
MOST_DEGREES = 1e6
"""Degrees of freedom where samples alone scatter."""


@dataclass(frozen=True)
class SampledSide:
    """An arm's samples by function, and cycles per packet of one sample."""

    samples: Mapping[Key, int]
    cycles: float
    chain: float
    """CPP of the chain."""
    launches: Mapping[str | None, Sequence[float]]
    """CPP by launch of each stage; None: of the chain."""
    most_unlisted: int = 0
    """Samples that a function which is not in `samples` has at most."""

    def range_of(self, unit: frozenset[Key]) -> tuple[int, int]:
        """Least and most samples of the functions together."""
        listed = [self.samples[key] for key in unit if key in self.samples]
        return sum(listed), sum(listed) + self.most_unlisted * (len(unit) - len(listed))


@dataclass(frozen=True)
class CycleTest:
    """Functions whose cycles were tested together: one, or those between which cost moved."""

    base_cpp: float
    """By the samples of functions that the profile lists."""
    head_cpp: float
    low: float
    high: float
    """Interval of the ratio at 1 - FUNCTION_FALSE_DISCOVERY_RATE, with all samples that a function may have
    which a profile does not list."""
    p_value: float
    significant: bool = False


def sampled_side(
    report: RunReport, arm: Arm, cpp: float | None, launches: Mapping[str | None, Sequence[float]]
) -> SampledSide | None:
    """None if the arm was not sampled, or has no cycles that can be compared."""
    profile = next((one for one in report.profiles if one.arm is arm), None)
    if profile is None or cpp is None:
        return None
    apart = report.arms[arm].apart_stages()
    own = profile.samples - sum(profile.stages.get(stage, 0) for stage in apart)
    if own <= 0:
        return None
    found: dict[Key, int] = defaultdict(int)
    for one in profile.functions:
        if one.stage not in apart:
            found[one.stage, one.name] += one.samples
    return SampledSide(found, cpp / own, cpp, launches, profile.most_unlisted)


def cycle_tests(
    base: SampledSide, head: SampledSide, units: Sequence[frozenset[Key]]
) -> dict[frozenset[Key], CycleTest]:
    """Tests of all units that have FUNCTION_SAMPLES, as the mean of both sides, at one false discovery rate
    over all of them.

    By Benjamini & Hochberg (1995): samples of different functions are independent Poisson counts, or, given
    their sum, slightly negatively dependent. core/tests/functions/test_discovery.py shows the rate.
    That of Benjamini & Yekutieli, for any dependence, would cost a factor of ln m in evidence.
    """
    found = {unit: test for unit in units if (test := _test(base, head, unit)) is not None}
    passed = discoveries([one.p_value for one in found.values()], FUNCTION_FALSE_DISCOVERY_RATE)
    return {
        unit: CycleTest(one.base_cpp, one.head_cpp, one.low, one.high, one.p_value, significant)
        for (unit, one), significant in zip(found.items(), passed, strict=True)
    }


def _test(base: SampledSide, head: SampledSide, unit: frozenset[Key]) -> CycleTest | None:
    (old, most_old), (new, most_new) = base.range_of(unit), head.range_of(unit)
    if old + new < 2 * FUNCTION_SAMPLES:  # of the sum, which says nothing of the difference
        return None
    least, most = _estimate(base, head, unit, most_old, new), _estimate(base, head, unit, old, most_new)
    return CycleTest(
        base_cpp=old * base.cycles,
        head_cpp=new * head.cycles,
        low=least.low,
        high=most.high,
        p_value=1.0 if least.ratio < 0 < most.ratio else max(least.p_value, most.p_value),
    )


@dataclass(frozen=True)
class _Estimate:
    ratio: float
    """ln(head / base)."""
    low: float
    high: float
    p_value: float


def _estimate(base: SampledSide, head: SampledSide, unit: frozenset[Key], old: int, new: int) -> _Estimate:
    """old, new: samples of the unit."""
    ratio = log((new + CONTINUITY) * head.cycles) - log((old + CONTINUITY) * base.cycles)
    by_samples = 1 / (old + CONTINUITY) + 1 / (new + CONTINUITY)
    scatter, degrees = _scatter(base, head, unit)
    total = by_samples + scatter
    # Welch & Satterthwaite: the part of the samples is known exactly
    degrees = min(MOST_DEGREES, degrees * (total / scatter) ** 2) if scatter > 0 else MOST_DEGREES
    reach = t_quantile(degrees, 1 - FUNCTION_FALSE_DISCOVERY_RATE / 2) * sqrt(total)
    return _Estimate(
        ratio, exp(ratio - reach), exp(ratio + reach), 2 * t_cdf(degrees, -abs(ratio) / sqrt(total))
    )


def _scatter(base: SampledSide, head: SampledSide, unit: frozenset[Key]) -> tuple[float, float]:
    """Variance of ln(head / base) of two launches, and its degrees of freedom: of the unit's stage that
    scatters most, or of the chain."""
    found = []
    for stage in {stage for stage, _ in unit}:
        logs = [_logs(side.launches.get(stage) or side.launches.get(None, ())) for side in (base, head)]
        if all(len(one) > 1 for one in logs):
            found.append((sum(variance(one) for one in logs), float(sum(len(one) - 1 for one in logs))))
    return max(found, default=(0.0, MOST_DEGREES))


def _logs(values: Sequence[float]) -> list[float]:
    return [log(one) for one in values if one > 0]
