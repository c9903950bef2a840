# SPDX-License-Identifier: Apache-2.0
"""The texts of verdicts. Figures come from the comparison; this module decides nothing."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, expm1, log, log1p
from statistics import fmean

from nalm_core.report.counters import OWN_CLOCK, mean_clock
from nalm_core.report.defaults import INSTRUCTION_CHANGE, MIN_LAUNCHES, MIN_PAIRS
from nalm_core.report.event_counts import with_core_cycles
from nalm_core.report.judged_arm import FeatureSplit
from nalm_core.report.outcome import Decided, Outcome
from nalm_core.report.rounds import disturbed_counts, launches_done, mark_costs, pair_launches, random_units
from nalm_core.report.run_report import Arm, Check, RunReport, Source
from nalm_core.stats.changed_code import CodeEstimate
from nalm_core.stats.estimate import RatioEstimate
from nalm_core.stats.sequential import least_for_change, settings_of_each_test
from nalm_core.text.amounts import amount, listed
from nalm_core.text.percents import bracketed_percent, change_percent, margin_percent
from nalm_core.verdict.attribution import Comparison
from nalm_core.verdict.change import Cause, Change, StageChange, cause_of, is_cause_certain
from nalm_core.verdict.code_change import CodeChange, CodeRatio, in_stages
from nalm_core.verdict.instruction_change import InstructionChange
from nalm_core.verdict.metric_change import MetricChange, in_short, largest_first, metric_name, number, said
from nalm_core.verdict.packet_outcomes import OutcomeChange, facts

UNCHANGED = "The code sections and the run definition are the same as base's: there is nothing to measure."
ONLY_MOVED = (
    "The NF loads the same functions and data as base, at other addresses or under other names, and runs as "
    "base does: there is nothing to measure."
)
EQUAL_CODE = "The code sections are the same as base's; the features differ."
NOT_AS_BASE = (
    "The feature set changed and head could not be run with base's features, so its efficiency cannot be "
    "judged; keep base's features buildable in head and measure again."
)
CLOCK_MISSING = "The probe did not measure the core's clock: CPP and eIPC are in TSC cycles"
SHORT_LIMIT = 120
DECIDING_ERRORS = 3.0
"""Approximate distance from the margin, in standard errors, at which a look decides."""
MORE_LAUNCHES = 4
"""Most launches that are advised, as a multiple of the run's launches."""
NAMED_FUNCTIONS = 3
BUSY_SHARE = 0.25
"""Share of disturbed rounds from which a note calls the host busy."""


def percent(ln_ratio: float) -> str:
    """Relative change of a ratio given as its logarithm, signed."""
    return change_percent(expm1(ln_ratio))


def first_line(text: str | None) -> str:
    """A failure's first line, without the log."""
    lines = (text or "").strip().splitlines()
    return lines[0] if lines else "The agent gave no reason."


def short(reason: str) -> str:
    """A reason, cut to the width of a table's cell."""
    return reason if len(reason) <= SHORT_LIMIT else reason[: SHORT_LIMIT - 1].rstrip() + "…"


def failed_checks(failed: Sequence[Check]) -> str:
    """The failed checks with their messages."""
    return "; ".join(f"{check.name}: {check.message}" for check in failed)


def outcomes(changes: Sequence[OutcomeChange]) -> str | None:
    """A sentence about changed outcomes of packets; None if there are none."""
    if not changes:
        return None
    how = (
        "Some of the same packets have other outcomes than in base"
        if all(one.exact for one in changes)
        else "Packets have other outcomes than in base"
    )
    return f"{how}: {facts(changes)}."


def outcomes_in_short(changes: Sequence[OutcomeChange]) -> str:
    """Changed outcomes for a table's cell."""
    first = changes[0]
    return f"{first.stage}: other outcomes" + (f" and {len(changes) - 1} more" if len(changes) > 1 else "")


MOST_SAID = 6
"""Metrics in a sentence; functions alone may be hundreds."""


