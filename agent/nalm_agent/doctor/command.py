# SPDX-License-Identifier: Apache-2.0
"""The actions of `nalm doctor`: findings, noise, tuning."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from nalm_core.stats.resolution import TIMES_S
from nalm_core.text.percents import share_percent
from rich.markup import escape
from rich.table import Table

from nalm_agent.doctor.examine import examine
from nalm_agent.doctor.finding import Finding, note
from nalm_agent.doctor.look import look
from nalm_agent.host import tune
from nalm_agent.host.cores import choose
from nalm_agent.host.health import remember_noise
from nalm_agent.host.kernel_files import System
from nalm_agent.host.tunables import Change, changes_for
from nalm_agent.report.console import Terminal
from nalm_agent.report.output_file import STDOUT, write_json
from nalm_agent.report.plain_console import PlainConsole
from nalm_agent.report.print_run import console
from nalm_agent.runtime.errors import NalmError
from nalm_agent.store.home import Home

RESOLVES = "change_in_60_s"
"""The figure of `noise_finding` that agents report to their server."""
NOT_SEEN = "what size of change this scenario shows here is unknown"
MEASURE_IT = "`nalm check --force --scenario` shows why it cannot be measured"


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


def standing_scenarios(home: Home, repository: Path) -> list[str]:
    """The scenarios that are measured by default. Raises NalmError without a project that has some."""
    from nalm_agent.doctor.noise import scenarios_of

    with home.work() as work:
        return scenarios_of(repository, work)


def noise_findings(
    home: Home, repository: Path, scenarios: Sequence[str], seconds: float, *, quiet: bool
) -> list[Finding]:
    """The same for each of these scenarios; the first is the one that agents report. A scenario that cannot
    be measured here is a note."""
    from nalm_agent.doctor.noise import compare_with_itself
    from nalm_agent.doctor.resolution import noise  # loads SciPy

    findings = []
    for name in scenarios:
        with home.work() as work, Terminal(quiet=quiet) as progress:
            try:
                run = compare_with_itself(
                    home, work, progress, seconds=seconds, repository=repository, scenario=name
                )
                found = replace(noise(run), name=f"noise {name}")
            except NalmError as error:
                found = note(f"noise {name}", error.message, NOT_SEEN, error.hint or MEASURE_IT)
        findings.append(found)
        if name == scenarios[0] and (resolves := found.figures.get(RESOLVES)) is not None:
            remember_noise(home, resolves)
    return findings


def generator_finding(
    home: Home, repository: Path, name: str, scenario: str | None, *, quiet: bool
) -> Finding:
    """Checks a generator with the NF of the working tree, and prints its table of rates."""
    from nalm_agent.doctor.generator import (  # loads measurements
        GeneratorPlan,
        checked,
        finding,
        print_rates_offered,
    )

    with home.work() as work, Terminal(quiet=quiet) as progress:
        found = checked(GeneratorPlan(name, repository, scenario), home, work, progress)
        if not quiet:
            with progress.aside():
                print_rates_offered(found)
    return finding(name, found)


def print_resolutions(findings: Sequence[Finding]) -> None:
    """The table: what size of change each scenario shows, in how much time."""
    first, *headings = _HEADINGS
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first)
    for heading in headings:
        table.add_column(heading, justify="right")
    for one in findings:
        table.add_row(*_resolution(one))
    out = console()
    out.print("Change of CPP that a run shows on this host, by its time:", highlight=False)
    out.print(table)


def resolutions_markdown(findings: Sequence[Finding], host: str) -> str:
    """The same table for a CI's summary, with the reason of each scenario that has no figure."""
    rows = [_HEADINGS, ["---"] + ["---:"] * (len(_HEADINGS) - 1), *(_resolution(one) for one in findings)]
    lines = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in rows]
    reasons = [f"- {one.name}: {one.value}" for one in findings if not one.figures]
    title = f"### nalm: change of CPP that a run shows on {host}, by its time"
    return "\n".join([title, "", *lines, *([""] if reasons else []), *reasons, ""])


def _resolution(one: Finding) -> list[str]:
    sizes = [_size(one, f"change_in_{seconds:g}_s") for seconds in TIMES_S]
    return [one.name.removeprefix("noise "), *sizes, _size(one, "margin")]


def _time(seconds: float) -> str:
    return f"{seconds / 60:g} min" if seconds >= 60 else f"{seconds:g} s"


_HEADINGS = ["scenario", *(_time(seconds) for seconds in TIMES_S), "margin"]


def _size(one: Finding, figure: str) -> str:
    return share_percent(one.figures[figure], 2) if figure in one.figures else "-"


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


def print_changes(changes: Sequence[Change | tune.Done], json_file: str | None) -> None:
    """Prints a line for each setting: its values before and after, or why it was refused."""
    write_json(json_file, json.dumps([_document(change) for change in changes]))
    if json_file == STDOUT:
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
