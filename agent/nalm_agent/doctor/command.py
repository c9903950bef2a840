# SPDX-License-Identifier: Apache-2.0
"""The actions of `nalm doctor`: findings, noise, tuning."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.markup import escape

from nalm_agent.doctor import tune
from nalm_agent.doctor.examine import examine
from nalm_agent.doctor.finding import Finding
from nalm_agent.doctor.look import look
from nalm_agent.doctor.tunables import Change, changes_for
from nalm_agent.host.cores import choose
from nalm_agent.host.health import remember_noise
from nalm_agent.host.kernel_files import System
from nalm_agent.report.console import Terminal
from nalm_agent.report.plain_console import PlainConsole
from nalm_agent.store.home import Home

RESOLVES = "change_in_60_s"
"""The figure of `noise_finding` that agents report to their server."""


def findings(home: Home, lcores: int) -> list[Finding]:
    """Examines the host."""
    return examine(look(home, lcores))


def noise_finding(home: Home, repository: Path, seconds: float, *, quiet: bool) -> Finding:
    """Compares an NF with itself to find the size of change that this host detects."""
    from nalm_agent.doctor.noise import compare_with_itself
    from nalm_agent.doctor.resolution import noise  # loads SciPy

    with home.work() as work, Terminal(quiet=quiet) as progress:
        found = noise(compare_with_itself(home, work, progress, seconds=seconds, repository=repository))
    if (resolves := found.figures.get(RESOLVES)) is not None:
        remember_noise(home, resolves)
    return found


def planned(lcores: int) -> list[Change]:
    """The changes that `--tune` would make now."""
    measuring = choose(lcores).cpus
    others = tuple(sorted(os.sched_getaffinity(0) - set(measuring)))
    return changes_for(System(), measuring, others)


def tune_host(home: Home, lcores: int) -> list[tune.Done]:
    """Applies settings that can be reverted. Raises UsageError unless run by root."""
    tune.require_root()
    return tune.tune(System(), home, planned(lcores))


def untune_host(home: Home) -> list[tune.Done]:
    """Reverts the changes of `--tune`. Raises UsageError unless run by root."""
    tune.require_root()
    return tune.untune(System(), home)


def print_changes(changes: Sequence[Change | tune.Done], *, as_json: bool) -> None:
    """Prints a line for each setting: its values before and after, or why it was refused."""
    if as_json:
        print(json.dumps([_document(change) for change in changes]))
        return
    console = PlainConsole(highlight=False, soft_wrap=True)
    if not changes:
        console.print("nothing to change")
    for one in changes:
        if isinstance(one, Change):
            console.print(f"would be {escape(one.path)}: {one.before} -> {one.target} ({one.why})")
        elif one.refused is None:
            console.print(f"[green]ok[/]      {escape(one.path)}: {one.before} -> {one.after} ({one.why})")
        else:
            console.print(f"[yellow]refused[/] {escape(one.path)}: {one.before}, {escape(one.refused)}")


def _document(change: Change | tune.Done) -> dict[str, str | None]:
    """The change as JSON; `wanted` is the former name of `target`."""
    former = {"wanted": change.target} if isinstance(change, Change) else {}
    return {**asdict(change), **former}
