# SPDX-License-Identifier: Apache-2.0
"""A change between two arms, and its exact split into instructions and pipeline use."""

from __future__ import annotations

from math import log
from typing import Literal

from pydantic import Field

from nalm_core.report.run_report import Model
from nalm_core.report.units import CyclesPerPacket, LogRatio

Cause = Literal["instructions", "pipeline"]
StageKind = Literal["common", "added", "removed"]


class Figure(Model):
    """Cost per packet of one arm's chain or stage."""

    cpp: CyclesPerPacket
    """Cycles per packet."""
    ipp: float | None = None
    """Instructions per packet; None if they were not counted."""
    eipc: float | None = None
    """Instructions per cycle."""
    sources: dict[str, str] = Field(default_factory=dict)
    """Metric name to counter source; eipc from two sources names both: tsc+simulated."""


class Change(Model):
    """A change from base to head. None: missing, as base of an added stage, or IPP without a count."""

    base: Figure | None
    head: Figure | None
    ratio_cpp: float | None = None
    """head / base."""
    low: float | None = None
    high: float | None = None
    """Interval of the ratio, at `level`."""
    level: float | None = None
    """Confidence level of low and high: that of the deciding test, after alpha spending over the looks."""
    p_value: float | None = None
    """Two-sided p-value of no change in CPP, for this look alone."""
    ln_cpp: LogRatio | None = None
    ln_ipp: LogRatio | None = None
    ln_eipc: LogRatio | None = None
    """ln_cpp = ln_ipp - ln_eipc, exactly (docs/metrics.md)."""


class StageChange(Change):
    stage: str
    kind: StageKind
    contribution_cycles: CyclesPerPacket | None
    """Cycles per packet that the stage adds to the chain; all stages add up to the chain's change."""
    significant: bool
    """Its ratio differs from 1 at STAGE_FALSE_DISCOVERY_RATE over the chain's stages."""
    relevant: bool
    """Its contribution is large enough to matter for the chain."""
    cause: Cause | None

    @property
    def zero_arm(self) -> Literal["base", "head"] | None:
        """The arm that has the stage without cycles in it, so that there is no ratio and no test."""
        if self.base is not None and self.head is not None:
            return "base" if self.base.cpp <= 0 else "head" if self.head.cpp <= 0 else None
        return None


def inverted(change: Change) -> Change:
    """The change from head to base."""
    return change.model_copy(update=_inverted(change))


def inverted_stage(change: StageChange) -> StageChange:
    """The stage's change from head to base."""
    added = change.contribution_cycles
    kinds: dict[StageKind, StageKind] = {"common": "common", "added": "removed", "removed": "added"}
    return change.model_copy(
        update={
            **_inverted(change),
            "kind": kinds[change.kind],
            "contribution_cycles": None if added is None else CyclesPerPacket(-added),
        }
    )


def _inverted(change: Change) -> dict[str, object]:
    return {
        "base": change.head,
        "head": change.base,
        "ratio_cpp": _reciprocal(change.ratio_cpp),
        "low": _reciprocal(change.high),
        "high": _reciprocal(change.low),
        **{name: _negated(getattr(change, name)) for name in ("ln_cpp", "ln_ipp", "ln_eipc")},
    }


def _reciprocal(ratio: float | None) -> float | None:
    """None also for 0, the other end of an interval without bounds."""
    return 1 / ratio if ratio else None


def _negated(logarithm: float | None) -> float | None:
    return None if logarithm is None else -logarithm


def figure(cpp: CyclesPerPacket, cpp_source: str, ipp: float | None, ipp_source: str | None) -> Figure:
    """Figures of an arm, labelled with their sources."""
    if ipp is None or ipp_source is None:
        return Figure(cpp=cpp, sources={"cpp": cpp_source})
    eipc = ipp / cpp if cpp > 0 else None
    mixed = cpp_source if cpp_source == ipp_source else f"{cpp_source}+{ipp_source}"
    sources = {"cpp": cpp_source, "ipp": ipp_source} | ({} if eipc is None else {"eipc": mixed})
    return Figure(cpp=cpp, ipp=ipp, eipc=eipc, sources=sources)


def log_ratio(base: float | None, head: float | None) -> LogRatio | None:
    """ln(head / base); None if either is missing or not positive."""
    if base is None or head is None or base <= 0 or head <= 0:
        return None
    return LogRatio(log(head / base))


def split(ln_cpp: LogRatio | None, ln_ipp: LogRatio | None) -> LogRatio | None:
    """ln(eIPC' / eIPC) from the other two, by ln CPP = ln IPP - ln eIPC."""
    return None if ln_cpp is None or ln_ipp is None else LogRatio(ln_ipp - ln_cpp)


def is_cause_certain(change: Change, cause: Cause | None) -> bool:
    """True if the same share is the larger at both ends of the interval of the change in cycles."""
    if (
        change.low is None
        or change.high is None
        or change.ln_ipp is None
        or min(change.low, change.high) <= 0
    ):
        return cause is not None
    ends = LogRatio(log(change.low)), LogRatio(log(change.high))
    return ends[0] * ends[1] > 0 and all(cause_of(end, change.ln_ipp) == cause for end in ends)


def cause_of(ln_cpp: LogRatio | None, ln_ipp: LogRatio | None) -> Cause | None:
    """The larger share of the change, in its direction. None if instructions were not counted."""
    ln_eipc = split(ln_cpp, ln_ipp)
    if ln_cpp is None or ln_ipp is None or ln_eipc is None:
        return None
    sign = 1.0 if ln_cpp >= 0 else -1.0
    return "instructions" if sign * ln_ipp >= sign * -ln_eipc else "pipeline"
