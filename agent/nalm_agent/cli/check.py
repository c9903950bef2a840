# SPDX-License-Identifier: Apache-2.0
"""`nalm check` and `nalm bench`: arguments in, verdicts and exit codes out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from nalm_agent.desk.check import compared, measure_scenarios, with_parent
from nalm_agent.desk.sending import Sending, require_commit
from nalm_agent.report.console import Terminal
from nalm_agent.report.outputs import Outputs
from nalm_agent.report.print_run import print_run
from nalm_agent.report.result import Result, worst
from nalm_agent.runtime.errors import ExitCode, UsageError
from nalm_agent.shell import options
from nalm_agent.shell.completion import commit_names, revision_names
from nalm_agent.source.git import WORKTREE, Repository
from nalm_agent.store.home import Home

JsonOption = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write the run report here; - for standard output."),
]
RebuildOption = Annotated[
    bool, typer.Option("--rebuild", help="Build again what failed before; else the earlier failure is shown.")
]
ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Measure again, and even equal code: what this host makes of no change."),
]
ProfileOption = Annotated[
    bool,
    typer.Option("--profile", help="Always sample functions and lines; else only where cycles changed."),
]


def add_to(app: typer.Typer) -> None:
    """Adds both commands to `nalm`."""
    app.command(
        epilog="Examples:\n\n    nalm check            the working tree against where it branched off\n\n"
        "    nalm check --base HEAD~3 --head HEAD\n\n    nalm check --scenario sfc_a --json run.json"
    )(check)
    app.command(epilog="Examples:\n\n    nalm bench HEAD\n\n    nalm bench main~5..main --json runs.json")(
        bench
    )


def check(
    revisions: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    *,
    base: Annotated[
        str | None,
        typer.Option(
            help="Commit to compare with. Default: merge base with the main branch.",
            autocompletion=commit_names,
        ),
    ] = None,
    head: Annotated[
        str, typer.Option(help="Commit to judge, or the working tree.", autocompletion=revision_names)
    ] = WORKTREE,
    scenario: options.ScenarioOption = None,
    json_file: JsonOption = None,
    repo: options.RepoOption = Path(),
    rebuild: RebuildOption = False,
    force: ForceOption = False,
    profile: ProfileOption = False,
    quiet: options.QuietOption = False,
    junit: options.JUnitOption = None,
    sarif: options.SarifOption = None,
    markdown: options.MarkdownOption = None,
    github: options.GithubOption = False,
    submit: Annotated[
        bool, typer.Option("--submit", help="Upload the run reports, as `nalm submit` does.")
    ] = False,
    server: options.ServerOption = None,
    token_file: options.TokenFileOption = None,
    timeout: options.TimeoutOption = options.TIMEOUT_SECONDS,
    never_fail: options.NeverFailOption = False,
) -> None:
    """Judge a change before it is merged: build both, count instructions, compare cycles side by side.

    A change of nothing that the run loads (programs, libraries, plug-ins, named data) is `same`, unmeasured.
    """
    if revisions:
        raise UsageError(
            f"`nalm check` takes no commits as arguments, found {' '.join(revisions)}",
            hint="`nalm compare A B` judges B against A; `nalm check --base A --head B` does the same",
        )
    outputs = Outputs(json_file, junit, sarif, markdown, github)
    sending = Sending.prepared(server, token_file, timeout) if submit else None
    home = Home.default()
    with options.tolerating(never_fail):
        with home.work() as work, Terminal(quiet=quiet) as progress:
            repository = Repository(repo.absolute(), work.fresh("git"))
            comparison = compared(repository, base, head)
            if sending is not None:
                require_commit(comparison.head)
            progress.say(f"{comparison.head.short} against {comparison.base.short} ({comparison.why})")
            runs = measure_scenarios(
                repository,
                comparison,
                home,
                work,
                progress,
                scenarios=scenario or (),
                rebuild=rebuild,
                force=force,
                profile=profile,
                recall=not (force or rebuild),
            )
            results = shown(runs, progress, quiet=outputs.on_stdout)
        finish(results, outputs, sending, as_list=len(results) > 1, never_fail=never_fail)


def bench(
    revisions: Annotated[
        list[str], typer.Argument(metavar="REV", help="Commits, or ranges A..B.", autocompletion=commit_names)
    ],
    *,
    scenario: options.ScenarioOption = None,
    json_file: JsonOption = None,
    repo: options.RepoOption = Path(),
    rebuild: RebuildOption = False,
    quiet: options.QuietOption = False,
    junit: options.JUnitOption = None,
    sarif: options.SarifOption = None,
    markdown: options.MarkdownOption = None,
    github: options.GithubOption = False,
    never_fail: options.NeverFailOption = False,
) -> None:
    """Measure commits, each against its first parent."""
    outputs = Outputs(json_file, junit, sarif, markdown, github)
    home, results = Home.default(), list[Result]()
    with options.tolerating(never_fail):
        with home.work() as work, Terminal(quiet=quiet) as progress:
            repository = Repository(repo.absolute(), work.fresh("git"))
            commits = [commit for name in revisions for commit in repository.expand(name)]
            for comparison in [with_parent(repository, commit) for commit in commits]:
                progress.say(f"{comparison.head.short} {comparison.head.subject}")
                runs = measure_scenarios(
                    repository, comparison, home, work, progress, scenarios=scenario or (), rebuild=rebuild
                )
                results += shown(runs, progress, quiet=outputs.on_stdout)
        finish(results, outputs, None, as_list=True, never_fail=never_fail)


def shown(results: Iterable[Result], progress: Terminal, *, quiet: bool) -> list[Result]:
    """The results, each printed as soon as it is there, unless standard output is for a program."""
    kept = []
    for result in results:
        if not quiet:
            with progress.aside():
                print_run(result.report, result.verdict, result.title)
        kept.append(result)
    return kept


def finish(
    results: Sequence[Result],
    outputs: Outputs,
    sending: Sending | None,
    *,
    as_list: bool,
    never_fail: bool,
) -> None:
    """Uploads and writes the reports, and leaves with the worst exit code."""
    try:
        if sending is not None:
            results = sending.send(results, quiet=outputs.on_stdout)
    finally:
        outputs.write(results, as_list=as_list)
    raise typer.Exit(ExitCode.OK if never_fail else worst(results))
