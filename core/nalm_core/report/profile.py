# SPDX-License-Identifier: Apache-2.0
"""Samples of an arm's time and events of its threads, which perf records outside the NF.

Samples show the places of the cost. Its size is an estimate with a relative standard error of
1/sqrt(samples).
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field

from nalm_core.report.terms import Arm, Count, Model, Name

Line = Annotated[int, Field(ge=1)]


class ProfiledLine(Model):
    """A source line of a function or of code inlined into it."""

    file: str
    line: Line
    samples: Count
    code_lines: Count | None = None
    """Number of cache lines of code that its samples are in. None: unknown."""


class ProfiledFunction(Model):
    """One C function's own samples, without callees, under one stage."""

    name: str
    """The linker's name without suffixes of compilers' clones; `object+0xaddress` without a symbol."""
    object: str
    """File name of the program or library, `[kernel]` for the kernel."""
    file: str | None = None
    line: Line | None = None
    """Where most of its samples fell; None without debug information."""
    samples: Count
    stage: Name | None = None
    """None: outside every stage, or the callers are unknown."""
    lines: list[ProfiledLine] = Field(default_factory=list)
    """Most sampled lines first."""
    slow_instructions: dict[Annotated[str, Field(max_length=32)], Count] = Field(default_factory=dict)
    """Samples at or just after instructions that wait for earlier ones, by instruction: `rdtsc`, `lfence`,
    `lock add`."""


class Profile(Model):
    """Samples of all lcore threads of one arm during some turns."""

    arm: Arm
    event: str
    """`cycles`, or `cpu-clock` if the host has no hardware event."""
    frequency_hz: int = Field(gt=0)
    """Requested samples per second of a thread's own time."""
    samples: Count
    objects: dict[str, Count] = Field(default_factory=dict)
    """All samples by program, library or `[kernel]`."""
    stages: dict[Name, Count] = Field(default_factory=dict)
    """Samples by stage, including callees; the others of `samples` are outside every stage."""
    functions: list[ProfiledFunction] = Field(default_factory=list)
    """Most sampled first; the least sampled are left out."""
    instructions_read: bool = False
    """True if the code was searched for slow_instructions."""

    @property
    def most_unlisted(self) -> int:
        """Samples that a function which is not in `functions` has at most; 0 if these have all samples."""
        listed = [one.samples for one in self.functions]
        return max(0, min([self.samples - sum(listed), *listed]))


class ThreadCount(Model):
    """One event of one lcore's thread over one turn, user space only."""

    arm: Arm
    lcore: int = Field(ge=0)
    turn: int = Field(ge=0)
    """Events of one turn can be compared with each other; another turn has other packets."""
    packets: Count
    """Packets that the lcore handled in that turn."""
    event: str
    value: int | None = Field(default=None, ge=0)
    """Counted during the whole turn, never scaled. Nanoseconds for clocks. None: not counted."""
    reason: str | None = None
    """Why there is no value."""


_BEYOND = re.compile(r"avx512|evex", re.IGNORECASE)


def beyond_valgrind(profile: Profile) -> list[str]:
    """Functions that ran and use AVX-512: valgrind does not support it, so it counted another path."""
    return sorted({function.name for function in profile.functions if _BEYOND.search(function.name)})
