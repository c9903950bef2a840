# SPDX-License-Identifier: Apache-2.0
"""`nalm doctor`: shows what this host can measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nalm_agent.doctor import command
from nalm_agent.doctor.finding import severity
from nalm_agent.doctor.show import print_findings
from nalm_agent.runtime.errors import ExitCode, UsageError
from nalm_agent.shell import options
from nalm_agent.store.home import Home


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog="Examples:\n\n    nalm doctor --json\n\n    nalm doctor --noise --seconds 120\n\n"
        "    nalm doctor --noise --all\n\n"
        "    nalm doctor --generator inside\n\n"
        "    sudo nalm doctor --tune         --untune reverts it"
    )(doctor)


def doctor(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    noise: Annotated[
        bool, typer.Option("--noise", help="Compare an NF with itself: the size of change this host detects.")
    ] = False,
    every: Annotated[
        bool,
        typer.Option("--all", help="With --noise: every scenario of nalm.toml that is measured by default."),
    ] = False,
    generator: Annotated[
        str | None,
        typer.Option(
            "--generator",
            metavar="NAME",
            help="Only check whether this generator of load offers what it is asked for, rate by rate.",
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(min=1, help="Time for --noise, of each scenario.")] = 60,
    lcores: Annotated[int, typer.Option(min=1, help="CPUs to examine and to tune: a scenario's lcores.")] = 1,
    tune: Annotated[
        bool, typer.Option("--tune", help="As root, apply settings that can be reverted.")
    ] = False,
    untune: Annotated[bool, typer.Option("--untune", help="Revert what --tune changed.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --tune: only show the changes.")] = False,
    scenario: Annotated[
        str | None, typer.Option(help="With --generator: the scenario whose NF it sends to.")
    ] = None,
    repo: options.RepoOption = Path(),
) -> None:
    """Show what this host can measure, and each problem with its effect and remedy."""

    home = Home.default()
    if sum((noise, tune, untune, generator is not None)) > 1 or (dry_run and not tune):
        raise UsageError(
            "--noise, --generator, --tune and --untune exclude each other, and --dry-run requires --tune",
            hint="run `nalm doctor` once for each option",
        )
    if every and not noise:
        raise UsageError("--all requires --noise", hint="run `nalm doctor --noise --all`")
    if scenario is not None and generator is None:
        raise UsageError(
            "--scenario requires --generator", hint="`nalm doctor --noise --all` has every scenario"
        )
    if tune or untune:
        if dry_run:
            command.print_changes(command.planned(lcores), as_json=as_json)
        else:
            done = command.tune_host(home, lcores) if tune else command.untune_host(home)
            command.print_changes(done, as_json=as_json)
            if untune and any(one.refused for one in done):
                raise typer.Exit(ExitCode.NOT_MEASURED)
        return
    if generator is not None:
        found = [command.generator_finding(home, repo.absolute(), generator, scenario, quiet=as_json)]
        print_findings(found, as_json=as_json)
        raise typer.Exit(severity(found))
    found = command.findings(home, lcores)
    by_scenario = []
    if noise and every:
        by_scenario = command.noise_findings(home, repo.absolute(), seconds, quiet=as_json)
        found += by_scenario
    elif noise:
        found.append(command.noise_finding(home, repo.absolute(), seconds, quiet=as_json))
    print_findings(found, as_json=as_json)
    if by_scenario and not as_json:
        command.print_resolutions(by_scenario)
    raise typer.Exit(severity(found))
