# SPDX-License-Identifier: Apache-2.0
"""Added instructions that take several times the cycles of the chain's: their number does not explain them.

The split of a stage into instructions and pipeline use compares it with itself. By that, a stage that had few
instructions and got many slow ones changed by instructions, although these wait for each other or for memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from nalm_core.explain.case import Case
from nalm_core.explain.limits import ADDED_COST
from nalm_core.explain.saying import number


@dataclass(frozen=True, slots=True)
class AddedCost:
    """Cycles of instructions that came with a regression, or went with an improvement."""

    each: float
    """Cycles of one of them."""
    chain: float
    """Cycles of one instruction of the chain in the arm without them."""
    excess: float
    """Cycles per packet beyond what as many of the chain's take."""
    came: bool

    def text(self) -> str:
        which = "an added instruction takes" if self.came else "a removed instruction took"
        return (
            f"Counts and cycles disagree: {which} {number(self.each)} cycles, "
            f"and one of the chain {number(self.chain)}."
        )


def added_cost(case: Case) -> AddedCost | None:
    """None unless each of them takes ADDED_COST times the chain's."""
    whole, own = case.verdict.chain, case.change
    if case.cause != "instructions" or whole is None or own is None:
        return None
    without = whole.base if case.sign > 0 else whole.head
    old, new = (own.base, own.head) if case.sign > 0 else (own.head, own.base)
    if without is None or not without.ipp or new is None or new.ipp is None:
        return None
    cycles = new.cpp - (old.cpp if old else 0.0)
    instructions = new.ipp - ((old.ipp or 0.0) if old else 0.0)
    each = without.cpp / without.ipp
    if instructions <= 0 or cycles < ADDED_COST * each * instructions:
        return None
    return AddedCost(cycles / instructions, each, cycles - each * instructions, case.sign > 0)
