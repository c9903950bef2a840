# SPDX-License-Identifier: Apache-2.0
"""Where to look after a regression: functions that pay, at their file and line in the repository if known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from nalm_core.report.run_report import Arm, FunctionCount
from nalm_core.verdict.judged import Judged


@dataclass(frozen=True, slots=True)
class Place:
    """A function that pays more in head than in base."""

    function: str
    stage: str | None
    file: str | None
    """Relative to the repository's top; None if it is not known, or not in the repository."""
    line: int | None
    cost: str
    """Its cost before and after, as text."""


def places(judged: Judged) -> list[Place]:
    """Functions that pay, costliest first: by samples, else by instructions in the stages that pay."""
    return list(_sampled(judged)) or list(_counted(judged))


def in_repository(file: str | None) -> str | None:
    """The file's path from the repository's root; None if it is outside."""
    if file is None or not file.isprintable():
        return None
    path = PurePosixPath(file)
    if path.is_absolute() or ".." in path.parts or path == PurePosixPath():
        return None
    return str(path)


def _sampled(judged: Judged) -> Iterator[Place]:
    for shift in judged.verdict.functions or []:
        if shift.head_cpp > shift.base_cpp:
            cost = f"{shift.base_cpp:.1f} to {shift.head_cpp:.1f} cycles/packet (±{shift.error:.1f}, samples)"
            file = in_repository(shift.file)
            yield Place(shift.name, shift.stage, file, shift.line if file else None, cost)


def _counted(judged: Judged) -> Iterator[Place]:
    verdict = judged.verdict
    for change in verdict.instruction_changes:
        if change.stage not in verdict.culprit_stages:
            continue
        for function in change.functions:
            base, head = function.base_ipp or 0.0, function.head_ipp or 0.0
            if head > base:
                cost = f"{base:.1f} to {head:.1f} instructions/packet"
                yield place_of(judged, function.name, change.stage, cost)


def place_of(judged: Judged, function: str, stage: str | None, cost: str) -> Place:
    """A function with its file and line, where its instructions were counted under the stage."""
    counted = None if stage is None else _count_of(judged, stage, function)
    file = in_repository(counted.file) if counted else None
    return Place(function, stage, file, counted.line if counted and file else None, cost)


def _count_of(judged: Judged, stage: str, name: str) -> FunctionCount | None:
    arm = judged.verdict.judged_arm or Arm.HEAD
    found = (
        function
        for count in judged.report.instructions
        if count.arm is arm
        for function in count.functions.get(stage, [])
        if function.name == name
    )
    return next(found, None)
