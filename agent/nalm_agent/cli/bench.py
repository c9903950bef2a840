# SPDX-License-Identifier: Apache-2.0
"""`nalm bench`: measures commits, each against its first parent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nalm_agent.shell import options
from nalm_agent.shell.completion import commit_names
from nalm_agent.shell.examples import examples

if TYPE_CHECKING:
    from nalm_agent.report.result import Result


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(epilog=examples("nalm bench HEAD", "nalm bench main~5..main --json runs.json"))(bench)


def bench(
    revisions: Annotated[
        list[str], typer.Argument(metavar="REV", help="Commits or ranges A..B.", autocompletion=commit_names)
    ],
    *,
    scenario: options.MeasuredOption = None,
    config: options.ConfigOption = None,
    json_file: options.JsonOption = None,
    repo: options.RepoOption = Path(),
    rebuild: options.RebuildOption = False,
    quiet: options.QuietOption = False,
    verbose: options.VerboseOption = False,
    junit: options.JUnitOption = None,
    sarif: options.SarifOption = None,
    markdown: options.MarkdownOption = None,
    github: options.GithubOption = False,
    never_fail: options.NeverFailOption = False,
) -> None:
    """Measure commits, each against its first parent: `nalm check` for a whole range."""
    from nalm_agent.config.location import repository_at
    from nalm_agent.desk.check import measure_scenarios, with_parent
    from nalm_agent.desk.conclude import Failures, finish, shown
    from nalm_agent.report.console import Terminal
    from nalm_agent.report.outputs import Outputs
    from nalm_agent.store.home import Home

    outputs = Outputs(json_file, junit, sarif, markdown, github)
    results: list[Result] = []
    home = Home.default()
    with options.tolerating(never_fail):
        with home.work() as work, Terminal(quiet=quiet) as progress:
            repository = repository_at(repo, work.fresh("git"), config)
            commits = [commit for name in revisions for commit in repository.expand(name)]
            failures = Failures(progress)
            for comparison in [with_parent(repository, commit) for commit in commits]:
                progress.say(f"{comparison.head.short} {comparison.head.subject}")
                runs = measure_scenarios(
                    repository,
                    comparison,
                    home,
                    work,
                    progress,
                    scenarios=scenario or (),
                    rebuild=rebuild,
                    failures=failures,
                )
                with failures.kept(comparison.head.short):
                    results += shown(
                        runs,
                        progress,
                        failures,
                        quiet=outputs.on_stdout,
                        unread_too=outputs.in_files,
                        verbose=verbose,
                    )
        finish(results, outputs, None, failures, as_list=True, never_fail=never_fail)
