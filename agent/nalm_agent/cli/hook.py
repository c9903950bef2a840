# SPDX-License-Identifier: Apache-2.0
"""`nalm hook`: judges commits before a push, as a hook of git or of pre-commit."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from nalm_agent.desk.hook import install as write
from nalm_agent.desk.hook import judged, pushed_commits
from nalm_agent.desk.hook import remove as take_away
from nalm_agent.runtime.errors import ExitCode
from nalm_agent.shell import options
from nalm_agent.shell.commands import CommandGroup
from nalm_agent.shell.examples import examples
from nalm_agent.source.git import WORKTREE, Repository

hook = typer.Typer(
    cls=CommandGroup,
    help="Judge commits before they are pushed.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def add_to(app: typer.Typer) -> None:
    """Adds the commands to `nalm`."""
    app.add_typer(hook, name="hook")


@hook.command(epilog=examples("nalm hook install"))
def install(repo: options.RepoOption = Path()) -> None:
    """Write a pre-push hook; never overwrites another tool's hook."""

    with TemporaryDirectory() as scratch:
        typer.echo(f"wrote {write(_repository(repo, scratch))}; `git push --no-verify` skips it")


@hook.command(epilog=examples("nalm hook remove"))
def remove(repo: options.RepoOption = Path()) -> None:
    """Remove nalm's pre-push hook."""

    with TemporaryDirectory() as scratch:
        gone = take_away(_repository(repo, scratch))
    typer.echo("there is no hook of nalm" if gone is None else f"removed {gone}")


@hook.command(
    epilog=examples(
        "exec nalm hook run  in your own pre-push hook",
        "exec nalm hook run --tree  in your own pre-commit hook",
    )
)
def run(
    *,
    tree: Annotated[
        bool, typer.Option("--tree", help="Judge the working tree, for a pre-commit hook, instead of a push.")
    ] = False,
    repo: options.RepoOption = Path(),
) -> None:
    """Judge the commits that git or pre-commit is about to push. Exit code 1 for a regression."""

    with TemporaryDirectory() as scratch:
        repository = _repository(repo, scratch)
        act, revisions = ("commit", [WORKTREE]) if tree else ("push", _pushed())
        for revision in revisions:
            code = judged(repository, revision)
            if code == ExitCode.REGRESSION:
                typer.echo(
                    f"nalm: a regression stops the {act}; `git {act} --no-verify` skips the hook", err=True
                )
                raise typer.Exit(code)
            if code != ExitCode.OK:
                typer.echo(
                    f"nalm: the {act} continues without a verdict: only a regression stops it", err=True
                )


def _pushed() -> list[str]:
    """Commits that the push adds. Prints the reason if there are none."""

    typed = sys.stdin is None or sys.stdin.isatty()
    commits = pushed_commits(() if typed else sys.stdin, os.environ)
    if not commits:
        typer.echo(
            "nalm: the push has no branch, so nothing is judged; `nalm check` judges a change", err=True
        )
    return commits


def _repository(repo: Path, scratch: str) -> Repository:

    return Repository(repo.absolute(), Path(scratch))
