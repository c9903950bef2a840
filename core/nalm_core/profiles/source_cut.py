# SPDX-License-Identifier: Apache-2.0
"""Selects the lines of both sides' files that a run report contains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from nalm_core.profiles.annotate import AnnotatedLine, annotate, near, runs
from nalm_core.profiles.function_costs import FunctionCost, FunctionCosts, function_costs, side_of
from nalm_core.report.judged_arm import judged_arm
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.source_text import (
    AROUND,
    MOST_BYTES,
    MOST_FUNCTION_LINES,
    MOST_FUNCTIONS,
    FileText,
    SourceText,
    Stretch,
    showable,
)

ReadText = Callable[[Arm, str], str | None]
"""Reads a file of base's or head's tree; None if the tree lacks it."""


def cut_source(report: RunReport, read: ReadText) -> SourceText:
    """Lines of the functions that changed most, then of the costliest ones, up to MOST_BYTES.

    A function that does not fit is left out; smaller ones after it can still fit.
    """
    cutting = _Cutting(read)
    sides = side_of(report, Arm.BASE), side_of(report, judged_arm(report) or Arm.HEAD)
    for one in function_costs(*sides, lines=MOST_FUNCTION_LINES)[:MOST_FUNCTIONS]:
        cutting.add(one)
    return SourceText(files=list(cutting.files()))


class _Cutting:
    """The lines chosen so far: by file, their places in the joined text of both sides."""

    def __init__(self, read: ReadText) -> None:
        self.read, self.left = read, MOST_BYTES
        self.chosen: dict[str, set[int]] = {}
        self.aligned = cache(self._aligned)

    def _aligned(self, file: str) -> list[AnnotatedLine]:
        """Both sides of a file as one text; empty if neither side has it."""
        base, head = (self.read(arm, file) for arm in (Arm.BASE, Arm.HEAD))
        return annotate(base or "", head or "", {}, {})

    def add(self, one: FunctionCosts) -> None:
        """Chooses a function's lines in all files, if they fit."""
        files = dict.fromkeys(line.file for side in (one.base, one.head) if side for line in side.lines)
        selected = {file: self._near(one, file) - self.chosen.get(file, set()) for file in files}
        size = sum(_size(self.aligned(file)[at]) for file, places in selected.items() for at in places)
        if size <= self.left:
            self.left -= size
            for file, places in selected.items():
                self.chosen.setdefault(file, set()).update(places)

    def _near(self, one: FunctionCosts, file: str) -> set[int]:
        lines = self.aligned(file)
        base, head = _lines_of(one.base, file), _lines_of(one.head, file)
        dear = [at for at, line in enumerate(lines) if line.base_line in base or line.head_line in head]
        return near(dear, AROUND, len(lines))

    def files(self) -> Iterator[FileText]:
        """The chosen lines in the form of a report."""
        for file, places in self.chosen.items():
            lines = self.aligned(file)
            if places:
                found = [_stretch(part) for at in runs(sorted(places)) for part in _alike(lines, at)]
                yield FileText(file=file, stretches=found)


def _lines_of(cost: FunctionCost | None, file: str) -> set[int | None]:
    return {line.line for line in cost.lines if line.file == file} if cost else set()


def _size(line: AnnotatedLine) -> int:
    return len(showable(line.text).encode()) + 1


def _alike(lines: list[AnnotatedLine], places: list[int]) -> Iterator[list[AnnotatedLine]]:
    """Stretches of lines with the same mark: of both sides, or of one only."""
    part: list[AnnotatedLine] = []
    for line in (lines[at] for at in places):
        if part and part[-1].mark != line.mark:
            yield part
            part = []
        part.append(line)
    yield part


def _stretch(part: list[AnnotatedLine]) -> Stretch:
    first = part[0]
    return Stretch(base=first.base_line, head=first.head_line, lines=[showable(one.text) for one in part])
