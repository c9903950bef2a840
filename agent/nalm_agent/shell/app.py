# SPDX-License-Identifier: Apache-2.0
"""The command `nalm`: parses arguments, runs a command, returns its exit code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from nalm_agent.runtime.errors import ExitCode, NalmError, OutputError, StoppedError, refused_by_host
from nalm_agent.runtime.process import stop_all
from nalm_agent.runtime.stop_signals import INTERRUPTED, stop_on_signals
from nalm_agent.shell.commands import LazyGroup, check_values
from nalm_agent.shell.encoding import respect_terminal
from nalm_agent.shell.exit_codes import FAULT, UNREAD

app = typer.Typer(
    cls=LazyGroup,
    help="Continuous performance regression for network functions.\n\n"
    "Exit codes: 0 no regression, 1 regression, 2 usage, 3 inconclusive, 4 could not measure.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def root(
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Options of `nalm` itself."""
    if show_version:
        from nalm_core.release import release

        typer.echo(f"nalm {release('nalm-agent')}")
        raise typer.Exit
    _revert_abandoned_settings()


def _revert_abandoned_settings() -> None:
    """Reverts the settings of an experiment that was killed. If the host refuses, the command goes on."""
    from nalm_agent.store.home import SETTINGS_RECORD, Home

    home = Home.default()
    if not (home.root / SETTINGS_RECORD).exists():
        return
    from nalm_agent.host.kernel_files import System
    from nalm_agent.host.tune import revert_abandoned
    from nalm_agent.report.console import show_error

    try:
        done = revert_abandoned(System(), home)
    except NalmError as error:
        show_error(error)
        return
    for one in done:
        if one.refused is None:
            print(f"nalm: reverted a setting of an experiment that was killed: {one.path}", file=sys.stderr)
        else:
            print(
                f"nalm: a setting of an experiment that was killed remains: {one.path}: {one.refused}; "
                "as root, `nalm doctor --untune` reverts it",
                file=sys.stderr,
            )


check_values()


def _report(error: NalmError) -> None:
    from nalm_agent.report.console import show_error  # only an error needs a console

    show_error(error)
    if isinstance(error, OutputError):
        from nalm_agent.report.output_file import discard_output

        discard_output()  # what is left of it would fail again at the end of the program


def _report_fault(error: Exception) -> None:
    """Prints the error: with a traceback, unless the host is the cause (full disk, missing permission)."""
    refused = refused_by_host(error) if isinstance(error, OSError) else None
    if refused is not None:
        _report(refused)
        return
    import traceback  # only a fault needs it

    traceback.print_exc()
    print("nalm: internal error; please report it with the lines above", file=sys.stderr)


def _has_working_directory() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def run_app(command: typer.Typer) -> None:
    """Runs a command: a NalmError becomes a message and an exit code; an interrupt leaves nothing running."""
    respect_terminal()
    stop_on_signals()
    try:
        command()
    except NalmError as error:
        _report(error)
        sys.exit(error.exit_code)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            sys.exit(UNREAD)
        raise
    except StoppedError:
        print("nalm: interrupted; nothing is left running", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception as error:
        if isinstance(error, FileNotFoundError) and not _has_working_directory():
            print("nalm: the working directory was removed: change to one that exists", file=sys.stderr)
            sys.exit(ExitCode.USAGE)
        _report_fault(error)
        sys.exit(FAULT)
    finally:
        stop_all()
