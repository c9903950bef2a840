# SPDX-License-Identifier: Apache-2.0
"""`nalm log`: prints a build's log."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from nalm_core.text.plain_text import plain

from nalm_agent.build.build import build_address, build_log
from nalm_agent.measure.request import read_config
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell import options
from nalm_agent.shell.completion import revision_names
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(epilog="Examples:\n\n    nalm log\n\n    nalm log HEAD~1")(log)


def log(
    revision: Annotated[
        str,
        typer.Argument(metavar="REV", help="A commit, or the working tree.", autocompletion=revision_names),
    ] = "worktree",
    repo: options.RepoOption = Path(),
) -> None:
    """Print the log of a revision's build on this host, without control sequences; also of a failed build."""

    home = Home.default()
    with home.work() as work:
        repository = Repository(repo.absolute(), work.fresh("git"))
        found = repository.resolve(revision)
        path = build_log(home, build_address(repository, found, read_config(repository, found)))
    if path is None:
        raise UsageError(
            f"{found.short} was not built on this host, or its build was evicted from the store",
            hint=f"`nalm check --head {revision}` builds it",
        )
    typer.echo(f"{path}:", err=True)
    sys.stdout.write(plain(path.read_text(errors="replace")))
