# SPDX-License-Identifier: Apache-2.0
"""Maps file names of the compiler to paths in the source tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path, PurePosixPath
from typing import TypeVar

from nalm_core.report.call_tree import CallNode, FunctionLines
from nalm_core.report.profile import Profile, ProfiledFunction
from nalm_core.report.run_report import FunctionCount, InstructionCount

Placed = TypeVar("Placed", FunctionCount, CallNode, FunctionLines)


def profile_in(source: Path, profile: Profile) -> Profile:
    """The profile with file names relative to a source tree."""
    named = _namer(source)

    def renamed(function: ProfiledFunction) -> ProfiledFunction:
        lines = [line.model_copy(update={"file": named(line.file)}) for line in function.lines]
        file = None if function.file is None else named(function.file)
        return function.model_copy(update={"file": file, "lines": lines})

    return profile.model_copy(update={"functions": [renamed(one) for one in profile.functions]})


def count_in(source: Path, count: InstructionCount) -> InstructionCount:
    """The count with file names relative to a source tree."""
    named = _namer(source)

    def renamed(placed: Placed) -> Placed:
        return placed if placed.file is None else placed.model_copy(update={"file": named(placed.file)})

    functions = {stage: [renamed(one) for one in of_stage] for stage, of_stage in count.functions.items()}
    calls, lines = [renamed(one) for one in count.calls], [renamed(one) for one in count.lines]
    return count.model_copy(update={"functions": functions, "calls": calls, "lines": lines})


def _namer(source: Path) -> Callable[[str], str]:
    """Maps a path to its longest suffix that is a file of the tree, or to itself."""

    @cache
    def named(file: str) -> str:
        parts = PurePosixPath(file).parts
        tails = (PurePosixPath(*parts[at:]) for at in range(len(parts)) if parts[at] != "/")
        return next((str(tail) for tail in tails if (source / tail).is_file()), file)

    return named