def worse_metrics(failed: Sequence[MetricChange]) -> str:
    """A sentence about metrics beyond their margin, the first ones of many."""
    named = "; ".join(said(one) for one in failed[:MOST_SAID])
    more = f"; and {len(failed) - MOST_SAID} more" if len(failed) > MOST_SAID else ""
    return f"Worse beyond its margin: {named}{more}."


def lost_metrics(lost: Sequence[MetricChange]) -> str:
    """A sentence about metrics that could be read in base only, with the reasons."""
    named = "; ".join(said(one) for one in lost)
    return f"Nothing is known of what could be read in base only: {named}."


def lost_metrics_in_short(lost: Sequence[MetricChange]) -> str:
    """Metrics that could be read in base only, for a table's cell."""
    return f"{', '.join(metric_name(one) for one in lost)} missing"


def worse_metrics_in_short(failed: Sequence[MetricChange]) -> str:
    """Metrics beyond their margin, the first one's stages with it, for a table's cell."""
    first = failed[0]
    own = [one for one in failed[1:] if one.metric == first.metric and first.stage is None]
    where = f" in {', '.join(one.stage for one in own if one.stage)}" if own else ""
    others = len(failed) - 1 - len(own)
    more = f" and {others} more" if others else ""
    return f"{in_short(first)} regressed{where}{more}"


def worse_functions(failed: Sequence[MetricChange]) -> str:
    """A sentence about C functions beyond their margin by exact counts, which no cycles are needed for."""
    listed = "; ".join(
        f"{_place_of(one)} from {number(one.base)} to {number(one.head)} instructions a packet"
        f" ({_share_of_chain(one)})"
        for one in failed[:NAMED_FUNCTIONS]
    )
    left = len(failed) - NAMED_FUNCTIONS
    more = f"; and {left} more" if left > 0 else ""
    return f"By exact counts, which fail the check whatever the cycles are: {listed}{more}."


def worse_functions_in_short(failed: Sequence[MetricChange]) -> str:
    """The C function that gained most, for a table's cell."""
    first, others = failed[0], len(failed) - 1
    more = f" and {others} more" if others else ""
    return f"{_place_of(first)} {_share_of_chain(first)}{more}, by exact counts"


def _place_of(one: MetricChange) -> str:
    return f"{one.function} in {one.stage}" if one.stage else f"{one.function} outside stages"


def _share_of_chain(one: MetricChange) -> str:
    return f"{change_percent(one.chain_share or 0.0)} of the chain's instructions"


def nothing_measured(figures: Sequence[MetricChange]) -> str:
    """Why a run under load has no figure."""
    return f"No figure could be measured: {'; '.join(said(one) for one in figures)}"


def rates(outcome: Outcome, figures: Sequence[MetricChange]) -> tuple[str, str]:
    """Reason and summary of a run under load."""
    if outcome == Outcome.REGRESSED:
        failed = [one for one in figures if one.outcome == "regressed"]
        failed.sort(key=largest_first)
        return worse_metrics(failed), worse_metrics_in_short(failed)
    if outcome == Outcome.IMPROVED:
        better = [one for one in figures if one.outcome == "improved"]
        better.sort(key=largest_first)
        more = f" and {len(better) - 1} more" if len(better) > 1 else ""
        return f"Better: {'; '.join(said(one) for one in better)}.", f"{in_short(better[0])} improved{more}"
    if outcome == Outcome.SAME:
        return "No figure changed by its margin.", "no figure changed"
    open_ = [one for one in figures if one.outcome in ("inconclusive", "missing")]
    names = ", ".join(metric_name(one) for one in open_)
    return f"Undecided: {'; '.join(said(one) for one in open_)}.", f"undecided: {names}"


def too_few(report: RunReport, arm: Arm) -> str:
    """Why the launches are too few to decide, and what would help."""
    aside, _, rounds = disturbed_counts(report.rounds)
    usable = pair_launches(report, Arm.BASE, arm)
    layouts = len(random_units(report, usable))
    of = f" of {amount(layouts, 'layout')}" if layouts < len(usable) else ""
    text = (
        f"Only {len(usable)} of {launches_done(report)} launches{of} have {MIN_PAIRS} usable pairs of turns, "
        f"at least {MIN_LAUNCHES} {'layouts ' if of else ''}are needed"
    )
    return text + (
        f"; {aside} of {rounds} rounds were disturbed by other programs: free a core and measure again."
        if aside
        else "; measure longer."
    )


