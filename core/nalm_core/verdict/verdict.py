# SPDX-License-Identifier: Apache-2.0
"""The verdict on a run: a pure function of its report, so that agent and server agree.

It decides in order: could the run be measured, are its figures consistent, is there anything to judge; then:
are cycles the same, improved or regressed, which stages pay, and do instructions or pipeline use explain it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import Field

from nalm_core.functions.model import FunctionJudgement
from nalm_core.report.defaults import STAGE_FALSE_DISCOVERY_RATE
from nalm_core.report.judged_arm import FeatureSplit, equal_code, feature_change, judged_arm
from nalm_core.report.outcome import CHANGED, FAILED, WORST_FIRST, Decided, Outcome
from nalm_core.report.rounds import launches_done
from nalm_core.report.run_report import Arm, Model, RunReport, RunStatus, Settings
from nalm_core.stats.changed_code import CodeEstimate, code_estimate
from nalm_core.stats.sequential import decide_by, look_for, same_spent_at, settings_of_each_test, spent_at
from nalm_core.verdict import wording
from nalm_core.verdict.at_load import AtLoad, at_load, sentence
from nalm_core.verdict.attribution import Comparison, Rates, compare_arms, culprits
from nalm_core.verdict.change import Cause, Change, StageChange, cause_of
from nalm_core.verdict.checks import BREAKING
from nalm_core.verdict.code_change import CodeChange, code_change
from nalm_core.verdict.feature_price import feature_split, feature_stages, in_pass_order
from nalm_core.verdict.function_change import alarms, changed, function_judgements, margins
from nalm_core.verdict.instruction_change import InstructionChange, instruction_changes
from nalm_core.verdict.metric_change import MetricChange, failing, metric_changes
from nalm_core.verdict.modelled_change import ModelChange, model_changes
from nalm_core.verdict.packet_outcomes import OutcomeChange
from nalm_core.verdict.pairing import Pairs
from nalm_core.verdict.placement import may_be_placement, placement_note, untried
from nalm_core.verdict.profile_change import FunctionShift, function_shifts


class ChangeSize(NamedTuple):
    """head / base of the chain's CPP, with its interval."""

    ratio: float
    low: float | None
    high: float | None
    level: float | None
    """Confidence level of low and high."""


class Verdict(Model):
    outcome: Outcome
    reason: str
    """The reason in one sentence."""
    summary: str
    """A few words: the stage that pays, how much, and why."""
    scenario: str
    margin: float | None = None
    """Relative change of the chain's cycles that matters; None under load, and in older verdicts."""
    features_added: list[str] = Field(default_factory=list)
    features_removed: list[str] = Field(default_factory=list)
    price_cycles_per_packet: float | None = None
    """Cost of the feature change per packet; None without a feature change, or if it was not measured."""
    feature_split: FeatureSplit | None = None
    judged_arm: Arm | None = None
    """The arm that was compared with base for the outcome; None if there was nothing to judge."""
    chain: Change | None = None
    """Change from base to the judged arm, or to head if only a price was measured."""
    code: CodeChange | None = None
    """Its part in the stages that execute changed code; None if these are unknown, or at a coarse margin."""
    stages: list[StageChange] = Field(default_factory=list)
    """All stages in pass order."""
    culprit_stages: list[str] = Field(default_factory=list)
    """Stages with the change, the costliest first: where the time goes, not where the commit edited."""
    cause: Cause | None = None
    instruction_changes: list[InstructionChange] = Field(default_factory=list)
    """Exact changes of the judged arm, whether or not cycles changed; largest first."""
    functions: list[FunctionShift] | None = None
    """C functions that pay, by samples, largest change first; None if they were not sampled."""
    function_changes: list[FunctionJudgement] = Field(default_factory=list)
    """C functions that are not the same, by exact counts or by samples; largest share of the chain first."""
    functions_judged: int = 0
    """Number of C functions that were judged."""
    model_changes: list[ModelChange] = Field(default_factory=list)
    """Modelled cache and branch misses per packet of the stages that pay."""
    outcome_changes: list[OutcomeChange] = Field(default_factory=list)
    """Outcomes of packets that differ from base's; lost packets first."""
    at_load: AtLoad | None = None
    """CUR, batches and cycles per poll at a partial load; None in a closed loop."""
    metrics: list[MetricChange] = Field(default_factory=list)
    """Metrics beside those of packets and cycles, each with an outcome of its own."""
    notes: list[str] = Field(default_factory=list)
    """Further notes."""

    @property
    def by_code(self) -> bool:
        """Whether the stages with changed code decided the outcome, and not the whole chain."""
        return self.code is not None and self.code.decided

    @property
    def size(self) -> ChangeSize | None:
        """The chain's change that the outcome rests on: by changed code alone, if that decided. None: it was
        not compared."""
        if self.code is not None and self.code.decided:
            part = self.code.changed
            return ChangeSize(part.ratio, part.low, part.high, part.level)
        chain = self.chain
        if chain is None or chain.ratio_cpp is None:
            return None
        return ChangeSize(chain.ratio_cpp, chain.low, chain.high, chain.level)

    @property
    def worst(self) -> Outcome:
        """The outcome of the check: the run's own, or a worse one of the metrics that gate."""
        found = [self.outcome]
        found += [Outcome.REGRESSED] if self.failing_metrics else []
        found += [Outcome.INCONCLUSIVE] if self.lost_metrics else []
        return min(found, key=WORST_FIRST.index)

    @property
    def failing_metrics(self) -> list[MetricChange]:
        """Metrics that fail the check, whatever the outcome of the run; the largest change first."""
        return failing(self.metrics)

    @property
    def lost_metrics(self) -> list[MetricChange]:
        """Metrics that gate and could be read in base, but not in head: nothing is known of them."""
        return [one for one in self.metrics if one.lost]


