# SPDX-License-Identifier: Apache-2.0
"""`nalm check`: judges a change before it is merged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nalm_agent.desk.check import compared, measure_scenarios
from nalm_agent.desk.conclude import finish, shown
from nalm_agent.report.console import Terminal
from nalm_agent.report.outputs import Outputs
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell import options
from nalm_agent.shell.completion import commit_names, revision_names
from nalm_agent.source.git import WORKTREE, Repository, Revision
from nalm_agent.store.home import Home

if TYPE_CHECKING:
    from nalm_agent.desk.sending import Sending

ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Measure again, even if the code is equal, which shows this host's noise."),
]
ProfileOption = Annotated[
    bool,
    typer.Option("--profile", help="Always sample functions and lines. Default: only where cycles changed."),
]


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog="Examples:\n\n    nalm check            the working tree against its merge base with main\n\n"
        "    nalm check --base HEAD~3 --head HEAD\n\n    nalm check --scenario sfc_a --json run.json"
    )(check)


def check(
    revisions: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    *,
    base: Annotated[
        str | None,
        typer.Option(
            help="Commit to compare with. Default: the merge base with the main branch.",
            autocompletion=commit_names,
        ),
    ] = None,
    head: Annotated[
        str, typer.Option(help="Commit to judge, or the working tree.", autocompletion=revision_names)
    ] = WORKTREE,
    branch: options.BranchOption = None,
    scenario: options.ScenarioOption = None,
    json_file: options.ReportsFileOption = None,
    repo: options.RepoOption = Path(),
    rebuild: options.RebuildOption = False,
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

    If nothing that the run loads (programs, libraries, plug-ins, named data) has changed, the verdict is
    `same` without a measurement.
    """
    if revisions:
        raise UsageError(
            f"`nalm check` takes no commits as arguments, found {' '.join(revisions)}",
            hint="`nalm compare A B` judges B against A; `nalm check --base A --head B` does the same",
        )
    outputs = Outputs(json_file, junit, sarif, markdown, github)
    sending = _sending(server, token_file, timeout) if submit else None
    home = Home.default()
    with options.tolerating(never_fail):
        with home.work() as work, Terminal(quiet=quiet) as progress:
            repository = Repository(repo.absolute(), work.fresh("git"))
            comparison = compared(repository, base, head, branch)
            if sending is not None:
                _require_commit(comparison.head)
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


def _sending(server: str | None, token_file: Path | None, timeout: float) -> Sending:
    from nalm_agent.desk.sending import Sending

    return Sending.prepared(server, token_file, timeout)


def _require_commit(head: Revision) -> None:
    """Raises UsageError for a working tree with changes, before it is measured: no server accepts it."""
    if head.dirty:
        raise UsageError(
            "a working tree with changes is not a commit, so no server accepts its report",
            hint="commit first, or omit --submit",
        )
