# SPDX-License-Identifier: Apache-2.0
"""Judges figures of trials under load: by ranks of the launches' differences, and by trends of a soak.

Each launch gives one difference of head and base at the same load: the logarithm of the ratio of a percentile
or a rate, the difference of a share. Their location and its interval are Hodges-Lehmann's and Wilcoxon's
(stats.signed_rank), which need no distribution. Every ratio here is 1 + the change, also that of a share and
of growth, so that lists, alerts and messages show one kind of number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, log1p
from statistics import median
from typing import Final, Literal

from nalm_core.report.defaults import EQUIVALENCE_ALPHA
from nalm_core.report.own_metrics import MetricGrowth, OwnMetric
from nalm_core.report.run_report import Arm
from nalm_core.stats.growth_level import GROWTH_CONFIDENCE
from nalm_core.stats.signed_rank import Differences, Location, least_differences

LEAST: Final = 1e-9
"""Stands for 0 in a ratio."""

Decision = Literal["same", "grew", "fell", "undecided"]


def shares_error_rate(metric: OwnMetric) -> bool:
    """True for a metric that shares the run's error rate with others. A trend has a level of its own."""
    if metric.judged == "ratio":
        return not metric.exact
    return metric.judged in ("ranks", "share") and bool(metric.values)


@dataclass(frozen=True, slots=True)
class Steps:
    """What is known of differences between values that are ends of bins. Differences are logarithms."""

    lows: tuple[float, ...]
    highs: tuple[float, ...]
    width_ns: float
    """Of the bins, in the arm in which they are wider."""

    @classmethod
    def of(cls, ends: Sequence[tuple[float, float]], begins: Sequence[tuple[float, float]]) -> Steps:
        """ends, begins: of base and head in each launch."""
        both = list(zip(ends, begins, strict=True))
        return cls(
            lows=tuple(_log(head_from, base) for (base, _), (_, head_from) in both),
            highs=tuple(-_log(base_from, head) for (_, head), (base_from, _) in both),
            width_ns=max(median(end[at] - begin[at] for end, begin in both) for at in (0, 1)),
        )

    def widened(self, found: Location) -> Location:
        """An interval is no narrower than what the bins say of the estimate."""
        low, high = Differences(self.lows).estimate, Differences(self.highs).estimate
        return Location(found.estimate, min(found.low, low), max(found.high, high))


def _log(begin: float, end: float) -> float:
    return log(begin / max(end, LEAST)) if begin > 0 else -inf


def steps_text(width_ns: float) -> str:
    """Why a latency is undecided whose values are in bins of this width."""
    return f"the generator's latency has steps of {width_ns / 1000:.3g} us"


def decide(
    differences: Sequence[float],
    margin: float,
    alpha: float,
    equivalence_alpha: float = EQUIVALENCE_ALPHA,
    steps: Steps | None = None,
) -> tuple[Decision, Location]:
    """What paired differences show at this margin, with the interval that decided.

    Grown or fallen: the interval at `alpha` is beyond 0, and the estimate beyond the margin. The same: the
    interval of two one-sided tests at `equivalence_alpha` each (Schuirmann 1987) is within the margin.
    """
    paired = Differences(differences)

    def located(error_rate: float) -> Location:
        found = paired.location(error_rate)
        return found if steps is None else steps.widened(found)

    found = located(alpha)
    if found.low > 0 and found.estimate >= margin:
        return "grew", found
    if found.high < 0 and found.estimate <= -margin:
        return "fell", found
    inside = located(2 * equivalence_alpha)
    if -margin < inside.low and inside.high < margin:
        return "same", inside
    return "undecided", found


def hides(
    differences: Sequence[float], margin: float, alpha: float, equivalence_alpha: float = EQUIVALENCE_ALPHA
) -> bool:
    """Whether differences that are undecided with the steps of their values would be decided without."""
    return decide(differences, margin, alpha, equivalence_alpha)[0] != "undecided"


