# SPDX-License-Identifier: Apache-2.0
"""What an explanation holds. It says where the time goes, never which edit is at fault."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from nalm_core.report.terms import Model
from nalm_core.verdict.change import Cause

Detail = Literal[
    "more_instructions",
    "more_calls",
    "more_visits",
    "new_function",
    "inlining_lost",
    "smaller_batches",
    "cache",
    "instruction_cache",
    "tlb",
    "branches",
    "waiting",
    "serialising",
    "atomics",
    "division",
    "store_forwarding",
    "sharing",
    "dependencies",
    "memory_layout",
    "unknown",
    "fewer_instructions",
    "fewer_calls",
    "fewer_visits",
    "function_gone",
    "inlined",
    "larger_batches",
]
"""Details of a change in instructions or pipeline use; the last six belong to improvements only."""
DETAILS: tuple[Detail, ...] = get_args(Detail)
Direction = Literal["f_t", "f_a", "f_s", "f_i", "eipc_up", "ipp_down"]
"""The quantity that an advice lowers (f_*), raises (eipc_up) or lowers (ipp_down): Wu et al., Eq. 3 and 6."""
NamedBy = Literal["samples", "instructions", "calls"]


class Evidence(Model):
    """One quantity of the stage that pays (or of the chain, the run or the host), in both arms."""

    name: str
    """Name in nalm_core.explain.quantities."""
    before: float | None
    """None: unknown."""
    after: float | None
    unit: str
    source: str
    """tsc, pmu, simulated (with several: joined by +), samples, host, report."""


class Advice(Model):
    """A rule of advice.toml that fired."""

    rule: str
    title: str
    direction: Direction
    metric: Literal["eipc_up", "ipp_down"]
    """The metric that moves if the advice works."""
    text: str
    because: list[str]
    """The conditions that made it fire, with their figures."""
    source: str
    """Where the practice is described."""


class Share(Model):
    """How much of a change the counted events can account for, in cycles per packet.

    Bounds, not a measurement: from the host's latencies, without what overlaps.
    """

    low: float
    high: float
    of: float
    """The change to explain: that of pipeline use, in cycles per packet."""
    priced_with: str
    """The latencies used: the host's measured ones, otherwise those of a general processor."""


class Possible(Model):
    """A cause that may have a part in a change; the counted events do not distinguish it from others."""

    detail: Detail
    share: Share | None
    """None: no counted event gives a price."""


class Explanation(Model):
    """Why cycles changed, as far as the counted events show it."""

    stage: str | None = None
    """The stage with most of the change; None: the chain as a whole."""
    function: str | None = None
    """The function of the stage that pays most; None: unknown."""
    file: str | None = None
    line: int | None = None
    named_by: NamedBy | None = None
    """How the function was found: its own cycles by samples, its exact instructions, or its calls."""
    cause: Cause | None = None
    detail: Detail | None = None
    """None: there was nothing to explain."""
    share: Share | None = None
    """The share that counted events explain; None for other details."""
    possible: list[Possible] = Field(default_factory=list)
    """Causes that may have a part in the change, not distinguished; the likeliest first."""
    disagreements: list[str] = Field(default_factory=list)
    """Sentences on samples, counts, model and split that do not agree; the text has them, too."""
    text: str
    """The explanation in a few sentences."""
    interleaved: bool = True
    """False: the two commits were not measured side by side; the evidence includes other differences."""
    evidence: list[Evidence] = Field(default_factory=list)
    advice: list[Advice] = Field(default_factory=list)
    """For regressions only, the most specific first."""
    missing: list[str] = Field(default_factory=list)
    """Figures that were not counted and would explain more."""