def reason(
    outcome: Decided,
    comparison: Comparison,
    blamed: Sequence[StageChange],
    report: RunReport,
    code: CodeEstimate | None = None,
) -> str:
    """The verdict in a sentence. blamed: the stages that bear a change. code: the change of the stages with
    changed code, if that could decide."""
    chain, margin = comparison.chain, report.settings.margin
    if chain.ln_cpp is None or chain.low is None or chain.high is None:
        return "There are not enough launches to compare."
    size = _with_interval(chain.ln_cpp, chain.low, chain.high)
    if outcome == Outcome.SAME:
        return f"Cycles per packet changed by {size}: within the margin of ±{margin_percent(margin)}."
    if outcome == Outcome.INCONCLUSIVE:
        open_ = comparison.estimate if code is None else code.changed
        least = least_for_change(settings_of_each_test(report.settings).alpha)
        if open_ is not None and open_.launches < least and not chain.low <= 1 <= chain.high:
            return (
                f"Cycles per packet changed by {size} in {open_.launches} launches, which can be chance: a "
                f"change can be shown from {least} on; measure longer."
            )
        return (
            f"Cycles per packet changed by {size}: neither a change nor its absence is shown at a margin of "
            f"±{margin_percent(margin)}; {what_would_help(open_, report)}."
        )
    verb = "grew" if outcome == Outcome.REGRESSED else "fell"
    cause = cause_of(chain.ln_cpp, chain.ln_ipp)
    if blamed and blamed[0].cause not in (None, cause):
        return f"Cycles per packet {verb}, {size}: {_because_in(outcome, blamed[0])}."
    return f"Cycles per packet {verb}, {size}: {_because(outcome, chain, cause)}."


def reason_by_code(outcome: Decided, code: CodeChange, blamed: Sequence[StageChange]) -> str:
    """The verdict in a sentence, where the stages with changed code decided. blamed: those that bear it."""
    verb = "grew" if outcome == Outcome.REGRESSED else "fell"
    why = f": {_because_in(outcome, blamed[0])}" if blamed and blamed[0].ln_cpp is not None else ""
    assert code.others is not None  # where every stage shows a change, the chain decides
    return (
        f"Cycles per packet {verb} by changed code {in_stages(code)}, "
        f"{_of_chain(code.changed)}{why}. The other stages execute the same code and show no "
        f"change, {_of_chain(code.others)}."
    )


def code_notes(code: CodeChange | None) -> list[str]:
    """What the stages with changed code show, where they did not decide."""
    if code is None or code.decided:
        return []
    rest = "" if code.others is None else f", and by {_of_chain(code.others)} in the other stages"
    return [
        f"Changed code is executed in {listed(code.stages)} alone. Cycles per packet changed by "
        f"{_of_chain(code.changed)} {in_stages(code)}{rest}."
    ]


def _of_chain(part: CodeRatio) -> str:
    return f"{_with_interval(log(part.ratio), part.low, part.high)} of the chain's"


def _with_interval(ln_cpp: float, low: float, high: float) -> str:
    return f"{percent(ln_cpp)} {bracketed_percent(low - 1, high - 1)}"


def untried_placement(chain: Change, why: str) -> str:
    """The verdict on a change that the placement of code alone may have made."""
    assert chain.ln_cpp is not None and chain.low is not None and chain.high is not None
    size = _with_interval(chain.ln_cpp, chain.low, chain.high)
    return f"Cycles per packet changed by {size}, which the placement of code alone may make: {why}."


