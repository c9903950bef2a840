# SPDX-License-Identifier: Apache-2.0
"""The source of one function on two sides, side by side, with the cost per packet of each line.

Each side's text comes from its own report. Two reports may contain different lines around those with a cost:
lines of only one report are left out at the edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import zip_longest

from nalm_core.profiles.annotate import Numbers, blocks, near, unbroken
from nalm_core.profiles.function_costs import (
    FunctionCost,
    FunctionCosts,
    Key,
    LineCost,
    SideOf,
    function_costs,
)
from nalm_core.report.run_report import Arm, Model
from nalm_core.report.source_text import AROUND, MOST_FUNCTION_LINES, SourceText

MOST_FILES = 8
"""Number of files shown for one function: its own and those of inlined code, costliest first."""
REACH = 30
"""Lines before and after one with a cost that are compared with the other side's."""
MOST_COMPARED = 1000
"""Most lines of one file on one side that are compared."""


Texts = Mapping[str, Mapping[int, str]]
"""A side's lines by file and number."""


class TextState(StrEnum):
    """Why a side has text, or none."""

    KEPT = "kept"
    WITHHELD = "withheld"
    """nalm.toml excludes source text from reports."""
    NOT_RECORDED = "not_recorded"
    """The report comes from an older agent, or from an import."""


class SourceLine(Model):
    line: int
    text: str
    ipp: float | None
    """Instructions per packet under this function; None: too few to be recorded, or not counted."""
    cpp: float | None
    """Cycles per packet, by samples."""


class SourceRow(Model):
    """Lines side by side. None: the side has no line there."""

    base: SourceLine | None
    head: SourceLine | None


class FileSource(Model):
    """One file's lines under the function."""

    file: str
    base_ipp: float | None
    """Sum over all recorded lines of the file."""
    head_ipp: float | None
    base_cpp: float | None
    head_cpp: float | None
    rows: list[SourceRow]
    """In order; where numbers have a gap, lines are left out. Empty: neither report has the file's text."""


class FunctionSource(Model):
    base_text: TextState
    head_text: TextState
    files: list[FileSource]
    """Largest change first. Empty: no line of the function was counted or sampled."""


def function_source(base: SideOf, head: SideOf, key: Key) -> FunctionSource:
    """One function of both sides; without files if it is not among function_costs."""
    listed = function_costs(base, head, lines=MOST_FUNCTION_LINES)
    nothing = FunctionCosts(name=key[1], stage=key[0], base=None, head=None)
    found = next((one for one in listed if (one.stage, one.name) == key), nothing)
    texts = _texts(base), _texts(head)
    names = dict.fromkeys(line.file for side in (found.base, found.head) if side for line in side.lines)
    costliest = sorted((_costed(name, found) for name in names), key=_moved, reverse=True)[:MOST_FILES]
    return FunctionSource(
        base_text=_state(base.report.source_text),
        head_text=_state(head.report.source_text),
        files=[one.model_copy(update={"rows": _rows(one.file, found, texts)}) for one in costliest],
    )


def _state(text: SourceText | None) -> TextState:
    if text is None:
        return TextState.NOT_RECORDED
    return TextState.WITHHELD if text.withheld else TextState.KEPT


def _texts(side: SideOf) -> Texts:
    text = side.report.source_text
    return text.of(Arm.BASE if side.arm is Arm.BASE else Arm.HEAD) if text else {}


def _moved(one: FileSource) -> tuple[float, float]:
    """The change of the cost, then the cost."""
    instructions, cycles = (
        (one.base_ipp or 0.0, one.head_ipp or 0.0),
        (one.base_cpp or 0.0, one.head_cpp or 0.0),
    )
    return max(abs(b - a) for a, b in (instructions, cycles)), max(*instructions, *cycles)


Costs = Mapping[int, LineCost]
Numbered = tuple[int, str]
"""A line's number and text."""


def _costed(name: str, found: FunctionCosts) -> FileSource:
    """A file's costs. Its lines are compared only if it is shown."""
    base, head = _costs_in(found.base, name), _costs_in(found.head, name)
    return FileSource(
        file=name,
        base_ipp=_sum([one.ipp for one in base.values()]),
        head_ipp=_sum([one.ipp for one in head.values()]),
        base_cpp=_sum([one.cpp for one in base.values()]),
        head_cpp=_sum([one.cpp for one in head.values()]),
        rows=[],
    )


def _rows(name: str, found: FunctionCosts, texts: tuple[Texts, Texts]) -> list[SourceRow]:
    base, head = _costs_in(found.base, name), _costs_in(found.head, name)
    old, new = _about(texts[0].get(name, {}), base or head), _about(texts[1].get(name, {}), head or base)
    return list(_readable([_row(pair, base, head) for pair in _beside(old, new)]))


def _costs_in(cost: FunctionCost | None, file: str) -> Costs:
    return {one.line: one for one in cost.lines if one.file == file} if cost else {}


def _sum(costs: list[float | None]) -> float | None:
    known = [one for one in costs if one is not None]
    return sum(known) if known else None


def _about(text: Mapping[int, str], costs: Costs) -> list[Numbered]:
    """Lines of the text near those with a cost."""
    close = {one for at in costs for one in range(at - REACH, at + REACH + 1)}
    return [(at, text[at]) for at in sorted(close & text.keys())][:MOST_COMPARED]


def _beside(old: list[Numbered], new: list[Numbered]) -> Iterator[tuple[Numbered | None, Numbered | None]]:
    """Equal lines side by side. Replaced lines are paired in order."""
    for _, before, after in blocks([text for _, text in old], [text for _, text in new]):
        yield from zip_longest(old[slice(*before)], new[slice(*after)])


def _row(pair: tuple[Numbered | None, Numbered | None], base: Costs, head: Costs) -> SourceRow:
    return SourceRow(base=_line(pair[0], base), head=_line(pair[1], head))


def _line(numbered: Numbered | None, costs: Costs) -> SourceLine | None:
    if numbered is None:
        return None
    line, text = numbered
    cost = costs.get(line)
    return SourceLine(line=line, text=text, ipp=cost.ipp if cost else None, cpp=cost.cpp if cost else None)


def _readable(rows: list[SourceRow]) -> Iterator[SourceRow]:
    """Rows near one with a cost. If both sides have text, edges have no rows of one side without a cost."""
    one_side = not all(any(getattr(row, side) for row in rows) for side in ("base", "head"))
    dear = [at for at, row in enumerate(rows) if _is_dear(row)]
    for part in unbroken([rows[at] for at in sorted(near(dear, AROUND, len(rows)))], _numbers):
        kept = [at for at, row in enumerate(part) if one_side or _is_dear(row) or (row.base and row.head)]
        yield from part[kept[0] : kept[-1] + 1] if kept else []


def _is_dear(row: SourceRow) -> bool:
    return any(side is not None and (side.ipp or side.cpp) for side in (row.base, row.head))


def _numbers(row: SourceRow) -> Numbers:
    return row.base.line if row.base else None, row.head.line if row.head else None
