# SPDX-License-Identifier: Apache-2.0
"""Causes against the mechanisms that mutants have, and rows of stages that mutants do not touch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal

from nalm_core.report.defaults import INSTRUCTION_CHANGE
from nalm_core.verdict.verdict import Verdict
from nalm_core.verdict.wording import SMALL, UNCORRECTED, stage_notes
from rich.table import Table

from nalm_agent.mutants.record import Record
from nalm_agent.mutants.score import FOUND_IN_CYCLES

Answer = Literal["right", "right: possible", "right: not known", "not told", "wrong"]
UNKNOWN: Final = ("unknown", "memory_layout")
"""Details that say that the cause is not known."""
RIGHT: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "instructions": (
            *("more_instructions", "more_calls", "more_visits", "new_function", "inlining_lost"),
            *("fewer_instructions", "fewer_calls", "fewer_visits", "function_gone", "inlined"),
        ),
        "batches": ("smaller_batches", "larger_batches", "more_calls", "fewer_calls"),
        "dependencies": ("dependencies",),
        "cache": ("cache",),
        "instruction_cache": ("instruction_cache",),
        # each page that is not in the TLB is a line that is not in the cache, too
        "tlb": ("tlb", "cache"),
        "prefetch": ("cache",),
        "branches": ("branches",),
        "serialising": ("serialising",),
        "atomics": ("atomics", "waiting"),
        "division": ("division",),
        "store_forwarding": ("store_forwarding",),
        "sharing": ("sharing",),
    }
)
"""Details that are right for a mechanism."""
HIDDEN: Final = ("dependencies", "tlb", "prefetch", "sharing")
"""Mechanisms that nothing shows without a PMU: to say that the cause is not known is right."""


def untouched_rows(verdict: Verdict, stage: str | None) -> dict[str, int]:
    """Counts rows of stages without a change of instructions that are neither `stage` nor pay, and those of
    them that are marked as a change of their own."""
    rows = [
        one
        for one in verdict.stages
        if one.stage != stage
        and one.stage not in verdict.culprit_stages
        and one.p_value is not None
        and one.ln_ipp is not None
        and abs(one.ln_ipp) < INSTRUCTION_CHANGE
    ]
    notes = stage_notes(verdict.stages, verdict.culprit_stages)
    marked = [one for one in rows if notes[one.stage].startswith((SMALL, UNCORRECTED, "significant"))]
    return {"untouched": len(rows), "marked": len(marked)}


def answer(record: Record) -> Answer | None:
    """How the explained cause agrees with the mutant's mechanism; None: one of them is missing, or cycles did
    not change."""
    mechanism, detail = record.expected.mechanism, record.detail
    if mechanism is None or detail is None or record.outcome not in FOUND_IN_CYCLES:
        return None
    if detail in RIGHT[mechanism]:
        return "right"
    if detail in RIGHT["instructions"] and mechanism in HIDDEN and mechanism in record.possible:
        return "right: possible"
    if mechanism == "instructions" and not set(RIGHT["instructions"]).isdisjoint(record.possible):
        return "right: possible"
    if detail in UNKNOWN:
        return "right: not known" if mechanism in HIDDEN else "not told"
    return "wrong"


def causes_table(records: Iterable[Record]) -> Table | None:
    """A row for each mutant with a mechanism whose change was explained; None without one."""
    rows = [(one, found) for one in records if (found := answer(one)) is not None]
    if not rows:
        return None
    table = Table(title="Causes", title_justify="left", box=None, pad_edge=False)
    for column in ("mutant", "mechanism", "explained as", "answer"):
        table.add_column(column)
    for one, found in rows:
        possible = f" (possible: {', '.join(one.possible)})" if one.possible else ""
        table.add_row(one.name, one.expected.mechanism, f"{one.detail}{possible}", found)
    return table


def causes_line(records: Sequence[Record]) -> str | None:
    """The sums of the table."""
    answers = [found for one in records if (found := answer(one)) is not None]
    if not answers:
        return None
    right = sum(one.startswith("right") for one in answers)
    return (
        f"causes: {right} of {len(answers)} right; {answers.count('not told')} said not to be known, "
        f"{answers.count('wrong')} wrong"
    )


def rows_line(records: Sequence[Record]) -> str | None:
    """Rows of stages that mutants do not touch; None without one."""
    untouched, marked = sum(one.untouched for one in records), sum(one.marked for one in records)
    if not untouched:
        return None
    return f"rows of stages that a mutant does not touch: {marked} of {untouched} marked as a change"
