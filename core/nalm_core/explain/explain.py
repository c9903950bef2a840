# SPDX-License-Identifier: Apache-2.0
"""explain(report, verdict): a pure function, so that agent and server agree."""

from __future__ import annotations

from nalm_core.explain import saying
from nalm_core.explain.added_cost import AddedCost, added_cost
from nalm_core.explain.case import Case, case_of
from nalm_core.explain.collect import collect
from nalm_core.explain.disagreement import disagreements
from nalm_core.explain.function_alone import function_alone
from nalm_core.explain.instruction_detail import BATCHES, batches_shrank, instruction_detail
from nalm_core.explain.limits import EVIDENCE_CHANGE
from nalm_core.explain.line_shift import line_shift
from nalm_core.explain.miss_price import BY_BRANCHES, Priced, latencies
from nalm_core.explain.missing import what_would_tell
from nalm_core.explain.model import Detail, Evidence, Explanation, Possible, Share
from nalm_core.explain.pipeline_detail import (
    Slow,
    Weighed,
    able_events,
    pages_shrank,
    pipeline_detail,
    slow_instructions,
    weigh,
)
from nalm_core.explain.rules import advise
from nalm_core.explain.signature import Signature
from nalm_core.explain.slow_kinds import SLOW
from nalm_core.report.defaults import MODEL_CHANGE
from nalm_core.report.run_report import RunReport
from nalm_core.verdict.change import is_cause_certain
from nalm_core.verdict.pairing import Pairs
from nalm_core.verdict.verdict import Verdict


def explain(report: RunReport, verdict: Verdict, pairs: Pairs | None = None) -> Explanation:
    """Why cycles changed, or which functions fail the check by themselves; otherwise only a sentence.

    pairs: of the report's arms, if some are made already. Raises nothing on any report that was judged.
    """
    case = case_of(report, verdict, pairs)
    if case is None and (alone := function_alone(report, verdict)) is not None:
        return alone
    if case is None:
        return Explanation(text=saying.NOTHING if report.rates is None else saying.RATES)
    found = collect(case)
    line = line_shift(case)
    slow = slow_instructions(case)
    unsure = slow is None and _may_be_instructions(case)
    weighed = weigh(case, found, is_pipeline=not unsure, at_one_place=line is not None and line.is_one_place)
    detail = _detail(case, found, weighed.named, slow)
    apart = disagreements(case, found, detail)
    named = weighed.named
    is_named = named is not None and named.detail == detail
    share = _share(case, named, case.pipeline_cycles) if named and is_named else None
    possible = _possible(case, found, weighed) if detail in ("unknown", "memory_layout") else []
    if unsure:
        possible = [Possible(detail=instruction_detail(case, found), share=None), *possible]
    added = None if slow is not None or detail in BATCHES else added_cost(case)
    if added is not None:
        apart = [*apart, added.text()]
        possible = _behind(case, found, added)
    file, number = case.who.place if case.who else (None, None)
    return Explanation(
        stage=case.stage,
        function=case.who.name if case.who else None,
        file=file,
        line=number,
        named_by=case.who.named_by if case.who else None,
        cause="pipeline" if detail in SLOW else case.cause,
        detail=detail,
        share=share,
        possible=possible,
        disagreements=apart,
        text=saying.sentence(
            case,
            detail,
            share,
            possible,
            slow=slow.names if slow else None,
            line=line.text() if line else None,
            disagreements=apart,
        ),
        evidence=[one for one in found if _is_evidence(one)],
        advice=advise(case, found, detail) if case.sign > 0 else [],
        missing=what_would_tell(case, found, detail),
    )


def _detail(case: Case, found: Signature, named: Priced | None, slow: Slow | None) -> Detail:
    if batches_shrank(case, found):
        return "smaller_batches" if case.sign > 0 else "larger_batches"
    if case.cause == "instructions" and slow is None:
        return instruction_detail(case, found)
    return pipeline_detail(case, found, named, slow)


def _may_be_instructions(case: Case) -> bool:
    """True if pipeline use is the likelier cause, and the interval does not rule out that instructions, which
    moved alike, have the larger share."""
    change = case.change
    if case.cause != "pipeline" or change is None or is_cause_certain(change, case.cause):
        return False
    return change.ln_ipp is not None and case.sign * change.ln_ipp > 0


def _possible(case: Case, found: Signature, weighed: Weighed) -> list[Possible]:
    """Possible causes: events with imprecise prices, and smaller pages if TLB misses were not counted; on
    several lcores lines that they share, which no counter here shows."""
    of = case.pipeline_cycles
    possible = [Possible(detail=one.detail, share=_share(case, one, of)) for one in weighed.possible]
    counted = "dtlb_misses_per_packet" in found
    if case.cause != "instructions" and not counted and pages_shrank(case, found):
        possible.append(Possible(detail="tlb", share=None))
    if case.cause == "pipeline" and case.report.scenario.lcores > 1:
        possible.append(Possible(detail="sharing", share=None))
    return possible


def _behind(case: Case, found: Signature, added: AddedCost) -> list[Possible]:
    """Why added instructions may take that long: events that could account for it, and else that they wait
    for each other."""
    able = able_events(case, found, added.excess)
    possible = [Possible(detail=one.detail, share=_share(case, one, added.excess)) for one in able]
    if not any(one.low >= added.excess for one in able):
        possible.append(Possible(detail="dependencies", share=None))
    return possible


def _share(case: Case, named: Priced, of: float) -> Share | None:
    """The part of so many cycles per packet for which the named events can account."""
    if of <= 0:
        return None
    low, high = sorted((named.low, named.high))
    whose = BY_BRANCHES if named.detail == "branches" else latencies(case.report.host)[1]
    return Share(low=low, high=high, of=of, priced_with=whose)


def _is_evidence(one: Evidence) -> bool:
    """True for a quantity that changed or is new."""
    if one.before is None or one.after is None:
        return True
    if one.name.endswith("_misses_per_packet"):
        return abs(one.after - one.before) >= MODEL_CHANGE
    return abs(one.after - one.before) > EVIDENCE_CHANGE * abs(one.before)
