# SPDX-License-Identifier: Apache-2.0
"""`nalm bisect`: finds the commit that changed a figure, without a server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from nalm_agent.report.output_file import STDOUT, require_place, write_json
from nalm_agent.runtime.errors import ExitCode, UsageError
from nalm_agent.shell import options
from nalm_agent.shell.completion import commit_names, scenario_names
from nalm_agent.shell.examples import examples

if TYPE_CHECKING:
    from nalm_core.findings.bisection import Step

    from nalm_agent.desk.bisect import Search
    from nalm_agent.desk.bisect_decision import Question
    from nalm_agent.source.git import Repository, Revision


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm bisect v1.0 main", "nalm bisect v1.0 main --metric ipp --stage nat  exact and faster"
        )
    )(bisect)


def bisect(
    good: Annotated[
        str,
        typer.Argument(metavar="GOOD", help="A commit before the change.", autocompletion=commit_names),
    ],
    bad: Annotated[
        str,
        typer.Argument(metavar="BAD", help="A later commit with the change.", autocompletion=commit_names),
    ],
    *,
    scenario: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Scenario, if nalm.toml has several.", autocompletion=scenario_names
        ),
    ] = None,
    stage: Annotated[
        str | None, typer.Option(metavar="NAME", help="A stage of the chain. Default: the whole chain.")
    ] = None,
    metric: Annotated[
        Literal["cpp", "ipp"], typer.Option(help="Cycles per packet, or instructions per packet (exact).")
    ] = "cpp",
    force: Annotated[bool, typer.Option("--force", help="Discard the results of an earlier search.")] = False,
    config: options.ConfigOption = None,
    json_file: options.JsonOption = None,
    repo: options.RepoOption = Path(),
) -> None:
    """Find the commit between GOOD and BAD that changed a figure; continues an interrupted search.

    The search skips commits that do not build or run. Exit code 0 if it finds one commit, otherwise 3.
    """
    from nalm_agent.config.location import repository_at
    from nalm_agent.desk.bisect import Search
    from nalm_agent.report.console import Terminal
    from nalm_agent.store.home import Home

    require_place(json_file, "--json")
    home = Home.default()
    with home.work() as work, Terminal() as progress:
        repository = repository_at(repo, work.fresh("git"), config)
        commits = _line(repository, good, bad)
        question = _question(repository, commits[-1], scenario, metric, stage)
        search = Search(repository, home, commits, question)
        if not force:
            search.recall()
        progress.say(_plan(search))
        done = False
        try:
            step = search.run(work, progress)
            done = True
        finally:
            if not done and search.results:
                progress.say("the results so far are kept; the same command continues the search")
    _print_outcome(search, step, json_file)


def _line(repository: Repository, good: str, bad: str) -> list[Revision]:
    first, last = repository.resolve(good), repository.resolve(bad)
    if first.dirty or last.dirty:
        raise UsageError(
            "a working tree with changes is not a commit", hint="commit first, then name the commit"
        )
    if first.commit == last.commit:
        raise UsageError(f"good and bad are both {first.short}", hint="name two commits")
    line = repository.expand(f"{first.commit}..{last.commit}") if repository.precedes(first, last) else []
    if not line or repository.parent(line[0]) != first:
        raise UsageError(
            f"{first.short} is not on {last.short}'s first-parent line",
            hint="the older commit comes first; `git log --first-parent --oneline BAD` lists them",
        )
    return [first, *line]


def _question(
    repository: Repository,
    bad: Revision,
    scenario: str | None,
    metric: Literal["cpp", "ipp"],
    stage: str | None,
) -> Question:
    from nalm_agent.desk.bisect_decision import Question
    from nalm_agent.measure.request import read_config

    config = read_config(repository, bad)
    names = [scenario] if scenario else config.standing()
    if len(names) != 1:
        raise UsageError(f"nalm.toml has {', '.join(names)}", hint="name one with --scenario")
    config.scenario(names[0])
    return Question(names[0], metric, stage)


def _plan(search: Search) -> str:
    from nalm_core.text.amounts import amount

    last = len(search.commits) - 1
    known = f", {len(search.results)} of them already measured" if search.results else ""
    question = search.question
    what = f"{question.stage or 'chain'} {question.metric} of {question.scenario}"
    return f"{what}: {amount(last, 'commit')}, about {last.bit_length()} to measure{known}"


def _print_outcome(search: Search, step: Step, json_file: str | None) -> None:
    from nalm_core.findings.bisection import Culprit
    from nalm_core.text.plain_text import plain

    from nalm_agent.desk.print_bisect import document, outcome_lines

    write_json(json_file, json.dumps(document(search, step)))
    if json_file != STDOUT:
        for line in outcome_lines(search, step):
            typer.echo(plain(line))
    raise typer.Exit(ExitCode.OK if isinstance(step, Culprit) else ExitCode.INCONCLUSIVE)
