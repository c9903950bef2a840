# SPDX-License-Identifier: Apache-2.0
"""Where an arm's time goes, by samples, and what its threads' events add up to: as perf sees it from outside.

Samples say where, not how much: an estimate, of relative standard error 1/sqrt(samples).
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field

from nalm_core.report.terms import Arm, Count, Model, Name

Line = Annotated[int, Field(ge=1)]


class ProfiledLine(Model):
    """A source line of a function (or of what was inlined into it)."""

    file: str
    line: Line
    samples: Count


class ProfiledFunction(Model):
    """One C function's own samples, without callees, under one stage."""

    name: str
    """The linker's, without compilers' clone suffixes; `object+0xaddress` where no symbol is known."""
    object: str
    """File name of the program or library, `[kernel]` for the kernel."""
    file: str | None = None
    line: Line | None = None
    """Where most of its samples fell; None without debug information."""
    samples: Count
    stage: Name | None = None
    """None: outside every stage, or its caller could not be told."""
    lines: list[ProfiledLine] = Field(default_factory=list)
    """Most sampled lines first."""
    slow_instructions: dict[Annotated[str, Field(max_length=32)], Count] = Field(default_factory=dict)
    """Samples at, or just behind, instructions that wait for those before them, by their names: `rdtsc`,
    `lfence`, `lock add`."""


class Profile(Model):
    """Samples of all lcore threads of one arm during some turns."""

    arm: Arm
    event: str
    """`cycles`, or `cpu-clock` where the host has no hardware event."""
    frequency_hz: int = Field(gt=0)
    """Samples per second of a thread's own time that were asked for."""
    samples: Count
    objects: dict[str, Count] = Field(default_factory=dict)
    """All samples by program, library or `[kernel]`."""
    stages: dict[Name, Count] = Field(default_factory=dict)
    """Samples by stage, callees included; what is missing to `samples` is in none."""
    functions: list[ProfiledFunction] = Field(default_factory=list)
    """Most sampled first; the least sampled are left out."""
    instructions_read: bool = False
    """Whether slow_instructions were looked for."""


class ThreadCount(Model):
    """One event of one lcore's thread over one turn, user space only."""

    arm: Arm
    lcore: int = Field(ge=0)
    turn: int = Field(ge=0)
    """Events of one turn can be held against each other; those of another turn saw other packets."""
    packets: Count
    """Handled by the lcore in that turn."""
    event: str
    value: int | None = Field(default=None, ge=0)
    """Counted all the time, never scaled. Nanoseconds for clocks. None: not counted."""
    reason: str | None = None
    """Why there is no value."""


_BEYOND = re.compile(r"avx512|evex", re.IGNORECASE)


def beyond_valgrind(profile: Profile) -> list[str]:
    """Functions for AVX-512 that ran: valgrind has none, so instructions were counted on another path."""
    return sorted({function.name for function in profile.functions if _BEYOND.search(function.name)})
