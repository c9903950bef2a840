# SPDX-License-Identifier: Apache-2.0
"""Source of two sides line by line, with the cost per packet of each line on each side.

Lines are matched by their text (difflib), so a line that only moved is compared with itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal, TypeVar

from nalm_core.report.source_text import Stretch, showable, source_lines

Mark = Literal[" ", "-", "+"]


@dataclass(frozen=True)
class AnnotatedLine:
    """A line of both sides, or of one side only."""

    mark: Mark
    """A space: on both sides; -: on base's only; +: on head's only."""
    base_line: int | None
    head_line: int | None
    base: float
    head: float
    """Cost per packet; 0 if the side lacks the line, or its cost is too small to be recorded."""
    text: str

    @property
    def numbers(self) -> Numbers:
        return self.base_line, self.head_line

    @property
    def change(self) -> float:
        """Head's cost less base's."""
        return self.head - self.base


def annotate(
    base: str, head: str, base_costs: Mapping[int, float], head_costs: Mapping[int, float]
) -> list[AnnotatedLine]:
    """Both sides of a file, in order. Lines of base only come before the lines of head that replace them."""
    old, new = source_lines(base), source_lines(head)
    found: list[AnnotatedLine] = []
    for same, (begin, end), (to_begin, to_end) in blocks(old, new):
        if same:
            found += [
                AnnotatedLine(
                    " ", at + 1, to + 1, base_costs.get(at + 1, 0), head_costs.get(to + 1, 0), new[to]
                )
                for at, to in zip(range(begin, end), range(to_begin, to_end), strict=True)
            ]
        else:
            found += [
                AnnotatedLine("-", at + 1, None, base_costs.get(at + 1, 0), 0, old[at])
                for at in range(begin, end)
            ]
            found += [
                AnnotatedLine("+", None, to + 1, 0, head_costs.get(to + 1, 0), new[to])
                for to in range(to_begin, to_end)
            ]
    return found


def annotate_stretches(
    stretches: Iterable[Stretch], base_costs: Mapping[int, float], head_costs: Mapping[int, float]
) -> list[AnnotatedLine]:
    """A report's lines of a file; between its stretches, lines are missing."""
    return [
        AnnotatedLine(
            " " if base is not None and head is not None else "-" if head is None else "+",
            base,
            head,
            base_costs.get(base, 0) if base is not None else 0,
            head_costs.get(head, 0) if head is not None else 0,
            showable(text),
        )
        for one in stretches
        for base, head, text in one.numbered()
    ]


Row = TypeVar("Row")
Numbers = tuple[int | None, int | None]
"""A line's number on base's and on head's side; None: the side lacks the line."""


def unbroken(rows: Iterable[Row], numbers: Callable[[Row], Numbers]) -> list[list[Row]]:
    """Rows, split where the numbers of a side have a gap: lines are missing there."""
    found: list[list[Row]] = []
    last: dict[int, int] = {}
    for row in rows:
        here = {side: line for side, line in enumerate(numbers(row)) if line is not None}
        if not found or any(line != last.get(side, line - 1) + 1 for side, line in here.items()):
            found.append([])
        last |= here
        found[-1].append(row)
    return found


def passages(lines: Sequence[AnnotatedLine], least: float, around: int) -> list[list[AnnotatedLine]]:
    """Passages to read: lines whose cost changed by at least `least`, and edited lines with a cost.

    around: number of lines before and after each."""

    def is_costly(line: AnnotatedLine) -> bool:
        edited = line.mark != " " and bool(line.base or line.head)
        return edited or abs(line.change) >= least

    shown = near([at for at, line in enumerate(lines) if is_costly(line)], around, len(lines))
    return [[lines[at] for at in part] for part in runs(sorted(shown))]


def near(places: Iterable[int], around: int, count: int) -> set[int]:
    """Indices below `count` that are at most `around` before or after a place."""
    return {one for at in places for one in range(max(at - around, 0), min(at + around + 1, count))}


def runs(places: Iterable[int]) -> list[list[int]]:
    """Splits ascending places into stretches without a gap."""
    found: list[list[int]] = []
    for at in places:
        if not found or found[-1][-1] != at - 1:
            found.append([])
        found[-1].append(at)
    return found


Span = tuple[int, int]


def blocks(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[bool, Span, Span]]:
    """Equal and different stretches. For speed, difflib does not see equal beginnings and ends."""
    first = _alike(old, new)
    last = _alike(old[first:][::-1], new[first:][::-1])
    ends = len(old) - last, len(new) - last
    yield True, (0, first), (0, first)
    matcher = SequenceMatcher(None, old[first : ends[0]], new[first : ends[1]])
    for kind, begin, end, to_begin, to_end in matcher.get_opcodes():
        yield kind == "equal", (first + begin, first + end), (first + to_begin, first + to_end)
    yield True, (ends[0], len(old)), (ends[1], len(new))


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """Number of equal lines at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
