# SPDX-License-Identifier: Apache-2.0
"""`nalm check`: judges a change before it is merged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell import options
from nalm_agent.shell.completion import WORKTREE, revision_names
from nalm_agent.shell.examples import examples

if TYPE_CHECKING:
    from nalm_agent.desk.sending import Sending
    from nalm_agent.source.git import Revision

ForceOption = Annotated[
    bool,
    typer.Option("--force", help="Measure again, even if the code is equal, which shows this host's noise."),
]
ProfileOption = Annotated[
    bool,
    typer.Option("--profile", help="Always sample functions and lines. Default: only where cycles changed."),
]
MarginOption = Annotated[
    float | None,
    typer.Option(
        "--margin",
        metavar="PERCENT",
        help="Change of cycles that matters, in per cent. Default: nalm.toml's.",
    ),
]
MinutesOption = Annotated[
    float | None,
    typer.Option(
        "--minutes",
        min=0.1,
        metavar="N",
        help="Time for the rounds, up to this host's limit. Default: nalm.toml's, or as planned.",
    ),
]
LayoutsOption = Annotated[
    int | None,
    typer.Option(
        "--layouts",
        min=1,
        max=1000,
        metavar="N",
        help="Placements of code of each build to measure; 1: the builds as they are.",
    ),
]
PlanOption = Annotated[
    bool,
    typer.Option(
        "--plan", help="Measure nothing: show what the margin takes, from this host's earlier runs."
    ),
]
HostsOption = Annotated[
    int, typer.Option("--hosts", min=1, max=10_000, metavar="N", help="Hosts that --plan plans for.")
]
PoolOption = Annotated[
    bool,
    typer.Option("--pool", help="Measure nothing: show the pair by all of its runs on this host together."),
]


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm check  the working tree against where it branched off",
            "nalm check HEAD~3 HEAD",
            "nalm check v1.0..v1.1 --config ../nalm.toml",
            "nalm check --scenario sfc_a --json run.json",
            "nalm check --scenario sfc_a:rate  its rates, latency and loss, by [rates] of nalm.toml",
            "nalm check --margin 0.2 --plan  what a margin of 0.2 % takes on this host",
        )
    )(check)


def check(
    context: typer.Context,
    revisions: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BASE] [HEAD]",
            help="Commits to compare, also as BASE..HEAD. Default: the merge base with the main branch, "
            "and the working tree.",
            autocompletion=revision_names,
        ),
    ] = None,
    *,
    base: Annotated[
        str | None, typer.Option(metavar="REV", help="The same as BASE.", autocompletion=revision_names)
    ] = None,
    head: Annotated[
        str | None, typer.Option(metavar="REV", help="The same as HEAD.", autocompletion=revision_names)
    ] = None,
    branch: options.BranchOption = None,
    scenario: options.MeasuredOption = None,
    config: options.ConfigOption = None,
    json_file: options.JsonOption = None,
    repo: options.RepoOption = Path(),
    rebuild: options.RebuildOption = False,
    force: ForceOption = False,
    profile: ProfileOption = False,
    margin: MarginOption = None,
    minutes: MinutesOption = None,
    layouts: LayoutsOption = None,
    plan: PlanOption = False,
    hosts: HostsOption = 1,
    pool: PoolOption = False,
    quiet: options.QuietOption = False,
    verbose: options.VerboseOption = False,
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
    proposed: options.ProposedOption = False,
    never_fail: options.NeverFailOption = False,
) -> None:
    """Judge a change before it is merged: build both, count instructions, compare cycles side by side.

    If nothing that the run loads (programs, libraries, plug-ins, named data) has changed, the verdict is
    `same` without a measurement.
    """
    from nalm_agent.config.location import repository_at
    from nalm_agent.desk.check import Effort, compared, measure_scenarios
    from nalm_agent.desk.conclude import Failures, finish, shown
    from nalm_agent.desk.pools.margin import margin_of_percent
    from nalm_agent.report.console import Terminal
    from nalm_agent.report.outputs import Outputs
    from nalm_agent.store.home import Home

    old, new = pair_of(revisions or [], base, head)
    outputs = Outputs(json_file, junit, sarif, markdown, github)
    effort = Effort(margin_of_percent(margin), minutes, layouts)
    if "hosts" in options.given(context) and not plan:
        raise UsageError("--hosts requires --plan", hint="nalm check --margin 0.2 --plan --hosts 2")
    if plan and pool:
        raise UsageError("--plan and --pool are two questions", hint="give one of them")
    if plan or pool:
        _require_no_measuring(context, "--plan" if plan else "--pool")
    sending = _sending(server, token_file, timeout, proposed=proposed) if submit else None
    home = Home.default()
    with options.tolerating(never_fail):
        with home.work() as work, Terminal(quiet=quiet) as progress:
            repository = repository_at(repo, work.fresh("git"), config)
            comparison = compared(repository, old, new, branch)
            if plan or pool:
                from nalm_agent.desk.pools.show import Question, show_plans, show_pools

                question = Question(repository, comparison, effort.margin, scenario or (), json_file)
                (show_plans(home, question, hosts) if plan else show_pools(home, question))
            if sending is not None:
                _require_commit(comparison.head)
            progress.say(f"{comparison.head.short} against {comparison.base.short} ({comparison.why})")
            failures = Failures(progress)
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
                effort=effort,
                failures=failures,
            )
            results = shown(
                runs,
                progress,
                failures,
                quiet=outputs.on_stdout,
                unread_too=outputs.in_files or submit,
                verbose=verbose,
            )
        several = len(results) + len(failures.errors) > 1
        finish(results, outputs, sending, failures, as_list=several, never_fail=never_fail)


def pair_of(revisions: list[str], base: str | None, head: str | None) -> tuple[str | None, str]:
    """The names of base and head, from arguments and options. Raises UsageError if both name one of them."""
    if len(revisions) == 1 and ".." in revisions[0]:
        old, new = revisions[0].split("..", 1)
        if new.startswith("."):
            raise UsageError(
                f"{revisions[0]}: nalm compares two commits; A...B is a set of commits",
                hint="`nalm check A..B`, or `nalm check A B`",
            )
        revisions = [old or "HEAD", new or "HEAD"]
    if len(revisions) > 2:
        raise UsageError(
            f"expected at most two commits, found {len(revisions)}: {' '.join(revisions)}",
            hint="`nalm check BASE HEAD` judges one pair; `nalm bench A..B` measures every commit of a range",
        )
    named = dict(zip(("base", "head"), revisions, strict=False))
    for name, given in (("base", base), ("head", head)):
        if given is not None and named.setdefault(name, given) != given:
            raise UsageError(
                f"{name} is both {named[name]} and, by --{name}, {given}",
                hint="give it once: `nalm check BASE HEAD`",
            )
    return named.get("base"), named.get("head", WORKTREE)


OF_MEASURING = {
    *("rebuild", "force", "profile", "minutes", "layouts", "junit", "sarif", "markdown", "github"),
    *("submit", "server", "token_file", "timeout", "proposed", "never_fail"),
}
"""Parameters without a meaning for --plan and --pool."""


def _require_no_measuring(context: typer.Context, question: str) -> None:
    """Raises UsageError for options that a command would ignore that measures nothing."""
    if extra := sorted(options.spelled(name) for name in options.given(context) & OF_MEASURING):
        raise UsageError(
            f"{question} measures nothing: it has no {', '.join(extra)}",
            hint=f"omit {'it' if len(extra) == 1 else 'them'}, or {question}; --json writes what it shows",
        )


def _sending(server: str | None, token_file: Path | None, timeout: float, *, proposed: bool) -> Sending:
    from nalm_agent.desk.sending import Sending

    return Sending.prepared(server, token_file, timeout, proposed=proposed)


def _require_commit(head: Revision) -> None:
    """Raises UsageError for a working tree with changes, before it is measured: no server accepts it."""
    if head.dirty:
        raise UsageError(
            "a working tree with changes is not a commit, so no server accepts its report",
            hint="commit first, or omit --submit",
        )
