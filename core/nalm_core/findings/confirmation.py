# SPDX-License-Identifier: Apache-2.0
"""The rule by which further measurements of base and head confirm or dismiss a finding, without measuring.

Each scenario is decided separately. Later results can only add evidence, and nothing is dismissed before all
requested results are in, so the answer does not depend on their order.
docs/statistics.md states the error rates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, log
from types import MappingProxyType
from typing import Final, Literal

from nalm_core.report.outcome import UNDECIDED, Outcome
from nalm_core.stats.quantiles import normal_quantile
from nalm_core.text.percents import change_percent

CONFIRMATION_ALPHA: Final = 0.001
"""Probability that one host's runs together confirm a finding without a change (upper bound)."""
REPEAT_ALPHA: Final = 0.05
"""Probability that later measurements alone lean to the worse by this much without a change."""
CONFIRMATIONS: Final = 2
"""Most measurements on the host that saw it first, while undecided; the second has more time."""

DOCUMENTED: Final = MappingProxyType(
    {name: value for name, value in globals().items() if name.isupper() and isinstance(value, int | float)}
)

Kind = Literal["regression", "broken"]
LOST: Final = "lost"
"""Outcome of a measurement without a result."""


class Where(StrEnum):
    """On which host a measurement was wanted."""

    SAME = "same"
    """The one that saw it first; any, when it is not known which that was."""
    OTHER = "other"
    """Another one of the pool."""
    INSTEAD = "instead"
    """Another one, because the first is gone."""


class Answer(StrEnum):
    """The state of a finding's confirmation."""

    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    """A second measurement did not show it."""
    WAITING = "waiting"
    """A measurement is missing."""
    AGAIN = "again"
    """Another measurement, with more time, is needed."""
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Ratio:
    """head / base with its interval at `level`, of one run."""

    ratio: float
    low: float
    high: float
    level: float


@dataclass(frozen=True)
class Measurement:
    """One measurement of base against head."""

    where: Where
    host: str
    outcome: str | None
    """A verdict's, or `lost` when there is none; None: still to come."""
    ratio: Ratio | None = None


@dataclass(frozen=True)
class Decision:
    answer: Answer
    why: str
    """For a person, without the scenario's name."""
    seen_on: tuple[str, ...] = ()
    not_seen_on: tuple[str, ...] = ()


def decide(kind: Kind, first: Ratio | None, measured: Sequence[Measurement], *, margin: float) -> Decision:
    """The answer of one scenario's measurements, in the order of their requests.

    first: the run that raised the finding; None if a history did, or if it has no figure.
    """
    answer, why = _answer(kind, first, measured, margin)
    seen = _hosts(one for one in measured if _shows(kind, one.outcome))
    unseen = _hosts(one for one in measured if _refutes(kind, one.outcome))
    if answer is Answer.CONFIRMED and not seen:
        seen = _hosts(one for one in measured if one.where is Where.SAME)
    return Decision(answer, why, seen, tuple(host for host in unseen if host not in seen))


def _answer(
    kind: Kind, first: Ratio | None, measured: Sequence[Measurement], margin: float
) -> tuple[Answer, str]:
    shown = [one for one in measured if _shows(kind, one.outcome)]
    if shown:
        return Answer.CONFIRMED, f"{shown[0].outcome} again on {shown[0].host}"
    if not measured or any(one.outcome is None for one in measured):
        return Answer.WAITING, "being measured again"
    same = [one for one in measured if one.where is Where.SAME]
    refuted = [one for one in same if _refutes(kind, one.outcome)]
    if refuted:
        return Answer.DISMISSED, f"{refuted[-1].outcome} when measured again on {refuted[-1].host}"
    size = _together(first, same, margin) if kind == "regression" else None
    if size is not None:
        return Answer.CONFIRMED, f"{change_percent(size - 1)} in all runs on {same[-1].host} together"
    return _undecided(measured, same)


def _together(first: Ratio | None, same: Sequence[Measurement], margin: float) -> float | None:
    """The ratio of all runs of the first host together, if they show a change for the worse. The first run
    was selected for its change, so the later runs must lean to the worse by themselves."""
    since = [one.ratio for one in same if one.ratio is not None]
    alone = combined(since, REPEAT_ALPHA * 2)
    together = combined([*([first] if first is not None else []), *since], CONFIRMATION_ALPHA)
    if alone is None or together is None or alone.low <= 1 or together.low <= 1:
        return None
    return together.ratio if together.ratio >= 1 + margin else None


def _undecided(measured: Sequence[Measurement], same: Sequence[Measurement]) -> tuple[Answer, str]:
    if same and same[-1].outcome in (*UNDECIDED, Outcome.BROKEN) and len(same) < CONFIRMATIONS:
        return Answer.AGAIN, f"{same[-1].outcome} when measured again on {same[-1].host}"
    said = "; ".join(
        f"no result from {one.host}" if one.outcome == LOST else f"{one.outcome} on {one.host}"
        for one in measured
    )
    gone = "" if same else ", and the host that measured it first has left the pool"
    return Answer.INCONCLUSIVE, f"not confirmed: {said}{gone}"


def overall(decisions: Sequence[Decision]) -> Answer:
    """The answer for a finding from those of its scenarios: one confirmed scenario confirms it."""
    answers = {one.answer for one in decisions}
    for first in (Answer.CONFIRMED, Answer.WAITING, Answer.AGAIN):
        if first in answers:
            return first
    return Answer.DISMISSED if answers == {Answer.DISMISSED} else Answer.INCONCLUSIVE


def _shows(kind: Kind, outcome: str | None) -> bool:
    return outcome == (Outcome.BROKEN if kind == "broken" else Outcome.REGRESSED)


def _refutes(kind: Kind, outcome: str | None) -> bool:
    fine = (
        (Outcome.SAME, Outcome.IMPROVED, Outcome.REGRESSED, Outcome.INCONCLUSIVE)
        if kind == "broken"
        else (Outcome.SAME, Outcome.IMPROVED)
    )
    return outcome in fine


def _hosts(measured: Iterable[Measurement]) -> tuple[str, ...]:
    return tuple(sorted({one.host for one in measured}))


def combined(ratios: Sequence[Ratio], error_rate: float) -> Ratio | None:
    """Combines independent runs of the same two builds by inverse variance of the log ratio; None without a
    usable run. The interval misses the true ratio with at most error_rate.

    A run's standard error is its interval's half width divided by the normal quantile. The interval uses
    Student's t, which is wider, so the error is rather too large than too small.
    """
    usable = [one for one in ratios if 0 < one.low < one.high and 0 < one.level < 1]
    if not usable:
        return None
    weights = [1 / standard_error(one) ** 2 for one in usable]
    total = sum(weights)
    centre = sum(weight * log(one.ratio) for weight, one in zip(weights, usable, strict=True)) / total
    half = quantile(1 - error_rate) * total**-0.5
    return Ratio(exp(centre), exp(centre - half), exp(centre + half), 1 - error_rate)


def standard_error(one: Ratio) -> float:
    """Standard error of ln ratio, from the half width of its interval."""
    return (log(one.high) - log(one.low)) / 2 / quantile(one.level)


def quantile(level: float) -> float:
    """Two-sided quantile of the standard normal distribution."""
    return normal_quantile(0.5 + level / 2)
