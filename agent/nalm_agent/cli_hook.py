# SPDX-License-Identifier: Apache-2.0
"""`nalm hook`: judge before a push, by git itself or by pre-commit."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import typer

from nalm_agent import cli_options as options

if TYPE_CHECKING:
    from nalm_agent.git import Repository

hook = typer.Typer(help="Judge what is pushed before it is pushed.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    """Adds the commands to `nalm`."""
    app.add_typer(hook, name="hook")


@hook.command(epilog="Example:\n\n    nalm hook install")
def install(repo: options.RepoOption = Path()) -> None:
    """Write a pre-push hook; never overwrites one that is not nalm's."""
    from nalm_agent.hook import install as write

    with TemporaryDirectory() as scratch:
        typer.echo(f"wrote {write(_repository(repo, scratch))}; `git push --no-verify` passes it by")


@hook.command(epilog="Example:\n\n    nalm hook remove")
def remove(repo: options.RepoOption = Path()) -> None:
    """Remove nalm's pre-push hook."""
    from nalm_agent.hook import remove as take_away

    with TemporaryDirectory() as scratch:
        gone = take_away(_repository(repo, scratch))
    typer.echo("there was none" if gone is None else f"removed {gone}")


@hook.command(epilog="Example, in a hook of your own:\n\n    exec nalm hook run")
def run(repo: options.RepoOption = Path()) -> None:
    """What the hook does: judge what git or pre-commit is about to push. Exit code 1 for a regression."""
    from nalm_agent.errors import ExitCode
    from nalm_agent.hook import may_be_pushed, pushed_commits

    with TemporaryDirectory() as scratch:
        repository = _repository(repo, scratch)
        lines = () if sys.stdin is None or sys.stdin.isatty() else sys.stdin
        commits = pushed_commits(lines, os.environ)
        if not all(may_be_pushed(repository, commit) for commit in commits):
            typer.echo("nalm: a regression is not pushed; `git push --no-verify` does it anyway", err=True)
            raise typer.Exit(ExitCode.REGRESSION)


def _repository(repo: Path, scratch: str) -> Repository:
    from nalm_agent.git import Repository

    return Repository(repo.absolute(), Path(scratch))
