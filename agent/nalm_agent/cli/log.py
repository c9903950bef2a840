# SPDX-License-Identifier: Apache-2.0
"""`nalm log`: prints a build's log."""

from __future__ import annotations

import sys
from pathlib import Path

import typer
from nalm_core.text.plain_text import plain

from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell import options
from nalm_agent.shell.completion import WORKTREE
from nalm_agent.shell.examples import examples


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(epilog=examples("nalm log", "nalm log HEAD~1"))(log)


def log(
    revision: options.RevisionArgument = WORKTREE,
    *,
    scenario: options.OneScenarioOption = None,
    config: options.ConfigOption = None,
    repo: options.RepoOption = Path(),
) -> None:
    """Print the log of a revision's build on this host, without control sequences; also of a failed build."""
    from nalm_agent.build.build import build_address, build_log
    from nalm_agent.config.location import repository_at
    from nalm_agent.measure.request import read_config
    from nalm_agent.store.home import Home

    home = Home.default()
    with home.work() as work:
        repository = repository_at(repo, work.fresh("git"), config)
        found = repository.resolve(revision)
        every = read_config(repository, found)
        of_one = every.for_scenario(scenario or every.standing()[0])
        path = build_log(home, build_address(repository, found, of_one))
    if path is None:
        raise UsageError(
            f"{found.short} was not built on this host, or its build was evicted from the store",
            hint="`nalm build` builds it" if revision == WORKTREE else f"`nalm build {revision}` builds it",
        )
    typer.echo(f"{path}:", err=True)
    sys.stdout.write(plain(path.read_text(errors="replace")))
