# SPDX-License-Identifier: Apache-2.0
"""Shows views until the NF ends or the user quits."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.live import Live

from nalm_agent.report.output_file import STDOUT
from nalm_agent.report.print_run import console as standard_output
from nalm_agent.top.cut_to_height import CutToHeight
from nalm_agent.top.keys import Keys
from nalm_agent.top.recording import Recorder
from nalm_agent.top.screen import Screen
from nalm_agent.top.view import Feed, View


@dataclass(frozen=True)
class WatchOptions:
    """The options of `nalm top`."""

    interval: float
    once: bool = False
    json_file: str | None = None
    """The file for one JSON object per view; `-` is standard output, which then has nothing else."""
    lcores: bool = False
    record: Path | None = None


class QuitError(Exception):
    """The user pressed q."""


def watch(feed: Feed, options: WatchOptions) -> None:
    """Shows one view per interval and records it if the options say so. Closes the feed."""
    console = standard_output()
    moves = console.is_terminal and not console.is_dumb_terminal
    live = moves and options.json_file != STDOUT and not options.once
    with ExitStack() as stack:
        stack.callback(feed.close)
        recorders = [Recorder(options.record)] if options.record else []
        if options.json_file not in (None, STDOUT):
            recorders.append(Recorder(Path(str(options.json_file)), option="--json", empty=True))
        for one in recorders:
            stack.callback(one.close)
        show = _Live(stack, console, options) if live else _Lines(console, options)
        try:
            while (view := feed.next_view(show.wait, options.interval)) is not None:
                for one in recorders:
                    one.add(view)
                show.show(view)
                if options.once:
                    return
        except QuitError:
            return
    print("the NF, or the recording, has ended", file=sys.stderr)


class _Lines:
    """Prints one view after the other, for pipes, files and programs."""

    def __init__(self, console: Console, options: WatchOptions) -> None:
        self._console, self._json = console, options.json_file == STDOUT
        self._screen = Screen(lcores=options.lcores)
        self.wait = time.sleep

    def show(self, view: View) -> None:
        if self._json:
            print(view.model_dump_json(), flush=True)
            return
        self._screen.history = [view]
        self._console.print(self._screen, soft_wrap=not self._console.is_terminal)


class _Live:
    """Shows views on the alternate screen and handles keys. The last view stays on the terminal."""

    def __init__(self, stack: ExitStack, console: Console, options: WatchOptions) -> None:
        keys = stack.enter_context(Keys(self._key, self._resized))
        self._screen = Screen(lcores=options.lcores, keys=keys.there)
        stack.callback(self._leave, console)
        shown = CutToHeight(self._screen)
        self._live = stack.enter_context(Live(shown, console=console, auto_refresh=False, screen=True))
        self._live.refresh()
        self.wait = keys.wait

    def show(self, view: View) -> None:
        self._screen.add(view)
        self._live.refresh()

    def _leave(self, console: Console) -> None:
        if self._screen.history:
            self._screen.keys = self._screen.paused = False
            console.print(self._screen)

    def _resized(self) -> None:
        self._live.refresh()

    def _key(self, key: str) -> None:
        screen = self._screen
        if key == "q":
            raise QuitError
        if key == " ":
            screen.paused = not screen.paused
        elif key == "s":
            screen.costliest_first = not screen.costliest_first
        elif key == "l":
            screen.lcores = not screen.lcores
        self._live.refresh()
