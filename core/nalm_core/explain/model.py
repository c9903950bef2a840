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
    "memory_layout",
    "unknown",
    "fewer_instructions",
    "fewer_calls",
    "fewer_visits",
    "function_gone",
    "inlined",
    "larger_batches",
]
"""What is below instructions or pipeline use; the last six are of improvements alone."""
DETAILS: tuple[Detail, ...] = get_args(Detail)
Direction = Literal["f_t", "f_a", "f_s", "f_i", "eipc_up", "ipp_down"]
"""Wu et al., Eq. 3 and 6: which quantity an advice is about to lower (f), or to raise or lower."""
NamedBy = Literal["samples", "instructions", "calls"]


class Evidence(Model):
    """One quantity of the stage that pays (or of the chain, the run or the host), in both arms."""

    name: str
    """Of nalm_core.explain.quantities."""
    before: float | None
    """None: not known."""
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
    """What is seen to move when it worked."""
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
    """The change that is to be explained: of pipeline use, in cycles per packet."""
    priced_with: str
    """Whose latencies: the host's as measured, or a stated processor's where the host's were not."""


class Possible(Model):
    """A cause that may have a part in a change; the counted events do not distinguish it from others."""

    detail: Detail
    share: Share | None
    """None: nothing counted prices it."""


class Explanation(Model):
    """Why cycles changed, as far as what was counted tells."""

    stage: str | None = None
    """That bears most of the change; None: no stage of its own."""
    function: str | None = None
    """That pays most within it; None: not told."""
    file: str | None = None
    line: int | None = None
    named_by: NamedBy | None = None
    """How the function was found: its own cycles by samples, its exact instructions, or its calls."""
    cause: Cause | None = None
    detail: Detail | None = None
    """None: there was nothing to explain."""
    share: Share | None = None
    """Of details that events explain."""
    possible: list[Possible] = Field(default_factory=list)
    """Causes that may have a part in the change, not distinguished; the likeliest first."""
    text: str
    """A few sentences for a person."""
    interleaved: bool = True
    """False: the two commits were not measured side by side; what else differed is in the evidence."""
    evidence: list[Evidence] = Field(default_factory=list)
    advice: list[Advice] = Field(default_factory=list)
    """Most specific first; of regressions only."""
    missing: list[str] = Field(default_factory=list)
    """What was not counted and would tell more."""
