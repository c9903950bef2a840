# SPDX-License-Identifier: Apache-2.0
"""Cuts output that is higher than the terminal, with a line that says so."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text


class CutToHeight:
    """Cuts another renderable to the height available."""

    def __init__(self, inner: RenderableType) -> None:
        self._inner = inner

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.height or options.max_height
        lines = console.render_lines(self._inner, options.reset_height(), pad=False)
        fit = len(lines) <= room
        for line in lines if fit else lines[: room - 1]:
            yield from line
            yield Segment.line()
        if not fit:
            left = len(lines) - room + 1
            yield Text(f"{left} more lines: a higher terminal shows them; q quit", "reverse", no_wrap=True)
