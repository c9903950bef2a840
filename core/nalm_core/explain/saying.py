# SPDX-License-Identifier: Apache-2.0
"""The text of an explanation. It states where time goes and what grew, never which edit is at fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nalm_core.explain.case import Case
from nalm_core.explain.instruction_detail import COUNTED
from nalm_core.explain.model import Detail, Evidence, Possible, Share
from nalm_core.explain.quantities import QUANTITIES
from nalm_core.explain.slow_kinds import SLOW
from nalm_core.text.percents import share_percent
from nalm_core.verdict.change import Cause, is_cause_certain

NOTHING = "There is no change of cycles to explain."
RATES = (
    "A run of rates counts no instructions and samples no functions. The metrics that changed name their "
    "stages; a run of cycles at this load shows functions and lines."
)
WHOLE_FROM = 0.995
"""Part of a change from which a percentage would be 100."""
_DETAILS: Mapping[Detail, str] = {
    "more_instructions": "more instructions each time it runs",
    "more_calls": "it is called more often for a packet",
    "more_visits": "more packets visit the stage",
    "new_function": "a function runs that did not run before",
    "inlining_lost": "a function that seems to have been part of its caller now runs on its own",
    "smaller_batches": "fewer packets are processed at once",
    "cache": "more data misses the caches",
    "instruction_cache": "more code misses the instruction cache",
    "tlb": "more addresses miss the TLB",
    "branches": "more branches are mispredicted",
    "waiting": "more time in locks, atomics or rings, where lcores wait for each other",
    "serialising": "more time at instructions that wait for earlier ones",
    "atomics": "more time at atomic instructions, which wait for all earlier memory accesses",
    "division": "more time at divisions or square roots, which take many cycles each",
    "store_forwarding": "more time at loads that read beyond a recent narrower store and wait for it",
    "sharing": "lcores write to lines that others use",
    "dependencies": "instructions wait for each other's results",
    "memory_layout": "launches differ far more than before: the cost depends on the layout of memory",
    "unknown": "the counted events do not show why",
    "fewer_instructions": "fewer instructions each time it runs",
    "fewer_calls": "it is called less often for a packet",
    "fewer_visits": "fewer packets visit the stage",
    "function_gone": "a function no longer runs",
    "inlined": "a function has become part of its caller",
    "larger_batches": "more packets are processed at once",
}
_FEWER: Mapping[Detail, str] = {
    "cache": "less data misses the caches",
    "instruction_cache": "less code misses the instruction cache",
    "tlb": "fewer addresses miss the TLB",
    "branches": "fewer branches are mispredicted",
    "waiting": "less time in locks, atomics or rings, where lcores wait for each other",
    "serialising": "less time at instructions that wait for earlier ones",
    "atomics": "less time at atomic instructions, which wait for all earlier memory accesses",
    "division": "less time at divisions or square roots, which take many cycles each",
    "store_forwarding": "less time at loads that read beyond a recent narrower store and wait for it",
    "sharing": "lcores write less to lines that others use",
    "dependencies": "instructions wait less for each other's results",
    "memory_layout": "launches differ far less than before: the cost depended on the layout of memory",
}
_BY = {
    "samples": "most of its change, by samples, is in",
    "instructions": "its instructions changed most in",
    "calls": "its calls changed most for",
}

_CAUSES: Mapping[Cause | None, str] = {
    "instructions": "Instructions",
    "pipeline": "Pipeline use",
    None: "Cause not counted",
}


def sentence(
    case: Case,
    detail: Detail,
    share: Share | None,
    possible: Sequence[Possible] = (),
    *,
    slow: str | None = None,
    line: str | None = None,
    disagreements: Sequence[str] = (),
) -> str:
    """Who pays, why, and how much the counted events can account for.

    slow: slow instructions with samples. line: the source line with most of the change. disagreements:
    between samples, counts and model.
    """
    where = f"Time {'goes into' if case.sign > 0 else 'was saved in'} {case.stage or 'the chain as a whole'}"
    if case.who is not None:
        where += f"; {_BY[case.who.named_by]} {case.who.name}{_at(*case.who.place)}"
    why = _why(case, detail) + (f": {slow}" if detail in SLOW and slow else "")
    more = [f"{line}."] if line else []
    if possible:
        listed = "; ".join(f"{_why(case, one.detail)}{_range(one)}" for one in possible)
        more.append(f"Possible causes, not distinguished: {listed}.")
    return " ".join([f"{where}. {_cause(case, detail)}: {why}{_of(share)}.", *more, *disagreements])


def _why(case: Case, detail: Detail) -> str:
    return _FEWER.get(detail, _DETAILS[detail]) if case.sign < 0 else _DETAILS[detail]


def _cause(case: Case, detail: Detail) -> str:
    """The cause of the change, as far as its interval determines it."""
    if detail in SLOW:
        return _CAUSES["pipeline"]
    if case.cause is not None and case.change is not None and not is_cause_certain(case.change, case.cause):
        return "Instructions and pipeline use, not distinguished"
    return _CAUSES[case.cause]


def figure(one: Evidence) -> str:
    """A quantity of both arms: `first-level data misses 1.20 to 3.40 misses/packet (simulated)`."""
    words = QUANTITIES[one.name].words
    return f"{words} {number(one.before)} to {number(one.after)} {one.unit} ({one.source})"


def number(value: float | None) -> str:
    """A number with three significant digits, or `unknown`."""
    return "unknown" if value is None else f"{value:.1f}" if abs(value) >= 100 else f"{value:.3g}"


def _at(file: str | None, line: int | None) -> str:
    if file is None:
        return ""
    return f" ({file}:{line})" if line else f" ({file})"


def _of(share: Share | None) -> str:
    if share is None or share.of <= 0:
        return ""
    return f", which can account for {_part(share)} of the {share.of:.1f} cycles/packet ({share.priced_with})"


def _range(one: Possible) -> str:
    share = one.share
    if share is None or share.of <= 0:
        return "" if one.detail in COUNTED else " (not counted)"
    return f" ({_part(share)})"


def _part(share: Share) -> str:
    """Of the change; more than all of it is no size that anybody can use."""
    low, high = (max(0.0, bound / share.of) for bound in (share.low, share.high))
    if low >= WHOLE_FROM:
        return "all"
    if high >= WHOLE_FROM:
        return f"{share_percent(low, 0)} to all"
    below, above = share_percent(low, 0), share_percent(high, 0)
    return above if below == above else f"{100 * low:.0f} to {above}"
