# SPDX-License-Identifier: Apache-2.0
"""Prints where a change is: functions by call path, then source lines of both sides side by side."""

from __future__ import annotations

from collections.abc import Iterator

from nalm_core.profiles.annotate import AnnotatedLine, passages, unbroken
from nalm_core.profiles.cost_unit import By
from nalm_core.profiles.flame import Frame
from nalm_core.text.percents import change_percent
from nalm_core.verdict.function_change import function_text
from nalm_core.verdict.verdict import Verdict
from rich.console import Console
from rich.text import Text

from nalm_agent.desk.explanation import UNITS, Explained, FileChange

SHOWN_PATHS = 8
SHOWN_FILES = 5
SHOWN_FUNCTIONS = 12
AROUND = 2
"""Number of context lines around a changed line."""
WIDE = 80
"""Terminal width from which base's cost has its own column."""
CALLERS = 3
"""Number of innermost calls shown of a path."""


def print_explained(out: Console, found: Explained, only: str | None) -> None:
    """Prints the whole explanation, or with `only` one source file in full."""
    if only is not None:
        _print_file(out, next(one for one in found.files if one.name == only), found, whole=True)
        return
    for line in [total_line(found), *path_lines(found)]:
        _print(out, Text(line))
    changed = [one for one in found.files if _is_relevant(one, found)]
    for one in changed[:SHOWN_FILES]:
        _print_file(out, one, found, whole=False)
    if left := [one.name for one in changed[SHOWN_FILES:]]:
        _print(out, Text(f"and {len(left)} more: {', '.join(left)} (--file NAME)", style="dim"))
    if not changed:
        _print(out, Text(f"no source line changed by {found.least:.2f} {UNITS[found.by]} or more"))


def print_functions(out: Console, verdict: Verdict) -> None:
    """Prints the functions that are not the same, as judged."""
    if not verdict.functions_judged:
        return
    changes = verdict.function_changes
    same = verdict.functions_judged - len(changes)
    _print(out, Text(f"\nfunctions judged: {verdict.functions_judged}, of which {same} are the same", "bold"))
    for one in changes[:SHOWN_FUNCTIONS]:
        _print(out, Text(f"  {function_text(one)}"))
    if len(changes) > SHOWN_FUNCTIONS:
        _print(out, Text(f"  and {len(changes) - SHOWN_FUNCTIONS} more (--json)", style="dim"))


def total_line(found: Explained) -> str:
    """The line with the chain's total."""
    base, head = found.flame.base, found.flame.head
    share = f" ({change_percent(head / base - 1)})" if base else ""
    return f"{UNITS[found.by]}: {base:.1f} to {head:.1f}{share}"


def path_lines(found: Explained) -> Iterator[str]:
    """Lines for the functions whose own cost changed most, each with its callers."""
    paths = [one for one in _paths(found.flame, ()) if abs(_own(one[-1])) >= found.least]
    for path in sorted(paths, key=lambda one: -abs(_own(one[-1])))[:SHOWN_PATHS]:
        frame = path[-1]
        names = [one.name for one in path[1:]][-CALLERS:]
        where = f"  {frame.file}:{frame.line}" if frame.file and frame.line else ""
        yield (
            f"{_own(frame):>+10.1f}  {' > '.join(names) or frame.name}{where}  "
            f"({frame.own_base:.1f} to {frame.own_head:.1f})"
        )


def _paths(frame: Frame, callers: tuple[Frame, ...]) -> Iterator[tuple[Frame, ...]]:
    path = (*callers, frame)
    yield path
    for child in frame.children:
        yield from _paths(child, path)


def _own(frame: Frame) -> float:
    return frame.own_head - frame.own_base


def _is_relevant(one: FileChange, found: Explained) -> bool:
    return one.moved >= found.least if one.lines is None else bool(passages(one.lines, found.least, 0))


def _print_file(out: Console, one: FileChange, found: Explained, *, whole: bool) -> None:
    _print(out, Text(f"\n{one.name}  {one.base:.1f} to {one.head:.1f} ({one.head - one.base:+.1f})", "bold"))
    if one.lines is None:
        _print(
            out,
            Text(
                "  the text is not available: the file is not in the repository, or its tree is gone", "dim"
            ),
        )
        return
    chosen = [one.lines] if whole else passages(one.lines, found.least, AROUND)
    parts = [part for lines in chosen for part in unbroken(lines, lambda line: line.numbers)]
    wide = not out.is_terminal or out.width >= WIDE
    for number, part in enumerate(parts):
        if number:
            _print(out, Text("  ...", style="dim"))
        for line in part:
            _print(out, _row(line, found, wide=wide))


def _row(line: AnnotatedLine, found: Explained, *, wide: bool) -> Text:
    changed = abs(line.change) >= found.least
    base = f"{_cost(line.base):>9}" if wide else ""
    change = f"{line.change:+9.1f}" if changed else " " * 9
    figures = f"{line.mark} {line.head_line or line.base_line:>5}{base}{_cost(line.head):>9}{change}  "
    colour = ("red" if line.change > 0 else "blue") if changed else ""
    return Text.assemble((figures, colour), (line.text.expandtabs(4), "" if changed else "dim"))


def _cost(value: float) -> str:
    return f"{value:.1f}" if value else "."


def _print(out: Console, text: Text) -> None:
    """Prints a line, cut at a terminal's edge; piped, the whole line."""
    if out.is_terminal:
        out.print(text, no_wrap=True, overflow="ellipsis", crop=True)
    else:
        out.print(text, soft_wrap=True)


def legend_line(by: By) -> str:
    """Explains the columns of source lines."""
    kind = "exact, by callgrind" if by is By.INSTRUCTIONS else "estimated from perf's samples"
    return f"columns: - base's line, + head's; line; base, head, change in {by} per packet ({kind})"
