# SPDX-License-Identifier: Apache-2.0
"""`nalm compare`: compares two revisions or two saved runs, also with different feature sets."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nalm_agent.report.output_file import STDOUT, require_place, write_json
from nalm_agent.runtime.errors import ExitCode, UsageError
from nalm_agent.shell import options
from nalm_agent.shell.completion import commit_names, scenario_names
from nalm_agent.shell.examples import examples

if TYPE_CHECKING:
    from nalm_core.features.decomposition import Decomposition

    from nalm_agent.report.result import Result


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm compare v1.0 main --scenario sfc_a", "nalm compare release-1.json release-2.json"
        )
    )(compare)


def compare(
    base: Annotated[
        str,
        typer.Argument(metavar="BASE", help="A commit, or a saved run report.", autocompletion=commit_names),
    ],
    head: Annotated[
        str,
        typer.Argument(
            metavar="HEAD", help="The commit or report to compare with BASE.", autocompletion=commit_names
        ),
    ],
    *,
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            "--scenario",
            metavar="NAME",
            help="With two commits: only this scenario; repeatable.",
            autocompletion=scenario_names,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="With two commits: measure again.")] = False,
    config: options.ConfigOption = None,
    json_file: options.JsonOption = None,
    repo: options.RepoOption = Path(),
    never_fail: options.NeverFailOption = False,
) -> None:
    """Split a change of CPP into efficiency, mix, features and execution model; compare saved runs.
    `nalm check BASE HEAD` judges.

    Of two commits this command shows the run that `nalm check` makes, with the split, and exits with the code
    of its verdict. Of two saved runs the heads are compared; they were not measured side by side, so they are
    shown and not judged.
    """
    from nalm_agent.config.location import repository_at
    from nalm_agent.desk.check import pair_runs
    from nalm_agent.report.result import worst
    from nalm_agent.report.saved import is_saved
    from nalm_agent.store.home import Home

    require_place(json_file, "--json")
    saved = [is_saved(name) for name in (base, head)]
    if all(saved):
        _compare_saved(base, head, json_file)
        return
    if any(saved):
        raise UsageError(
            f"one of {base} and {head} is a saved run, the other a commit",
            hint="name two commits or two saved runs",
        )
    with options.tolerating(never_fail):
        home = Home.default()
        with home.work() as work:
            repository = repository_at(repo, work.fresh("git"), config)
            results = pair_runs((base, head), repository, home, work, scenarios=scenario or [], force=force)
        _show(results, json_file)
        raise typer.Exit(ExitCode.OK if never_fail else worst(results))


def _show(results: Sequence[Result], json_file: str | None) -> None:
    from nalm_core.features.decompose_run import decompose_run
    from nalm_core.features.decomposition_text import stage_lines
    from nalm_core.text.plain_text import plain

    from nalm_agent.report.print_run import print_run

    splits = [decompose_run(result.report) for result in results]
    write_json(json_file, json.dumps([_document(*both) for both in zip(results, splits, strict=True)]))
    if json_file == STDOUT:
        return
    for result, split in zip(results, splits, strict=True):
        print_run(result.report, result.verdict, result.title)
        for line in [] if split is None else stage_lines(split):
            typer.echo(f"  {plain(line)}")


def _document(result: Result, split: Decomposition | None) -> dict[str, object]:
    return {
        "scenario": result.report.scenario.name,
        "run_id": result.report.run_id,
        "outcome": result.verdict.outcome if result.verdict else "same",
        "split": split.model_dump(mode="json") if split else None,
    }


def _compare_saved(base: str, head: str, json_file: str | None) -> None:
    from nalm_core.features.decompose_run import decompose_summaries
    from nalm_core.features.decomposition_text import one_line, stage_lines
    from nalm_core.report.host_match import comparable, differences, sentence
    from nalm_core.report.run_report import Arm
    from nalm_core.report.summary import summarise
    from nalm_core.text.plain_text import plain
    from nalm_core.verdict.compare import INCOMPARABLE, NOT_PAIRED

    from nalm_agent.report.saved import read_one

    old, new = read_one(base), read_one(head)
    hosts = differences(old.host, new.host)
    if not comparable(hosts):
        raise UsageError(f"{sentence(hosts)} {INCOMPARABLE}", hint="measure both on one host")
    sides = [summarise(report, Arm.HEAD) if Arm.HEAD in report.arms else None for report in (old, new)]
    found = decompose_summaries(sides[0], sides[1]) if sides[0] and sides[1] else None
    if found is None:
        raise UsageError(
            f"{base} or {head} has no cycles by stage", hint="`nalm show` says what was measured"
        )
    write_json(json_file, found.model_dump_json())
    if json_file == STDOUT:
        return
    typer.echo(one_line(found))
    for line in [*stage_lines(found), *(f"note: {note}" for note in (*found.notes, NOT_PAIRED))]:
        typer.echo(f"  {plain(line)}")
    if hosts:
        typer.echo(f"  note: {sentence(hosts)}")
