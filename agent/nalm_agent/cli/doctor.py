# SPDX-License-Identifier: Apache-2.0
"""`nalm doctor`: shows what this host can measure."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nalm_agent.report.output_file import STDOUT, require_place, write_file
from nalm_agent.runtime.errors import ExitCode, UsageError
from nalm_agent.shell import options
from nalm_agent.shell.examples import examples

if TYPE_CHECKING:
    from nalm_agent.doctor.finding import Finding


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm doctor --json",
            "nalm doctor --noise --seconds 120",
            "nalm doctor --noise --all --markdown nalm-noise.md",
            "nalm doctor --generator inside",
            "nalm doctor --factors --server https://nalm.example.org",
            "sudo nalm doctor --tune  --untune reverts it",
        )
    )(doctor)


def doctor(
    *,
    json_file: options.JsonOption = None,
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
    markdown: Annotated[
        str | None,
        typer.Option(
            "--markdown",
            metavar="FILE",
            help="With --noise --all: write the table to this file, for a CI's summary.",
        ),
    ] = None,
    factors: Annotated[
        bool,
        typer.Option(
            "--factors",
            help="Only show which properties of hosts move measurements, from all runs of a server.",
        ),
    ] = False,
    seconds: Annotated[float, typer.Option(min=1, help="Time for --noise, of each scenario.")] = 60,
    lcores: Annotated[int, typer.Option(min=1, help="CPUs to examine and to tune: a scenario's lcores.")] = 1,
    tune: Annotated[
        bool, typer.Option("--tune", help="As root, apply settings that can be reverted.")
    ] = False,
    untune: Annotated[bool, typer.Option("--untune", help="Revert what --tune changed.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --tune: only show the changes.")] = False,
    scenario: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --generator: the scenario whose NF it sends to.")
    ] = None,
    server: options.ServerOption = None,
    token_file: options.TokenFileOption = None,
    repo: options.RepoOption = Path(),
) -> None:
    """Show what this host can measure, and each problem with its effect and remedy."""
    from nalm_agent.doctor import command
    from nalm_agent.doctor.finding import severity
    from nalm_agent.doctor.show import print_findings
    from nalm_agent.store.home import Home

    require_place(json_file, "--json")
    quiet = json_file == STDOUT
    home = Home.default()
    if sum((noise, factors, tune, untune, generator is not None)) > 1 or (dry_run and not tune):
        raise UsageError(
            "--noise, --factors, --generator, --tune and --untune exclude each other, and --dry-run requires "
            "--tune",
            hint="run `nalm doctor` once for each option",
        )
    _require_table(noise=noise, every=every, markdown=markdown)
    if scenario is not None and generator is None:
        raise UsageError(
            "--scenario requires --generator", hint="`nalm doctor --noise --all` has every scenario"
        )
    if tune or untune:
        if dry_run:
            command.print_changes(command.planned(lcores), json_file)
        else:
            done = command.tune_host(home, lcores) if tune else command.untune_host(home)
            command.print_changes(done, json_file)
            if untune and any(one.refused for one in done):
                raise typer.Exit(ExitCode.NOT_MEASURED)
        return
    if generator is not None:
        found = [command.generator_finding(home, repo.absolute(), generator, scenario, quiet=quiet)]
        print_findings(found, json_file)
        raise typer.Exit(severity(found))
    if factors:
        print_findings(_factors(server, token_file), json_file)
        return
    scenarios = command.standing_scenarios(home, repo.absolute()) if every else []
    found = command.findings(home, lcores)
    by_scenario = []
    if every:
        by_scenario = command.noise_findings(home, repo.absolute(), scenarios, seconds, quiet=quiet)
        found += by_scenario
    elif noise:
        found.append(command.noise_finding(home, repo.absolute(), seconds, quiet=quiet))
    print_findings(found, json_file)
    if by_scenario and not quiet:
        command.print_resolutions(by_scenario)
    if markdown is not None:
        table = command.resolutions_markdown(by_scenario, socket.gethostname())
        write_file(markdown, table, "--markdown")
    raise typer.Exit(severity(found))


def _factors(server: str | None, token_file: Path | None) -> list[Finding]:
    """Which properties of hosts move measurements. Raises UsageError without a server, or if it refuses."""
    from nalm_core.wire.host_factors import HostFactors

    from nalm_agent.desk.submit import upload_token
    from nalm_agent.doctor.factors import findings_of
    from nalm_agent.runtime.given_token import given_token
    from nalm_agent.server_api.client import require_address
    from nalm_agent.server_api.reads import ask

    if not server:
        raise UsageError("no server is named", hint="give its address with --server or in NALM_SERVER")
    token = upload_token(token_file) if token_file or given_token() else None
    return findings_of(ask(require_address(server), token, "/host-factors", {}, HostFactors))


def _require_table(*, noise: bool, every: bool, markdown: str | None) -> None:
    """Raises UsageError for options of the table of scenarios without what makes it."""
    if every and not noise:
        raise UsageError("--all requires --noise", hint="run `nalm doctor --noise --all`")
    if markdown is not None and not every:
        raise UsageError(
            "--markdown requires --noise --all, whose table it writes",
            hint="run `nalm doctor --noise --all --markdown nalm-noise.md`",
        )
    require_place(markdown, "--markdown")