def judge(report: RunReport, pairs: Pairs | None = None) -> Verdict:
    """The verdict on a run report, whatever its status. pairs: of its arms, for other callers, too."""
    features = feature_change(report)

    def plain(outcome: Outcome, reason: str) -> Verdict:
        return Verdict(
            outcome=outcome,
            reason=reason,
            summary=wording.short(reason),
            scenario=report.scenario.name,
            margin=None if report.rates is not None else report.settings.margin,
            features_added=features.added,
            features_removed=features.removed,
        )

    if report.status is RunStatus.UNCHANGED:
        return plain(Outcome.SAME, wording.UNCHANGED if equal_code(report) else wording.ONLY_MOVED)
    if report.status is RunStatus.BROKEN:
        return plain(Outcome.BROKEN, wording.first_line(report.failure))
    if report.status is RunStatus.FAILED:
        return plain(Outcome.INVALID, wording.first_line(report.failure))
    if report.rates is not None:
        return _judge_rates(report, plain)
    pairs = pairs or Pairs(report)
    judged = _with_outcomes(_judge_measured(pairs, plain), pairs.outcome_changes)
    return _with_metrics(judged, report)


def _judge_rates(report: RunReport, plain: Callable[[Outcome, str], Verdict]) -> Verdict:
    """Two builds under load: the worst outcome of the figures that gate."""
    failed = [check for check in report.checks if not check.passed]
    if failed:
        return plain(Outcome.INVALID, wording.failed_checks(failed))
    changes = metric_changes(report)
    gating = [one for one in changes if one.gates]
    measured = [one for one in gating if one.outcome != "missing"]
    if not measured:
        verdict = plain(Outcome.INVALID, wording.nothing_measured(gating))
        return verdict.model_copy(update={"metrics": changes})
    outcomes = [Outcome.INCONCLUSIVE if one.outcome == "missing" else Outcome(one.outcome) for one in gating]
    outcome = min(outcomes, key=WORST_FIRST.index)
    reason, summary = wording.rates(outcome, gating)
    paying = dict.fromkeys(one.stage for one in changes if one.stage is not None and one.outcome == outcome)
    return plain(outcome, reason).model_copy(
        update={
            "summary": summary,
            "judged_arm": Arm.HEAD,
            "metrics": changes,
            "culprit_stages": list(paying),
        }
    )


def _with_metrics(verdict: Verdict, report: RunReport) -> Verdict:
    """The verdict with the metrics beside packets and cycles; a failed run has none."""
    if verdict.outcome in FAILED:
        return verdict
    own = metric_changes(report) if report.own_metrics or report.thresholds else []
    changes = [*_functions_beside(verdict, report), *own]
    failed = failing(changes)
    functions = [one for one in failed if one.function is not None]
    others = [one for one in failed if one.function is None]
    reason, summary = verdict.reason, verdict.summary
    if functions:
        reason = f"{wording.worse_functions(functions)} {reason}"
        summary = f"{wording.worse_functions_in_short(functions)}; {summary}"
    if others:
        reason = f"{reason} {wording.worse_metrics(others)}"
        summary = f"{summary}; {wording.worse_metrics_in_short(others)}"
    found = verdict.model_copy(update={"metrics": changes})
    if lost := [one for one in own if one.lost]:
        sentence = wording.lost_metrics(lost)
        decides = verdict.outcome != Outcome.INCONCLUSIVE == found.worst
        reason = f"{sentence} {reason}" if decides else f"{reason} {sentence}"
        summary = f"{summary}; {wording.lost_metrics_in_short(lost)}"
    return found.model_copy(update={"reason": reason, "summary": summary})


