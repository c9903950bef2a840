# SPDX-License-Identifier: Apache-2.0
"""Documents of the line-rate budget."""

from __future__ import annotations

from nalm_core.models.budget import GAP_BYTES, budget
from nalm_core.models.documents.base import Answer, Document, Lcores, Positive
from nalm_core.models.quantity import ModelInputError

ASSUMES = "CPP stays the same with any number of lcores and at any load; lcores do not slow each other."


class BudgetInput(Document):
    line_gbits_per_s: Positive | None = None
    """Rate of the line, or `pps`."""
    pps: Positive | None = None
    """Packets/s, in place of a line."""
    frame: Positive = 64.0
    """Bytes of a frame."""
    lcores: Lcores
    frequency_hz: Positive
    cpp: Positive
    """Cycles per packet of one lcore."""
    measured_lcores: Lcores | None = None
    """Lcores with which CPP was measured."""


class BudgetAnswer(Answer):
    lcores: int
    frame: float
    pps: float
    """Packets/s that the lcores carry of the line, at most all of it."""
    arrival_ns: float
    """Time between frames."""
    line_pps: float
    cycles: float
    """Cycles of all lcores between frames."""
    share: float
    """Part of the line that the lcores carry, at most 1."""
    spare: float
    """Cycles of the budget / CPP: below 1 the line is faster than the lcores."""
    lcores_needed: int
    """Fewest lcores that carry the whole line."""
    most_pps: float
    """Packets/s that the lcores could carry."""
    extrapolated: bool
    """True if CPP was not measured with `lcores`: share and spare assume that it stays the same."""
    needed_extrapolated: bool
    """The same for `lcores_needed`."""


def budget_answer(given: BudgetInput) -> BudgetAnswer:
    """Raises ModelInputError."""
    found = budget(_gbits(given), given.frame, given.lcores, given.frequency_hz, given.cpp)
    known = given.measured_lcores or 1
    beside, beyond = given.lcores != known, found.lcores_needed != known
    notes = ["extrapolated: assumes that CPP stays the same with other numbers of lcores"]
    return BudgetAnswer(
        assumes=ASSUMES,
        notes=notes if beside or beyond else [],
        lcores=given.lcores,
        frame=given.frame,
        pps=found.share * found.line_pps,
        arrival_ns=found.arrival_ns,
        line_pps=found.line_pps,
        cycles=found.cycles,
        share=found.share,
        spare=found.spare,
        lcores_needed=found.lcores_needed,
        most_pps=given.lcores * given.frequency_hz / given.cpp,
        extrapolated=beside,
        needed_extrapolated=beyond,
    )


def _gbits(given: BudgetInput) -> float:
    if given.pps is None and given.line_gbits_per_s is not None:
        return given.line_gbits_per_s
    if given.pps is None or given.line_gbits_per_s is not None:
        raise ModelInputError("rate", "expected either that of a line or packets/s")
    return given.pps * (given.frame + GAP_BYTES) * 8 / 1e9
