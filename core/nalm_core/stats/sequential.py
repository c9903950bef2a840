# SPDX-License-Identifier: Apache-2.0
"""The stopping rule: a few planned looks at the launches so far, with the error rate spent over them.

Looks follow each other in equal ratios of launches: early looks end clear cases in seconds.

Spending: alpha(t) = alpha * ln(1 + (e - 1) t), Lan & DeMets, Biometrika 70 (1983), their Pocock-like
function, t the share of the planned launches. What a look adds is its own error rate; their sum is alpha
whatever the dependence between looks, so the t statistics' small degrees of freedom need no correction
(Bonferroni with unequal weights).

Where exact counts are equal in every stage, a change of cycles is unlikely before any is measured. `same`
then spends its error rate by a log-logistic function of t, around the looks at which such runs are mostly
decided. The choice rests on the counts alone, so the sum remains a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, e, log, log2

from nalm_core.report.defaults import (
    EQUAL_COUNTS_ALPHA,
    EQUAL_COUNTS_MIDDLE,
    EQUAL_COUNTS_POWER,
    EQUIVALENCE_ALPHA,
    MIN_LAUNCHES,
)
from nalm_core.report.judged_arm import equal_code, judged_arm
from nalm_core.report.outcome import CHANGED, Decided, Outcome
from nalm_core.report.rounds import PairedLaunch, launches_done, pair_launches, random_units
from nalm_core.report.run_report import Arm, RunReport, Settings
from nalm_core.stats.changed_code import CodeEstimate, code_estimate
from nalm_core.stats.estimate import RatioEstimate, estimate_ratio, middle_launches


@dataclass(frozen=True, slots=True)
class Decision:
    """`outcome` None: continue measuring. launches: done so far; look: 1..settings.looks, None between
    looks."""

    outcome: Decided | None
    reason: str
    launches: int
    look: int | None = None
    next_look: int | None = None
    """Launches at the next look; None after the last."""


def look_schedule(settings: Settings) -> list[int]:
    """Launches at which the run is judged, the last one being max_launches."""
    return list(_schedule_of(settings))


def _schedule_of(settings: Settings) -> Sequence[int]:
    return _schedule(settings.first_look, settings.max_launches, settings.looks)


@lru_cache(maxsize=256)
def _schedule(first: int | None, last: int, looks: int) -> tuple[int, ...]:
    if first is None:
        planned = [ceil(last * k / looks) for k in range(1, looks + 1)]
    elif looks == 1 or first >= last:
        planned = [last]
    else:
        planned = [round(first * (last / first) ** (k / (looks - 1))) for k in range(looks)]
    return tuple(sorted({max(MIN_LAUNCHES, launches) for launches in planned}))


def spent_at(rate: float, settings: Settings, look: int) -> float:
    """Error rate of look 1..n alone, out of the rate of all looks."""
    return rate * _part(_schedule_of(settings), look, _pocock)


def same_spent_at(settings: Settings, look: int) -> float:
    """Error rate of `same` at look 1..n alone: of a change of the margin, in one direction."""
    if settings.equal_counts:
        return EQUAL_COUNTS_ALPHA * _part(_schedule_of(settings), look, _around_the_middle)
    return spent_at(EQUIVALENCE_ALPHA, settings, look)


def _part(schedule: Sequence[int], look: int, spending: Callable[[float], float]) -> float:
    before = spending(schedule[look - 2] / schedule[-1]) if look > 1 else 0.0
    return spending(schedule[look - 1] / schedule[-1]) - before


def _pocock(share: float) -> float:
    return log(1 + (e - 1) * share)


def _around_the_middle(share: float) -> float:
    """0 to 1: log-logistic, half of it at about EQUAL_COUNTS_MIDDLE."""
    whole = 1 + pow(EQUAL_COUNTS_MIDDLE, EQUAL_COUNTS_POWER)
    return float(whole / (1 + pow(EQUAL_COUNTS_MIDDLE / share, EQUAL_COUNTS_POWER)))


def look_for(launches: int, settings: Settings) -> int:
    """The look at which a number of launches is judged. A run that ends early uses the next planned look."""
    schedule = look_schedule(settings)
    for look, planned in enumerate(schedule, start=1):
        if launches <= planned:
            return look
    return len(schedule)


def decide(report: RunReport) -> Decision:
    """The decision after the rounds so far. At a planned look: an outcome or None; between looks: None.

    It compares cycles of base and the judged arm, and does not check whether the run is valid.
    """
    settings, launches = report.settings, launches_done(report)
    schedule = look_schedule(settings)
    later = next((planned for planned in schedule if planned > launches), None)
    arm = judged_arm(report)
    if arm is None:
        return _price_only(report, launches, schedule[0])
    if later is not None and launches not in schedule:
        return Decision(None, f"{launches} of {later} launches until the next look", launches, None, later)
    look = look_for(launches, settings)
    units = random_units(report, pair_launches(report, Arm.BASE, arm))

    def code() -> CodeEstimate | None:
        return code_estimate(report, units) if arm is Arm.HEAD else None

    outcome, _ = decide_by(estimate_of(units), code, settings, look)
    if outcome is not None:
        return Decision(outcome, f"decided at look {look} after {launches} launches", launches, look, None)
    if later is None:
        return Decision(
            Outcome.INCONCLUSIVE, f"undecided after all {launches} launches", launches, look, None
        )
    return Decision(None, f"undecided at look {look}", launches, look, later)


def _price_only(report: RunReport, launches: int, first_look: int) -> Decision:
    """A feature change without an arm to judge: the first look's launches show its price."""
    if launches < first_look:
        return Decision(None, "measuring the price of features", launches, None, first_look)
    if equal_code(report):
        return Decision(Outcome.SAME, "equal code: only the price of features is measured", launches, 1, None)
    return Decision(Outcome.INCONCLUSIVE, "head was not run with base's features", launches, 1, None)