def _functions_beside(verdict: Verdict, report: RunReport) -> list[MetricChange]:
    """C functions that fail the check by themselves: of a run whose cycles decide nothing against it."""
    if verdict.outcome not in (Outcome.SAME, Outcome.INCONCLUSIVE):
        return []
    return alarms(verdict.function_changes, margins(report))


def _with_outcomes(verdict: Verdict, changes: list[OutcomeChange]) -> Verdict:
    """The verdict with changed outcomes of packets that are not lost."""
    said = wording.outcomes(changes) if verdict.outcome not in FAILED else None
    if said is None:
        return verdict.model_copy(update={"outcome_changes": changes})
    return verdict.model_copy(
        update={
            "outcome_changes": changes,
            "reason": f"{verdict.reason} {said}",
            "summary": f"{verdict.summary}; {wording.outcomes_in_short(changes)}",
        }
    )


def _judge_measured(pairs: Pairs, plain: Callable[[Outcome, str], Verdict]) -> Verdict:
    features = feature_change(pairs.report)
    failed = [check for check in pairs.checks if not check.passed]
    if failed:
        outcome: Outcome = (
            Outcome.BROKEN if any(check.name in BREAKING for check in failed) else Outcome.INVALID
        )
        return plain(outcome, wording.failed_checks(failed))
    if features:
        return _judge_features(pairs, plain(Outcome.INCONCLUSIVE, ""))
    return _judge_pair(pairs, plain(Outcome.INCONCLUSIVE, ""), Arm.HEAD)


@dataclass(frozen=True, slots=True)
class _Found:
    """What the look of the finished launches shows."""

    outcome: Decided
    comparison: Comparison
    code: CodeEstimate | None
    look: int
    by_code: bool
    """True: the stages with changed code decided, and not the whole chain."""

    def code_change(self, settings: Settings) -> CodeChange | None:
        if self.code is None:
            return None
        return code_change(self.code, settings, self.look, decided=self.by_code)


def _compare(pairs: Pairs, arm: Arm) -> _Found | None:
    """Base against an arm with the same features, at the look of the finished launches. None: too few."""
    report, pair = pairs.report, pairs.of(Arm.BASE, arm)
    if pair is None:
        return None
    settings, look = report.settings, look_for(launches_done(report), report.settings)
    comparison = compare_arms(*pair, _rates(settings_of_each_test(settings), look))
    code = code_estimate(report, pairs.units(Arm.BASE, Arm.HEAD)) if arm is Arm.HEAD else None
    outcome, deciding = decide_by(comparison.estimate, lambda: code, settings, look)
    if outcome == Outcome.SAME:
        # shown is the interval that decided, and that is the one of the equivalence test
        comparison = compare_arms(*pair, _rates(settings, look, 2 * same_spent_at(settings, look)))
    if comparison.estimate is None:
        return None
    return _Found(outcome or Outcome.INCONCLUSIVE, comparison, code, look, deciding is not None)


def _rates(settings: Settings, look: int, error_rate: float | None = None) -> Rates:
    spent = spent_at(settings.alpha, settings, look)
    return Rates(error_rate or spent, STAGE_FALSE_DISCOVERY_RATE, settings.margin)


