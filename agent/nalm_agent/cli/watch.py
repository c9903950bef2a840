# SPDX-License-Identifier: Apache-2.0
"""`nalm watch`: judges on every save and shows the trend of the session."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nalm_agent.runtime.errors import ConfigError, StoppedError
from nalm_agent.shell import options
from nalm_agent.shell.completion import commit_names
from nalm_agent.shell.examples import examples

if TYPE_CHECKING:
    from nalm_agent.source.git import BaseChoice, Repository


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(epilog=examples("nalm watch", "nalm watch --base main --scenario sfc_a"))(watch)


def watch(
    *,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="REV",
            help="Commit to compare with. Default: the base that `nalm check` chooses.",
            autocompletion=commit_names,
        ),
    ] = None,
    scenario: options.ScenarioOption = None,
    config: options.ConfigOption = None,
    repo: options.RepoOption = Path(),
    profile: Annotated[bool, typer.Option("--profile", help="Always sample functions and lines.")] = False,
    quiet: options.QuietOption = False,
) -> None:
    """Judge the working tree against one base, and again on every save, until interrupted.

    A save during a measurement restarts it. An interrupt ends it with a summary and exit code 0.
    """
    from rich.markup import escape

    from nalm_agent.config.location import repository_at
    from nalm_agent.desk.session import WatchSession
    from nalm_agent.desk.watch import sit
    from nalm_agent.report.print_run import console, say
    from nalm_agent.store.home import Home

    with Home.default().work() as work:
        repository = repository_at(repo, work.fresh("git"), config)
        against = _base(repository, base)
        if scenario:
            _require(repository, scenario)
        flags = [*(["--profile"] if profile else []), *(["--quiet"] if quiet else [])]
        flags += [] if config is None else ["--config", str(config.absolute())]
        named = [text for name in scenario or [] for text in ("--scenario", name)]
        command = ["--base", against.revision.commit, "--repo", str(repository.root), *named, *flags]
        out = console()

        def tell(line: str) -> None:
            say(out, escape(line))

        tell(f"watching {repository.root} against {against.revision.short} ({against.why}); Ctrl-C ends")
        session = WatchSession()
        try:
            sit(repository, command, work.disk / "watch.json", session, tell)
        except StoppedError:
            for line in ["", f"against {against.revision.short}: {session.summary()}", *session.trend()]:
                tell(line)


def _require(repository: Repository, scenarios: list[str]) -> None:
    """Raises ConfigError for a scenario that nalm.toml does not have: no save fixes a mistyped name.

    An unreadable nalm.toml raises nothing: the first judgement reports it, and a save may fix it.
    """
    from nalm_agent.measure.request import read_config
    from nalm_agent.source.git import WORKTREE

    try:
        config = read_config(repository, repository.resolve(WORKTREE))
    except ConfigError:
        return
    for name in scenarios:
        config.scenario(name)


def _base(repository: Repository, given: str | None) -> BaseChoice:
    """The base of the session. On the main branch it is HEAD even without edits, because edits follow."""
    from nalm_agent.source.git import WORKTREE, BaseChoice

    if given is not None:
        return BaseChoice(repository.resolve(given), "as given")
    return repository.choose_base(replace(repository.resolve(WORKTREE), dirty=True))
