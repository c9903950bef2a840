# SPDX-License-Identifier: Apache-2.0
"""Instructions by call path and by source line in a run report. Raw exact counts.

A path is the innermost 24 calls of the stack that callgrind saw, so no cost is divided among callers. The
costliest paths and lines that together are COVERED of the instructions have names. The cost of the others is
recorded under OTHERS, so that the sums remain exact.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from nalm_core.report.terms import Count, Model, Name

COVERED: Final = 0.995
"""Share of the instructions whose paths and lines have names."""
MOST_PATHS: Final = 400
MOST_LINES: Final = 1500
"""Bounds on a report's size; beyond them, the share is less than COVERED."""
DEEPEST_PATH: Final = 64
"""Most calls of a path; a report with longer paths is invalid."""
OTHERS: Final = "(other functions)"
"""Name of all other paths below their common caller."""


class CallNode(Model):
    """A function on one call path. A list of nodes has callers first."""

    name: str
    parent: int | None = Field(default=None, ge=0)
    """Index of its caller, which is before it in the list; None: the path begins here."""
    stage: Name | None = None
    """The stage under which it runs; None: outside every stage."""
    own: Count
    """Its own instructions on this path, without callees."""
    file: str | None = None
    line: int | None = Field(default=None, ge=1)
    """Line of its first instruction; None without debug information."""


class FunctionLines(Model):
    """Cost of the source lines of one file in one function, including code inlined into it."""

    function: str
    stage: Name | None = None
    file: str
    lines: dict[Annotated[int, Field(ge=1)], Count]
    """Instructions by line."""
