# SPDX-License-Identifier: Apache-2.0
"""The commands of `nalm`: the module of one, `nalm_agent.cli.NAME`, is imported when the command runs."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.main import get_group

COMMANDS: dict[str, dict[str, str]] = {
    "Beginning": {
        "init": "Write a first nalm.toml at the repository's root from what it looks like; never overwrites "
        "one.",
        "doctor": "Say what this host can measure, and for each problem its effect and its cure.",
    },
    "Judging a change": {
        "check": "Judge a change before it is merged: build both, count instructions, compare cycles side "
        "by side.",
        "watch": "Judge the working tree against one base, and again on every save, until interrupted.",
        "bench": "Measure commits, each against its first parent.",
        "hook": "Judge what is pushed before it is pushed.",
    },
    "Where a change lies": {
        "explain": "Show what a change costs: functions by call path, both sides' source lines, "
        "a flame graph.",
        "compare": "Split a change of CPP into efficiency, mix, features and execution model.",
        "bisect": "Find the commit between GOOD and BAD that changed a figure; "
        "goes on where it was interrupted.",
        "history": "Show one metric along a branch: its course, changes of level, the last verdicts.",
        "detect": "Find change points in histories read from standard input: a JSON list of series.",
    },
    "A running NF": {
        "top": "Watch a running NF: packets per second, CUR, CPP, eIPC and IPP per stage and lcore, named "
        "drops.",
        "gdb": "Debug an NF with its probe's figures at hand: `nalm stages`, `nalm since`, `nalm lcores` "
        "inside gdb.",
    },
    "Rates and variants": {
        "rate": "Measure rates: at full load, without loss, with little loss; latency and jitter below that.",
        "soak": "Keep one load for hours: drift of cost and rate, growth of the tail, leaks. Stops and "
        "resumes.",
        "experiment": "Measure what features, variants or execution models of one commit cost, side by side.",
    },
    "Reports, builds and servers": {
        "show": "Print the verdicts on saved run reports, or write them in another form.",
        "submit": "Upload run reports to a nalm server, once each, and answer with its verdicts.",
        "log": "Print the log of a revision's build on this host, failed or not, without control sequences.",
        "store": "Show the store of builds and instruction counts, and keep it small.",
        "man": "Write a manual page for nalm and each of its commands.",
        "agent": "Serve a nalm server: lease jobs, measure them, upload the reports.",
    },
}
"""Heading of `nalm --help` to its commands, with the first paragraph of each command's help."""


class UnloadedCommand(TyperCommand):
    """Stands for a command in lists: whoever calls it gets the command itself."""

    def loaded(self) -> Any:
        """The command itself."""
        holder = typer.Typer(rich_markup_mode="markdown", add_completion=False)
        holder.callback()(_nothing)
        import_module(f"nalm_agent.cli.{self.name}").add_to(holder)
        return get_group(holder).commands[str(self.name)]

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """The context of the command itself: what parses its arguments and calls it."""
        return self.loaded().make_context(info_name, args, parent, **extra)


class LazyGroup(TyperGroup):
    """All commands, none of them loaded."""

    def __init__(self, *, commands: Any = None, **attributes: Any) -> None:
        rows = [(name, text, heading) for heading, below in COMMANDS.items() for name, text in below.items()]
        unloaded: dict[str, Any] = {
            name: UnloadedCommand(
                name, callback=_nothing, help=text, rich_help_panel=heading, rich_markup_mode="markdown"
            )
            for name, text, heading in rows
        }
        super().__init__(commands=unloaded, **attributes)


def _nothing() -> None:
    """Of a group without options of its own, and of a command that is not loaded."""


def show_no_type_of_flags() -> None:
    """Typer writes `<bool>` after an option that takes no value."""
    original = TyperOption.display_type_rich

    def display_type_rich(option: TyperOption, ctx: Any) -> str | None:
        return None if option.is_flag else original(option, ctx=ctx)

    TyperOption.display_type_rich = display_type_rich  # type: ignore[method-assign, assignment]