def rank_change(metric: OwnMetric, arm: Arm, alpha: float) -> dict[str, object]:
    """Fields of the metric's change. alpha: the error rate of this metric alone."""
    relative = metric.judged == "ranks"
    pairs = list(zip(metric.values[Arm.BASE], metric.values[arm], strict=True))
    differences = [
        log(max(head, LEAST) / max(base, LEAST)) if relative else head - base for base, head in pairs
    ]
    steps = None
    if relative and metric.begins:
        begins = list(zip(metric.begins[Arm.BASE], metric.begins[arm], strict=True))
        steps = Steps.of(pairs, begins)
    margin = log1p(metric.margin) if relative else metric.margin
    decision, location = decide(differences, margin, alpha, steps=steps)
    reason = _by_cause(metric) if decision != "same" else None
    if decision == "undecided":
        needed = least_differences(alpha)
        reason = "neither a change nor its absence is shown"
        if len(pairs) < needed:
            reason = f"{len(pairs)} launches; a change can be shown from {needed} on"
        elif steps is not None and hides(differences, margin, alpha):
            reason = steps_text(steps.width_ns)
    outcome = _outcome(decision, metric)
    shown: dict[str, object] = {
        "outcome": outcome,
        "ratio": _ratio(location.estimate, relative=relative),
        "low": _ratio(location.low, relative=relative),
        "high": _ratio(location.high, relative=relative),
        "level": 1 - (2 * EQUIVALENCE_ALPHA if decision == "same" else alpha),
        "reason": _at_the_limit(metric, arm, outcome) or reason,
    }
    if relative:  # an outlying launch moves a mean, and not the ratio that stands beside it
        shown |= {"base": median(base for base, _ in pairs), "head": median(head for _, head in pairs)}
    return shown


def growth_change(metric: OwnMetric, arm: Arm) -> dict[str, object]:
    """Fields of the change of a figure with an interval of its own in each arm: head's less base's. The
    intervals add up, so that the one of the difference is wider than necessary."""
    base, head = metric.growth[Arm.BASE], metric.growth[arm]
    middle = metric.values[arm][0] - metric.values[Arm.BASE][0]
    low, high = head.low - base.high, head.high - base.low
    decision: Decision = "undecided"
    if low > 0 and middle >= metric.margin:
        decision = "grew"
    elif high < 0 and middle <= -metric.margin:
        decision = "fell"
    elif -metric.margin < low and high < metric.margin:
        decision = "same"
    level = max(abs(base.level), metric.margin)
    return {
        "outcome": _outcome(decision, metric),
        "ratio": 1 + middle / level,
        "low": 1 + low / level,
        "high": 1 + high / level,
        "level": GROWTH_CONFIDENCE,
        "reason": _both_grow(metric, base, head) if decision != "undecided" else "too uncertain to decide",
    }


def _both_grow(metric: OwnMetric, base: MetricGrowth, head: MetricGrowth) -> str | None:
    grows = metric.better == "lower" and base.low > 0 and head.low > 0
    if grows and metric.values[Arm.BASE][0] >= metric.margin:
        return "it grows in base, too"
    return None


def _outcome(
    decision: Decision, metric: OwnMetric
) -> Literal["same", "improved", "regressed", "inconclusive"]:
    if decision in ("same", "undecided"):
        return "same" if decision == "same" else "inconclusive"
    return "regressed" if (decision == "grew") == (metric.better == "lower") else "improved"


def _ratio(value: float, *, relative: bool) -> float | None:
    if abs(value) == inf:
        return None
    return exp(value) if relative else 1 + value


def _at_the_limit(metric: OwnMetric, arm: Arm, outcome: str) -> str | None:
    """What the greatest load that the generator offers hides of a decided change."""
    old, new = (_carried(metric, one) for one in (Arm.BASE, arm))
    if outcome == "same" and old and new:
        return "both carry all that the generator can offer"
    if outcome == "same" and (old or new):
        return f"up to all that the generator can offer: {old or new}"
    most = {"regressed": old, "improved": new}.get(outcome)
    return f"{most}, so the change is at least so large" if most else None


def _carried(metric: OwnMetric, arm: Arm) -> str | None:
    """Says in how many launches the arm carried all that it was offered; None: in none."""
    count, of = metric.at_least.get(arm, 0), len(metric.values[arm])
    where = "" if count == of else f" in {count} of {of} launches"
    return f"{arm} carried all that the generator can offer{where}" if count else None


def _by_cause(metric: OwnMetric) -> str | None:
    """The causes of head's value, the largest first."""
    causes = sorted(metric.causes.get(Arm.HEAD, {}).items(), key=lambda one: -one[1])
    return ", ".join(f"{cause} {100 * share:.3g} %" for cause, share in causes[:3]) or None
