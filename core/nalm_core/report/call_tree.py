# SPDX-License-Identifier: Apache-2.0
"""Instructions by call path and by source line, as a run report carries them. Raw counts, exact.

A path is what callgrind saw on the stack, innermost 24 calls of it, so nothing is shared out between callers.
The dearest paths and lines that together make up COVERED of the instructions are named; what the others cost
stands beside them under OTHERS, so that the sums stay exact.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from nalm_core.report.terms import Count, Model, Name

COVERED: Final = 0.995
"""Share of the instructions whose paths, and whose lines, are named."""
MOST_PATHS: Final = 400
MOST_LINES: Final = 1500
"""Bounds on a report's size; beyond them less than COVERED is named."""
DEEPEST_PATH: Final = 64
"""Calls; a report with longer paths is none."""
OTHERS: Final = "(other functions)"
"""Stands for the paths that are not named, below the caller they share."""


class CallNode(Model):
    """A function called along one path. Nodes are listed callers first."""

    name: str
    parent: int | None = Field(default=None, ge=0)
    """Place of its caller in the list, before its own; None: the path begins here."""
    stage: Name | None = None
    """It runs under this stage; None: outside every stage."""
    own: Count
    """Instructions of its own along this path, without callees."""
    file: str | None = None
    line: int | None = Field(default=None, ge=1)
    """Of its first instruction; None without debug information."""


class FunctionLines(Model):
    """What the source lines of one file cost under one function: its own, or inlined into it."""

    function: str
    stage: Name | None = None
    file: str
    lines: dict[Annotated[int, Field(ge=1)], Count]
    """Instructions by line."""
