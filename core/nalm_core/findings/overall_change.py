# SPDX-License-Identifier: Apache-2.0
"""The overall change of a commit, or of commits one after another: the geometric mean over scenarios of their
paired ratios of CPP, with an interval that is too wide rather than too narrow. docs/statistics.md has the
formula.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from nalm_core.findings.confirmation import Ratio, quantile, standard_error
from nalm_core.report.defaults import ALPHA, CONFIDENCE, EQUIVALENCE_ALPHA, MARGIN
from nalm_core.report.outcome import CHANGED, UNDECIDED, Outcome
from nalm_core.report.run_report import Model
from nalm_core.report.trials.kinds import RunKind, split_name
from nalm_core.text.percents import bracketed_percent, change_percent
from nalm_core.verdict.verdict import Verdict

NO_CHANGE = Ratio(1, 1, 1, CONFIDENCE)
"""Of equal code: exact."""


@dataclass(frozen=True)
class Pair:
    """One scenario of one commit, measured against its base."""

    commit: str
    scenario: str
    host: str
    outcome: Outcome
    ratio: Ratio | None
    """head / base at equal features; None without a figure."""


class ScenarioChange(Model):
    """One scenario's change over all pairs."""

    scenario: str
    outcome: Outcome
    ratio: float | None
    low: float | None
    high: float | None
    """Interval of the ratio at `CONFIDENCE`."""
    pairs: int
    """Pairs with a figure."""


class OverallChange(Model):
    """The geometric mean over scenarios, and how many of them have which outcome."""

    ratio: float | None
    """None: no pair has a figure."""
    low: float | None
    high: float | None
    """Interval of the ratio, at `level`."""
    level: float
    averaged: int
    """Scenarios in the geometric mean."""
    improved: int
    regressed: int
    same: int
    undecided: int
    """Scenarios that are inconclusive or invalid."""
    broken: int


def ratio_of(
    outcome: str,
    *,
    judged: bool,
    ratio: float | None,
    low: float | None,
    high: float | None,
    level: float | None,
) -> Ratio | None:
    """The ratio of a verdict at equal features.

    judged: an arm was compared with base for the outcome; if not, a ratio is the price of features.
    """
    if not judged:
        return NO_CHANGE if outcome == Outcome.SAME else None
    if ratio is None or low is None or high is None or level is None:
        return None
    return Ratio(ratio, low, high, level) if 0 < low <= high and 0 < level < 1 else None


def pair_of(verdict: Verdict, commit: str, host: str) -> Pair:
    size = verdict.size
    ratio = ratio_of(
        verdict.outcome,
        judged=verdict.judged_arm is not None,
        ratio=size.ratio if size else None,
        low=size.low if size else None,
        high=size.high if size else None,
        level=size.level if size else None,
    )
    return Pair(commit, verdict.scenario, host, verdict.outcome, ratio)


def of_cycles(pairs: Sequence[Pair]) -> list[Pair]:
    """Those of cycles. A run under load has no ratio of CPP, also if its code is equal."""
    return [pair for pair in pairs if split_name(pair.scenario)[1] is RunKind.CYCLES]


def scenario_changes(pairs: Sequence[Pair]) -> list[ScenarioChange]:
    """Each scenario's change over its pairs, the newest pair first, by the scenario's name."""
    by_scenario: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_scenario[pair.scenario].append(pair)
    return [_scenario_change(name, found) for name, found in sorted(by_scenario.items())]


def _scenario_change(scenario: str, pairs: Sequence[Pair]) -> ScenarioChange:
    ratios = [pair.ratio for pair in of_cycles(pairs) if pair.ratio is not None]
    if not ratios:
        return ScenarioChange(
            scenario=scenario, outcome=_newest_outcome(pairs), ratio=None, low=None, high=None, pairs=0
        )
    centre = sum(log(one.ratio) for one in ratios)
    error = sum(standard_error(one) ** 2 for one in ratios) ** 0.5
    half = quantile(CONFIDENCE) * error
    return ScenarioChange(
        scenario=scenario,
        outcome=_outcome(pairs, centre, error),
        ratio=exp(centre),
        low=exp(centre - half),
        high=exp(centre + half),
        pairs=len(ratios),
    )


