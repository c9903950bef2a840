# SPDX-License-Identifier: Apache-2.0
"""The commands of `nalm`. A command's module, `nalm_agent.cli.NAME`, is imported when the command runs."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from math import isfinite
from typing import Any

import typer
from nalm_core.text.json_option import with_json_files
from nalm_core.text.mistakes import in_words
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_group

COMMANDS: dict[str, dict[str, str]] = {
    "Beginning": {
        "init": "Write a first nalm.toml, derived from the repository's contents; never overwrites one.",
        "build": "Build a revision and try it out, without measuring it.",
        "config": "Check nalm.toml of the working tree, and list what is measured beside packets and cycles.",
        "doctor": "Show what this host can measure, and each problem with its effect and remedy.",
    },
    "Judging a change": {
        "check": "Judge a change before it is merged: build both, count instructions, compare cycles side "
        "by side.",
        "watch": "Judge the working tree against one base, and again on every save, until interrupted.",
        "bench": "Measure commits, each against its first parent: `nalm check` for a whole range.",
        "hook": "Judge commits before they are pushed.",
    },
    "Where a change lies": {
        "explain": "Show what a change costs: functions as judged, call paths, both sides' source lines, "
        "a flame graph.",
        "compare": "Split a change of CPP into efficiency, mix, features and execution model; compare saved "
        "runs. `nalm check BASE HEAD` judges.",
        "bisect": "Find the commit between GOOD and BAD that changed a figure; "
        "continues an interrupted search.",
        "history": "Show one metric along a branch: its course, changes of level, and the latest verdicts.",
        "detect": "Find change points in histories read from standard input: a JSON list of series.",
    },
    "A running NF": {
        "top": "Watch a running NF: packets per second, CUR, CPP, eIPC and IPP per stage and lcore, named "
        "drops.",
        "gdb": "Debug an NF with the figures of its probe: `nalm stages`, `nalm since`, `nalm lcores` "
        "inside gdb.",
    },
    "Rates and variants": {
        "rate": "Measure rates (MRR, NDR, PDR), latency, jitter, or figures over the load; compare builds.",
        "soak": "Keep one load for hours to find drift of cost and rate, growing tail latency, and leaks.",
        "experiment": "Measure the cost of features, variants or execution models of one commit, "
        "side by side; its speedup with lcores, its roles and its queue, the first packets of its flows, and "
        "what the host's settings contribute.",
        "model": "Predict what an NF does with more lcores, more load or other hardware (docs/models.md).",
    },
    "Reports, builds and servers": {
        "show": "Print the verdicts on saved run reports, or write them in another format.",
        "submit": "Upload run reports to a nalm server and print its verdicts; each report is stored once.",
        "log": "Print the log of a revision's build on this host, without control sequences; "
        "also of a failed build.",
        "store": "Show the store of builds and instruction counts, or remove entries from it.",
        "man": "Write a manual page for nalm and each of its commands.",
        "agent": "Serve a nalm server: lease jobs, measure them, upload the reports.",
    },
}
"""Headings of `nalm --help`, each with its commands and the first paragraph of their help."""


class JsonCommand(TyperCommand):
    """A command whose `--json` takes a file, or none."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the arguments with a file after each `--json`."""
        return super().parse_args(ctx, with_json_files(args))


class UnloadedCommand(TyperCommand):
    """Represents a command in lists; loads the command when it is called."""

    def loaded(self) -> Any:
        """Imports and returns the command."""
        holder = typer.Typer(rich_markup_mode=None, add_completion=False)
        holder.callback()(_nothing)
        import_module(f"nalm_agent.cli.{self.name}").add_to(holder)
        return get_group(holder).commands[str(self.name)]

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:
        """The context of the loaded command, which parses its arguments and calls it."""
        command = self.loaded()
        gc.freeze()  # modules stay, so the garbage collector never searches them
        gc.enable()
        return command.make_context(info_name, with_json_files(args), parent, **extra)


class CommandGroup(TyperGroup):
    """A command with commands below it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses the options before a command, without pydantic, which Typer loads to check a flag's None."""
        for one in self.get_params(ctx):
            if isinstance(one, TyperOption) and one.is_flag and one.default is None:
                one.default = False
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands below their headings, each with the first paragraph of its help."""
        width = max(map(len, self.commands))
        for heading, below in self.headings().items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), text) for name, text in below.items()])

    def headings(self) -> dict[str, dict[str, str]]:
        """Names of commands and the first paragraphs of their help, by heading."""
        shown = {name: one.help or "" for name, one in self.commands.items() if not one.hidden}
        return {"Commands": {name: text.partition("\n\n")[0] for name, text in shown.items()}}


class LazyGroup(CommandGroup):
    """All commands, unloaded."""

    def __init__(self, *, commands: Any = None, **attributes: Any) -> None:
        unloaded: dict[str, Any] = {
            name: UnloadedCommand(name, callback=_nothing, help=text, rich_markup_mode=None)
            for below in COMMANDS.values()
            for name, text in below.items()
        }
        super().__init__(commands=unloaded, **attributes)

    def headings(self) -> dict[str, dict[str, str]]:
        """All commands, unloaded."""
        return COMMANDS


def _nothing() -> None:
    """The callback of a group without options, and of a command that is not loaded."""


def check_values() -> None:
    """Puts Typer's messages about wrong values into words, and lets no number be infinite or NaN: limits let
    some of these pass, and no measurement or report has a place for them."""
    for kind in (TyperOption, TyperArgument):
        kind.process_value = in_words(_finite(kind.process_value))  # type: ignore[method-assign]


def _finite(process: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(process)
    def processed(self: Any, ctx: Any, value: Any) -> Any:
        found = process(self, ctx, value)
        if isinstance(found, float) and not isfinite(found):
            raise typer.BadParameter("expected a finite number", ctx=ctx, param=self)
        return found

    return processed
