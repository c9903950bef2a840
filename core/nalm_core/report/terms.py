# SPDX-License-Identifier: Apache-2.0
"""Types that all parts of a run report use."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
_NAME = r"^[A-Za-z0-9][A-Za-z0-9._:+@/-]*$"
Name = Annotated[str, Field(min_length=1, max_length=64, pattern=_NAME)]
PATH_PART = r"^[A-Za-z0-9][A-Za-z0-9._:+@-]*$"
PathName = Annotated[str, Field(min_length=1, max_length=64, pattern=PATH_PART)]
"""A name that is one part of a server's addresses: of a project, a scenario, an experiment's table."""
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


class StageCounters(Model):
    """One stage over one turn, summed over lcores: TSC cycles, packets, batches."""

    cycles: Count
    packets: Count
    batches: Count | None = None
    """None if the NF's own figures do not include them."""
    outcomes: dict[Name, Count] = Field(default_factory=dict)


class LcoreTurn(Model):
    """What every turn has of an lcore: TSC cycles, nanoseconds."""

    lcore: int = Field(ge=0)
    packets: Count
    turn_tsc_cycles: Count | None = None
    """None if nothing on the lcore read the TSC at the begin and end of the turn."""
    turn_wall_ns: Count
    turn_cpu_ns: Count
    involuntary_switches: Count
    voluntary_switches: Count
    minor_faults: Count
    major_faults: Count
    speed_before: int | None = Field(default=None, gt=0)
    """TSC cycles of a million dependent additions before the turn: the TSC's rate relative to the core's
    frequency. None if the probe did not measure it."""
    speed_after: int | None = Field(default=None, gt=0)
    """The same after the turn."""


class LcoreCounters(LcoreTurn):
    """One lcore over one turn with marks."""

    busy_cycles: Count
    idle_cycles: Count | None = None
    """None if the NF's own figures do not separate them from busy cycles."""
    apart_cycles: Count


def is_none(value: object) -> bool:
    """For fields that are left out where they have no value."""
    return value is None