def _newest_outcome(pairs: Sequence[Pair]) -> Outcome:
    """Of pairs without a ratio. Of runs under load the newest change counts, which later pairs without a
    change do not take back."""
    changed = [pair for pair in pairs if pair.outcome in CHANGED]
    under_load = not of_cycles(pairs) and pairs[0].outcome is not Outcome.BROKEN
    return changed[0].outcome if under_load and changed else pairs[0].outcome


def _outcome(pairs: Sequence[Pair], centre: float, error: float) -> Outcome:
    """A measured pair alone keeps its verdict; several are judged by the product of their ratios."""
    if pairs[0].outcome is Outcome.BROKEN:
        return Outcome.BROKEN
    measured = [pair for pair in pairs if pair.ratio not in (None, NO_CHANGE)]
    if len(measured) <= 1:
        return measured[0].outcome if measured else Outcome.SAME
    size, margin = abs(centre), log(1 + MARGIN)
    if size >= margin and size > quantile(1 - ALPHA) * error:
        return Outcome.REGRESSED if centre > 0 else Outcome.IMPROVED
    within = size + quantile(1 - 2 * EQUIVALENCE_ALPHA) * error < margin
    return Outcome.SAME if within else Outcome.INCONCLUSIVE


def overall_change(pairs: Sequence[Pair]) -> OverallChange:
    """pairs: none measures the same commit of a scenario as another; the newest first."""
    counts = Counter(one.outcome for one in scenario_changes(pairs))
    known = [(pair, pair.ratio) for pair in of_cycles(pairs) if pair.ratio is not None]
    averaged = len({pair.scenario for pair, _ in known})
    ends = _mean(known, averaged) if averaged else None
    return OverallChange(
        ratio=ends.ratio if ends else None,
        low=ends.low if ends else None,
        high=ends.high if ends else None,
        level=CONFIDENCE,
        averaged=averaged,
        improved=counts[Outcome.IMPROVED],
        regressed=counts[Outcome.REGRESSED],
        same=counts[Outcome.SAME],
        undecided=sum(counts[one] for one in UNDECIDED),
        broken=counts[Outcome.BROKEN],
    )


def _mean(known: Sequence[tuple[Pair, Ratio]], scenarios: int) -> Ratio:
    """Scenarios that one host measured at one commit may err alike, so their errors are added, which no
    dependence exceeds; those of other hosts and commits are independent."""
    errors: dict[tuple[str, str], float] = defaultdict(float)
    for pair, ratio in known:
        errors[pair.commit, pair.host] += standard_error(ratio)
    centre = sum(log(ratio.ratio) for _, ratio in known) / scenarios
    half = quantile(CONFIDENCE) * sum(error**2 for error in errors.values()) ** 0.5 / scenarios
    return Ratio(exp(centre), exp(centre - half), exp(centre + half), CONFIDENCE)


def overall_text(one: OverallChange) -> str:
    """`cycles per packet +1.2 % [+0.4, +2.0] over 5 scenarios: 1 regressed, 4 same`."""
    if one.ratio is None or one.low is None or one.high is None:
        return f"cycles per packet not known: {counts_text(one)}"
    ends = bracketed_percent(one.low - 1, one.high - 1)
    over = "1 scenario" if one.averaged == 1 else f"{one.averaged} scenarios"
    return f"cycles per packet {change_percent(one.ratio - 1)} {ends} over {over}: {counts_text(one)}"


def counts_text(one: OverallChange) -> str:
    """`1 regressed, 4 same`: what there is of each outcome, worst first."""
    named = {
        "regressed": one.regressed,
        "broken": one.broken,
        "undecided": one.undecided,
        "improved": one.improved,
        "same": one.same,
    }
    return ", ".join(f"{count} {name}" for name, count in named.items() if count) or "no scenario measured"