def other_stages(outcome: Decided, comparison: Comparison, blamed: Sequence[StageChange]) -> str:
    """A sentence about stages that changed and do not bear the chain's change; empty if there are none.

    A chain that is the same has a note for each.
    """
    if outcome == Outcome.SAME:
        return ""
    named = {one.stage for one in blamed}
    found = [
        f"{one.stage} {percent(one.ln_cpp)} {_by_instructions(one)}"
        for one in comparison.stages
        if one.stage not in named and one.significant and one.relevant and one.ln_cpp is not None
    ]
    return f" Also changed: {'; '.join(found)}." if found else ""


def _by_instructions(stage: StageChange) -> str:
    if stage.ln_ipp is None:
        return "(its instructions were not counted, so the cause is not known)"
    if abs(stage.ln_ipp) < INSTRUCTION_CHANGE:
        return "at equal instructions, which nothing here explains"
    return f"with {percent(stage.ln_ipp)} instructions"


def mark_notes(report: RunReport, arm: Arm) -> list[str]:
    """What the probe's marks cost both arms, where the chain was measured without them."""
    costs = mark_costs(report, Arm.BASE, arm)
    if costs is None:
        return []
    base, head = costs
    return [
        f"The probe's marks cost base {base.cycles:.1f} and head {head.cycles:.1f} cycles per packet. The "
        "chain is measured in turns without them; the figures of stages contain them."
    ]


def what_would_help(estimate: RatioEstimate | None, report: RunReport) -> str:
    """Advice for an undecided run: more time if a tolerable amount suffices, else a quieter host or a wider
    margin. estimate: what could decide."""
    margin = report.settings.margin
    aside, disturbed, rounds = disturbed_counts(report.rounds)
    if aside + disturbed > BUSY_SHARE * rounds:
        return "other programs used part of the cores' time: free the cores and measure again"
    if estimate is None:
        return "measure longer"
    distance = abs(abs(estimate.ln_ratio) - log1p(margin))
    times = (DECIDING_ERRORS * estimate.standard_error / max(distance, 1e-9)) ** 2
    if times <= MORE_LAUNCHES:
        done = launches_done(report)  # an estimate over layouts has fewer
        needed = max(ceil(done * times), done + 1)
        return f"about {needed} launches would decide ([judge] budget_seconds, max_launches)"
    if distance < margin / 4:
        return "the change is about as large as the margin: choose a smaller or a larger margin"
    return "a quieter host or a wider margin would decide"


def same_instructions(outcome: Decided, comparison: Comparison, changes: Sequence[InstructionChange]) -> str:
    """What exact counts say where cycles are not decided and no stage's instructions changed; else empty."""
    if outcome != Outcome.INCONCLUSIVE or changes or comparison.chain.ln_ipp is None:
        return ""
    return " No stage's instructions changed, by exact counts: only their execution or the kernel can differ."


def instructions_too(outcome: Decided, changes: Sequence[InstructionChange]) -> str:
    """The text about changed instructions that are not the cause of a verdict on cycles."""
    if outcome not in (Outcome.SAME, Outcome.INCONCLUSIVE) or not changes:
        return ""
    first = changes[0]
    size = "added or removed" if first.ln_ipp is None else f"{percent(first.ln_ipp)} instructions"
    return f"; {first.stage}: {size}"


def _because_in(outcome: Decided, stage: StageChange) -> str:
    return f"{_because(outcome, stage, stage.cause)} in {stage.stage}"


def _because(outcome: Decided, chain: Change, cause: Cause | None) -> str:
    if chain.ln_ipp is None or chain.ln_eipc is None:
        return "instructions were not counted, so the cause is not known"
    ipp, eipc = percent(chain.ln_ipp), percent(chain.ln_eipc)
    if not is_cause_certain(chain, cause):
        return (
            f"instructions {ipp}, eIPC {eipc}; the interval does not show which of them has the larger share"
        )
    if outcome == Outcome.REGRESSED and chain.ln_ipp < -INSTRUCTION_CHANGE:
        return f"fewer instructions ({ipp}), yet slower: worse pipeline use"
    if outcome == Outcome.IMPROVED and chain.ln_ipp > INSTRUCTION_CHANGE:
        return f"more instructions ({ipp}), yet faster: better pipeline use"
    if cause == "instructions":
        word = "more" if outcome == Outcome.REGRESSED else "fewer"
        return f"{word} instructions per packet ({ipp})"
    word = "worse" if outcome == Outcome.REGRESSED else "better"
    return f"{word} pipeline use (eIPC {eipc}, instructions {ipp})"


