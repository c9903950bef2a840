# SPDX-License-Identifier: Apache-2.0
"""The judgement of one C function."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from nalm_core.report.run_report import Model

Key = tuple[str | None, str]
"""Stage (None: outside every stage) and name of a function."""
Evidence = Literal["lines", "renamed", "calls", "stage"]
"""What shows that cost moved between two functions: source lines that both executed; a function that is gone
and a new one with a common caller; a call between them; one name under two stages."""


class FunctionOutcome(StrEnum):
    """The outcome of a function."""

    SAME = "same"
    IMPROVED = "improved"
    REGRESSED = "regressed"
    INCONCLUSIVE = "inconclusive"
    SHIFTED = "shifted"
    """Its cost changed because code moved between it and other functions; their sum is the same."""


class CostShift(Model):
    """Cost that moved to or from another function."""

    stage: str | None
    name: str
    ipp: float = Field(gt=0)
    """Instructions per packet."""
    evidence: Evidence


class FunctionJudgement(Model):
    """One C function under one stage, judged from base to head."""

    stage: str | None
    """None: outside every stage."""
    name: str
    outcome: FunctionOutcome
    by: Literal["instructions", "cycles"]
    """What decided: exact counts, or samples."""
    base_ipp: float | None = None
    """Own instructions per packet; 0: it did not run. None: not counted, or not among those listed."""
    head_ipp: float | None = None
    added_ipp: float | None = None
    """Instructions per packet that it gained, less those that moved in, plus those that moved out."""
    chain_share: float | None = None
    """added_ipp, relative to the IPP of base's chain."""
    shifted_from: list[CostShift] = Field(default_factory=list)
    """Functions that cost moved from, most first."""
    shifted_to: list[CostShift] = Field(default_factory=list)
    base_cpp: float | None = None
    """Own cycles per packet by samples; None: not sampled, or too few samples."""
    head_cpp: float | None = None
    low: float | None = None
    high: float | None = None
    """Interval of head_cpp / base_cpp at 1 - FUNCTION_FALSE_DISCOVERY_RATE. Of a function whose cost moved:
    of the sum over all that it moved between."""
    p_value: float | None = None
    """Two-sided p-value of no change of cycles."""
    significant: bool = False
    """The cycles differ at FUNCTION_FALSE_DISCOVERY_RATE over all functions of the run."""
    reason: str | None = None
    """Why it is inconclusive."""
    alarms: bool = False
    """Whether it fails the check and makes an alert if the chain's cycles do not."""

    @property
    def key(self) -> Key:
        return self.stage, self.name

    @property
    def ratio(self) -> float | None:
        """The function's instructions with what it gained, relative to those that it had or that moved in."""
        if self.head_ipp is None or self.added_ipp is None:
            return None
        expected = self.head_ipp - self.added_ipp
        return self.head_ipp / expected if expected > 0 else None