def chain_estimate(report: RunReport, base: Arm, head: Arm) -> RatioEstimate | None:
    """Ratio of the chain's CPP over the launches, or layouts, that take part."""
    return estimate_of(random_units(report, pair_launches(report, base, head)))


def estimate_of(units: Sequence[PairedLaunch]) -> RatioEstimate | None:
    old, new = [one.base_cpp() for one in units], [one.head_cpp() for one in units]
    return estimate_ratio(old, new, kept=middle_launches(old, new))


def decide_by(
    chain: RatioEstimate | None, code: Callable[[], CodeEstimate | None], settings: Settings, look: int
) -> tuple[Decided | None, CodeEstimate | None]:
    """The decision at one look by the whole chain, or else by the stages with changed code, and the estimate
    of these if they decided. `same` is decided by the chain alone. code: calculates that estimate."""
    each = settings_of_each_test(settings)
    outcome = decide_at(chain, each, look)
    if outcome is None and (found := code()) is not None and found.may_decide:
        # With the change of others, which the same launches chose, alone would raise the error rate.
        by_code = decide_at(found.own, each, look)
        if by_code in CHANGED and decide_at(found.changed, each, look) == by_code:
            return by_code, found
    return outcome, None


def settings_of_each_test(settings: Settings) -> Settings:
    """The settings by which the chain is tested, and the stages with changed code: with these known, each has
    half of the error rate of a change."""
    if settings.changed_stages is None:
        return settings
    return settings.model_copy(update={"alpha": settings.alpha / 2})


def least_for_change(alpha: float) -> int:
    """The fewest launches, or layouts, that can show a change at this error rate. Where the launches of each
    arm have one of two values by chance, base has the one in all n of them and head the other with a
    probability of up to 2 * 4^-n, and without any scatter."""
    return max(MIN_LAUNCHES, ceil(log2(2 / alpha) / 2)) if alpha > 0 else MIN_LAUNCHES


def decide_at(estimate: RatioEstimate | None, settings: Settings, look: int) -> Decided | None:
    """The decision at one look. None: neither a change nor its absence is shown."""
    if estimate is None or estimate.launches < MIN_LAUNCHES:
        return None
    low, high = estimate.interval(spent_at(settings.alpha, settings, look))
    # The same margin in both directions: 1 + margin up, 1 / (1 + margin) down.
    upper, lower = 1 + settings.margin, 1 / (1 + settings.margin)
    enough = estimate.launches >= least_for_change(settings.alpha)
    if enough and low > 1 and estimate.ratio >= upper:
        return Outcome.REGRESSED
    if enough and high < 1 and estimate.ratio <= lower:
        return Outcome.IMPROVED
    # Two one-sided tests at the rate r each are one two-sided interval at 2 r (Schuirmann 1987).
    low, high = estimate.interval(2 * same_spent_at(settings, look))
    return Outcome.SAME if lower < low and high < upper else None