def summary(
    outcome: Decided,
    comparison: Comparison,
    blamed: Sequence[StageChange],
    cause: Cause | None,
    margin: float,
) -> str:
    """Who pays, how much, why; e.g. `nat: +12.1 % cycles, instructions (+14.0 % IPP)`."""
    chain = comparison.chain
    if chain.ln_cpp is None:
        return "not compared"
    if outcome == Outcome.SAME:
        return f"{percent(chain.ln_cpp)} cycles, within ±{margin_percent(margin)}"
    if outcome == Outcome.INCONCLUSIVE:
        return f"{percent(chain.ln_cpp)} cycles, not decided"
    what, where = (chain, "chain") if not blamed else (blamed[0], blamed[0].stage)
    if what.ln_cpp is None:
        assert isinstance(what, StageChange)  # the chain has one
        how = f"none in {what.zero_arm}" if what.zero_arm else what.kind
        return f"{where}: {what.contribution_cycles or 0.0:+.1f} cycles/packet ({how})"
    text = f"{where}: {percent(what.ln_cpp)} cycles"
    if cause == "instructions" and what.ln_ipp is not None:
        text += f", instructions ({percent(what.ln_ipp)} IPP)"
    elif cause == "pipeline" and what.ln_eipc is not None:
        text += f", pipeline use ({percent(what.ln_eipc)} eIPC)"
    else:
        text += ", cause unknown (instructions not counted)"
    return text


SMALL = "significant, too small to matter for the chain"
UNCORRECTED = "not significant after correction"
PLACED = "no instruction changed: placement, or what other stages leave in the caches"
_ROLES = {"added": "new stage", "removed": "stage removed"}
_CAUSES = {"instructions": "instructions", "pipeline": "pipeline use"}


def stage_notes(stages: Sequence[StageChange], culprits: Sequence[str]) -> dict[str, str]:
    """The text for each stage: its part in the change, or the result of its test."""
    tested = sum(one.p_value is not None for one in stages)
    return {one.stage: _stage_note(one, one.stage in culprits, tested) for one in stages}


def _stage_note(stage: StageChange, pays: bool, tested: int) -> str:
    if stage.kind != "common":
        return _ROLES[stage.kind]
    by = f", by {_CAUSES[stage.cause]}" if stage.cause else ""
    if pays:
        return ("slower" if (stage.contribution_cycles or 0.0) > 0 else "faster") + by
    if stage.p_value is None:
        return "not tested"
    if stage.significant and stage.relevant:
        return f"significant{by}"
    return _small_note(stage, tested)


def _small_note(stage: StageChange, tested: int) -> str:
    """Of a stage that does not matter for the chain."""
    if not stage.significant and not _leaves_out_zero(stage):
        return "no significant change"
    if _instructions_are_the_same(stage):
        return PLACED
    return SMALL if stage.significant else f"{UNCORRECTED} for {tested} stages"


def _instructions_are_the_same(change: Change) -> bool:
    return change.ln_ipp is not None and abs(change.ln_ipp) < INSTRUCTION_CHANGE


def _leaves_out_zero(change: Change) -> bool:
    return change.low is not None and change.high is not None and not change.low <= 1 <= change.high


def interval_note(chain: Change | None, stages: Sequence[StageChange]) -> str | None:
    """Explains the levels of the shown intervals if they differ."""
    levels = {one.level for one in stages if one.level is not None}
    if chain is None or chain.level is None or not levels or levels == {chain.level}:
        return None
    of_stages = " and ".join(_level(one) for one in sorted(levels))
    return (
        f"The chain's interval is at {_level(chain.level)}, the level of the test that decided. The stages' "
        f"intervals are at {of_stages}, before correction for their number."
    )


