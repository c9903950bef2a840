# SPDX-License-Identifier: Apache-2.0
"""The command `nalm`: arguments in, exit codes out. What a command does is in a module named after it."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from nalm_agent import version
from nalm_agent.cli import (
    agent,
    bisect,
    check,
    compare,
    detect,
    experiment,
    explain,
    history,
    hook,
    man,
    rate,
    store,
    submit,
    top,
    watch,
)
from nalm_agent.report.console import Terminal, show_error
from nalm_agent.runtime.errors import ExitCode, NalmError, StoppedError, UsageError, refused_by_host
from nalm_agent.runtime.process import stop_all
from nalm_agent.runtime.stop_signals import INTERRUPTED, stop_on_signals
from nalm_agent.shell import options
from nalm_agent.shell.encoding import respect_terminal
from nalm_agent.shell.entry import UNREAD
from nalm_agent.shell.headings import group_commands, show_no_type_of_flags
from nalm_agent.store.home import Home

FAULT = 4
"""Nothing was measured: never the code of a regression, which would stop a merge."""


app = typer.Typer(
    help="Continuous performance regression for network functions.\n\n"
    "Exit codes: 0 no regression, 1 regression, 2 usage, 3 inconclusive, 4 could not measure.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def root(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Options of `nalm` itself."""
    if show_version:
        typer.echo(f"nalm {version()}")
        raise typer.Exit


@app.command(epilog="Example:\n\n    nalm init && nalm check")
def init(
    repo: options.RepoOption = Path(),
    *,
    headers: Annotated[
        bool, typer.Option("--headers", help="Write nalm_probe.h and nalm_loop.h instead.")
    ] = False,
) -> None:
    """Write a first nalm.toml at the repository's root from what it looks like; never overwrites one."""
    from nalm_agent.config.location import root_to_be
    from nalm_agent.desk.init import write_first_config, write_headers

    if headers:
        for header in write_headers(repo.absolute()):
            typer.echo(f"wrote {header}")
        return
    path, remarks = write_first_config(root_to_be(repo), Terminal().say)
    typer.echo(f"wrote {path}")
    for remark in remarks:
        typer.echo(f"- {remark}")


@app.command(
    epilog="Examples:\n\n    nalm doctor --json\n\n    nalm doctor --noise --seconds 120\n\n"
    "    sudo nalm doctor --tune         and back: --untune"
)
def doctor(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    noise: Annotated[
        bool, typer.Option("--noise", help="Compare an NF with itself: what change this host can see.")
    ] = False,
    seconds: Annotated[float, typer.Option(min=1, help="How long --noise may take.")] = 60,
    lcores: Annotated[int, typer.Option(min=1, help="CPUs to look at and to tune: a scenario's lcores.")] = 1,
    tune: Annotated[bool, typer.Option("--tune", help="Change what can be put back, as root.")] = False,
    untune: Annotated[bool, typer.Option("--untune", help="Put it back.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="With --tune: only show.")] = False,
    repo: options.RepoOption = Path(),
) -> None:
    """Say what this host can measure, and for each problem its effect and its cure."""
    from nalm_agent.doctor import command
    from nalm_agent.doctor.finding import severity
    from nalm_agent.doctor.show import print_findings

    home = Home.default()
    if sum((noise, tune, untune)) > 1 or (dry_run and not tune):
        raise UsageError(
            "--noise, --tune and --untune exclude each other, and --dry-run goes with --tune",
            hint="run `nalm doctor` once for each",
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
    found = command.findings(home, lcores)
    if noise:
        found.append(command.noise_finding(home, repo.absolute(), seconds, quiet=as_json))
    print_findings(found, as_json=as_json)
    raise typer.Exit(severity(found))


check.add_to(app)
watch.add_to(app)
hook.add_to(app)
man.add_to(app)
agent.add_to(app)
bisect.add_to(app)
compare.add_to(app)
detect.add_to(app)
experiment.add_to(app)
explain.add_to(app)
history.add_to(app)
store.add_to(app)
rate.add_to(app)
submit.add_to(app)
top.add_to(app)
group_commands(app)
show_no_type_of_flags()


def _tell_fault(error: Exception) -> None:
    """With a traceback, unless it is the host's: a full disk, a missing permission."""
    refused = refused_by_host(error) if isinstance(error, OSError) else None
    if refused is not None:
        show_error(refused)
        return
    traceback.print_exc()
    print("nalm: a fault of nalm itself; please report it with the lines above", file=sys.stderr)


def run_app(command: typer.Typer) -> None:
    """Runs a command: a NalmError becomes a message and an exit code; an interrupt leaves nothing running."""
    respect_terminal()
    stop_on_signals()
    try:
        command()
    except NalmError as error:
        show_error(error)
        sys.exit(error.exit_code)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            sys.exit(UNREAD)
        raise
    except StoppedError:
        print("nalm: interrupted; nothing is left running", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception as error:
        _tell_fault(error)
        sys.exit(FAULT)
    finally:
        stop_all()
