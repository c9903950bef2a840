# SPDX-License-Identifier: Apache-2.0
"""Progress and errors on stderr, so that stdout carries results only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichBar

from nalm_agent.report.plain_console import PlainConsole
from nalm_agent.runtime.errors import NalmError

if TYPE_CHECKING:
    from nalm_core.report.run_report import Arm, InstructionCount

LINE_SECONDS = 10.0
"""Least time between two lines about one step, where no bar is shown."""


class Terminal:
    """Shows progress: on a terminal a bar with the current step and the time left; piped, plain lines."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._console = _on_stderr(quiet=quiet)
        moves = self._console.is_terminal and not self._console.is_dumb_terminal
        self._live = moves and not quiet
        self._bar = RichBar(
            TextColumn("[bold]{task.fields[step]:<12}"),
            BarColumn(bar_width=28),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[detail]}"),
            TimeElapsedColumn(),
            console=self._console,
            transient=True,
            redirect_stdout=False,
        )
        self._task = self._bar.add_task("", total=1.0, step="", detail="")
        self._printed: tuple[str, str, float] | None = None
        """Step, subject and time of the last printed line."""

    def __enter__(self) -> Terminal:
        if self._live:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._bar.stop()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Hides the bar while something is printed to standard output."""
        if self._live:
            self._bar.stop()
        try:
            yield
        finally:
            sys.stdout.flush()
            if self._live:
                self._bar.start()

    def step(self, name: str, detail: str, fraction: float, seconds_left: float | None = None) -> None:
        """Moves the bar; piped, prints a line for each new step, and every LINE_SECONDS its progress."""
        soon = seconds_left is None or seconds_left < 1
        left = "" if soon else f", about {seconds_left:.0f} s left"
        if self._live:
            self._bar.update(self._task, completed=fraction, step=name, detail=escape(detail + left))
        elif self._is_due(name, detail):
            self._console.print(f"{name}: {escape(detail)}")
            self._printed = (name, detail.partition(":")[0], time.monotonic())

    def _is_due(self, name: str, detail: str) -> bool:
        if self._printed is None:
            return True
        last, about, when = self._printed
        if (name, detail.partition(":")[0]) != (last, about):
            return name != last or name == "build"
        return ":" in detail and time.monotonic() - when >= LINE_SECONDS

    def say(self, line: str) -> None:
        """Prints a line that stays."""
        self._console.print(escape(line))

    def instructions(self, counts: dict[Arm, InstructionCount]) -> None:
        """Prints the changes in instructions, which are known long before the cycles."""
        from nalm_agent.report.print_run import instruction_line

        line = instruction_line(counts)
        if line:
            self._console.print(f"instructions: {escape(line)}")


def _on_stderr(*, quiet: bool = False) -> Console:
    """A console on stderr. It wraps at words on a terminal; for a program or a file, lines stay whole."""
    return PlainConsole(stderr=True, quiet=quiet, highlight=False, soft_wrap=not sys.stderr.isatty())


def show_error(error: NalmError, about: str | None = None) -> None:
    """Prints an error: message, end of the log, next step. about: what it concerns, if it does not say so."""
    console = _on_stderr()
    named = error.message if about is None or about in error.message else f"{about}: {error.message}"
    console.print(f"[bold red]nalm:[/] {escape(named)}")
    if error.log:
        for line in error.log.splitlines():
            console.print(f"  [dim]|[/] {escape(line)}")
    if error.hint:
        console.print(f"  [bold]next:[/] {escape(error.hint)}")