def _level(level: float) -> str:
    return f"{100 * level:.4g} %"


def notes(
    outcome: Decided, comparison: Comparison, changes: Sequence[InstructionChange], report: RunReport
) -> list[str]:
    """Notes that do not change the outcome."""
    found = []
    chain = comparison.chain
    if chain.ln_ipp is None:
        why = report.sources.get(Source.SIMULATED)
        text = "Instructions were not counted for both arms: IPP, eIPC and the cause are missing"
        found.append(f"{text}; {why}." if why else f"{text}.")
    elif outcome == Outcome.SAME and changes:
        named = ", ".join(_named(change) for change in changes)
        found.append(
            f"Instructions per packet changed by {percent(chain.ln_ipp)} ({named}); cycles stayed within the "
            "margin, which decides the outcome."
        )
    if outcome == Outcome.SAME:
        found += [
            f"Stage {stage.stage} changed by {percent(stage.ln_cpp)}; the chain as a whole did not."
            for stage in comparison.stages
            if stage.significant and stage.relevant and stage.ln_cpp is not None
        ]
    aside, disturbed, rounds = disturbed_counts(report.rounds)
    if aside:
        found.append(f"{aside} of {rounds} rounds were set aside.")
    if disturbed > BUSY_SHARE * rounds:
        found.append(
            f"In {disturbed} of {rounds} rounds other programs used part of the core's time; the figures are "
            "scaled and less exact than on a free core."
        )
    return found + _core_clock(chain, report)


def _core_clock(chain: Change, report: RunReport) -> list[str]:
    """That the cycles above are the TSC's, with what they are of the core's, if the two differ."""
    clock, counted = mean_clock(report.rounds, Arm.HEAD), _counted_core_cycles(report)
    if clock is None:
        if counted is None:
            return [f"{CLOCK_MISSING}, and those in core cycles are missing."]
        return [f"{CLOCK_MISSING}. {counted}"]
    if abs(clock - 1) <= OWN_CLOCK or chain.head is None:
        return []
    text = (
        f"The cores ran at {clock:.3f} of the TSC's rate, by the probe's chain of additions. CPP and eIPC "
        f"are in TSC cycles; in core cycles head has CPP {chain.head.cpp * clock:.1f}"
    )
    if chain.head.eipc is not None:
        text += f" and eIPC {chain.head.eipc / clock:.3f}"
    return [f"{text}." if counted is None else f"{text}. {counted}"]


def _counted_core_cycles(report: RunReport) -> str | None:
    """What the PMU counted of head's core cycles; None if it did not count them."""
    info = report.arms.get(Arm.HEAD)
    if info is None:
        return None
    found = with_core_cycles(report.event_counts, Arm.HEAD, info.apart_stages(), None)
    cycles = [one.cpp for one in found if one.cpp is not None]
    if not cycles:
        return None
    text = f"The PMU counted {fmean(cycles):.1f} core cycles per packet of head in user space"
    per_cycle = [one.eipc for one in found if one.eipc is not None]
    return f"{text}, eIPC {fmean(per_cycle):.3f}." if len(per_cycle) == len(cycles) else f"{text}."


def _named(change: InstructionChange) -> str:
    size = "added or removed" if change.ln_ipp is None else percent(change.ln_ipp)
    where = f" in {change.functions[0].name}" if change.functions else ""
    return f"{change.stage} {size}{where}"


def price_text(added: Sequence[str], removed: Sequence[str], split: FeatureSplit | None) -> str:
    """The feature change with its price: `+dpi: +512.0 [+508.1, +515.9] cycles/packet`."""
    names = " ".join([f"+{name}" for name in added] + [f"-{name}" for name in removed])
    if split is None:
        return f"{names}: price not measured"
    low, high = split.features_low, split.features_high
    interval = "" if low is None or high is None else f" [{low:+.1f}, {high:+.1f}]"
    return f"{names}: {split.features_cycles:+.1f}{interval} cycles/packet"
