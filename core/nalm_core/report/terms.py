# SPDX-License-Identifier: Apache-2.0
"""Types that all parts of a run report use."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
_NAME = r"^[A-Za-z0-9][A-Za-z0-9._:+@/-]*$"
Name = Annotated[str, Field(min_length=1, max_length=64, pattern=_NAME)]
ShortName = Annotated[str, Field(min_length=1, max_length=16, pattern=_NAME)]
"""A name that is part of another name."""
Count = Annotated[int, Field(ge=0, le=2**64 - 1)]
Nanoseconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Arm(StrEnum):
    """The builds that a run measures side by side."""

    BASE = "base"
    HEAD = "head"
    HEAD_AS_BASE = "head_as_base"


class Source(StrEnum):
    """The source of a counter. Figures of different sources are never in one series."""

    TSC = "tsc"
    PMU = "pmu"
    SIMULATED = "simulated"


class OutcomeKind(StrEnum):
    """The kind of a packet's outcome in a stage (probe contract, enum nalm_outcome_kind)."""

    PASS = "pass"
    SENT = "sent"
    POLICY = "policy"
    LOST = "lost"
    BAD = "bad"