def _judge_pair(pairs: Pairs, verdict: Verdict, arm: Arm) -> Verdict:
    """Base against an arm with the same features."""
    report, found = pairs.report, _compare(pairs, arm)
    changes = instruction_changes(report, arm)
    if found is None:
        reason = wording.too_few(report, arm)
        update = {"reason": reason, "summary": wording.short(reason), "instruction_changes": changes}
        return verdict.model_copy(update=update | _judged_functions(report, arm, None))
    outcome, comparison = found.outcome, found.comparison
    code = found.code_change(report.settings)
    placed = outcome in CHANGED and may_be_placement(report)
    if placed:
        outcome = Outcome.INCONCLUSIVE
    loaded = at_load(report, arm)
    at = "" if loaded is None else f" {sentence(loaded)}"
    deciding = code.stages if code is not None and code.decided else None
    blamed = culprits(comparison, outcome, deciding) if outcome in CHANGED else []
    cause = None
    if outcome in CHANGED:
        chain = comparison.chain
        cause = (blamed[0].cause if blamed else None) or cause_of(chain.ln_cpp, chain.ln_ipp)
    return verdict.model_copy(
        update={
            "outcome": outcome,
            "reason": (
                wording.untried_placement(comparison.chain, untried(report, pairs.launches(Arm.BASE, arm)))
                if placed
                else wording.reason_by_code(outcome, code, blamed)
                if code is not None and code.decided
                else wording.reason(outcome, comparison, blamed, report, found.code)
            )
            + wording.same_instructions(outcome, comparison, changes)
            + wording.other_stages(outcome, comparison, blamed)
            + at,
            "at_load": loaded,
            "summary": wording.summary(outcome, comparison, blamed, cause, report.settings.margin)
            + wording.instructions_too(outcome, changes),
            "judged_arm": arm,
            "chain": comparison.chain,
            "code": code,
            "stages": comparison.stages,
            "culprit_stages": [stage.stage for stage in blamed],
            "cause": cause,
            "instruction_changes": changes,
            "functions": _functions(report, arm, comparison),
            **_judged_functions(report, arm, comparison.chain),
            "model_changes": model_changes(report, arm, [stage.stage for stage in blamed]),
            "notes": [
                *wording.notes(outcome, comparison, changes, report),
                *wording.code_notes(code),
                *wording.mark_notes(report, arm),
                *([note] if (note := placement_note(report, pairs.launches(Arm.BASE, arm))) else []),
            ],
        }
    )


def _judged_functions(report: RunReport, arm: Arm, chain: Change | None) -> dict[str, object]:
    judged = function_judgements(report, arm, chain)
    return {"function_changes": changed(judged), "functions_judged": len(judged)}


def _functions(report: RunReport, arm: Arm, comparison: Comparison) -> list[FunctionShift] | None:
    base, head = comparison.chain.base, comparison.chain.head
    return function_shifts(report, arm, base.cpp, head.cpp) if base and head else None


def _judge_features(pairs: Pairs, verdict: Verdict) -> Verdict:
    """Judges efficiency with base's features. The cost of added features is a price, never a regression."""
    report = pairs.report
    if judged_arm(report) is None:
        return _price_in_equal_code(pairs, verdict) if equal_code(report) else _not_comparable(pairs, verdict)
    judged = _judge_pair(pairs, verdict, Arm.HEAD_AS_BASE)
    pair = pairs.of(Arm.HEAD_AS_BASE, Arm.HEAD)
    if pair is None or judged.chain is None or judged.chain.head is None:
        return judged
    price = compare_arms(*pair, _rates(report.settings, look_for(launches_done(report), report.settings)))
    stages = [*judged.stages, *feature_stages(price, judged.chain.head.cpp)]
    return _priced(judged, feature_split(judged.chain, price.chain), in_pass_order(report, stages))


def _price_in_equal_code(pairs: Pairs, verdict: Verdict) -> Verdict:
    """The price in equal code: the features cause the whole change in cycles."""
    same = verdict.model_copy(
        update={"outcome": Outcome.SAME, "reason": wording.EQUAL_CODE, "summary": "same code"}
    )
    pair = pairs.of(Arm.BASE, Arm.HEAD)
    if pair is None:
        return _priced(same, None, [])
    comparison = compare_arms(*pair, _rates(pairs.report.settings, 1))
    priced = _priced(same, feature_split(None, comparison.chain), comparison.stages)
    return priced.model_copy(update={"chain": comparison.chain})


def _not_comparable(pairs: Pairs, verdict: Verdict) -> Verdict:
    pair = pairs.of(Arm.BASE, Arm.HEAD)
    chain = compare_arms(*pair, _rates(pairs.report.settings, 1)).chain if pair else None
    return verdict.model_copy(
        update={"reason": wording.NOT_AS_BASE, "summary": wording.short(wording.NOT_AS_BASE), "chain": chain}
    )


def _priced(verdict: Verdict, split: FeatureSplit | None, stages: list[StageChange]) -> Verdict:
    price = None if split is None else split.features_cycles
    text = wording.price_text(verdict.features_added, verdict.features_removed, split)
    return verdict.model_copy(
        update={
            "price_cycles_per_packet": price,
            "feature_split": split,
            "stages": stages,
            "reason": f"{verdict.reason} Features {text}.",
            "summary": f"{text}; otherwise {verdict.summary}",
        }
    )
