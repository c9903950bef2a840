# SPDX-License-Identifier: Apache-2.0
"""`nalm experiment`: measures the cost of features, variants and execution models of one commit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from nalm_core.experiments.constants import CELL_SECONDS
from nalm_core.report.cell import Kind
from nalm_core.report.serialization import dump_report

from nalm_agent.report.console import Terminal
from nalm_agent.report.output_file import STDOUT, require_place, write_file
from nalm_agent.runtime.errors import ExitCode, HostError
from nalm_agent.shell import options
from nalm_agent.shell.completion import revision_names, scenario_names
from nalm_agent.source.git import WORKTREE, Repository
from nalm_agent.store.home import Home


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog="Examples:\n\n    nalm experiment features\n\n"
        "    nalm experiment features --scenario sfc_a --seconds 20 --json prices.json\n\n"
        "    nalm experiment ablation flow_cache\n\n    nalm experiment models --revision v1.2"
    )(experiment)


def experiment(
    kind: Annotated[
        Kind,
        typer.Argument(
            metavar="KIND",
            help="features: the cost of each, with its error. ablation: each variant off and on. models: "
            "chains under their execution models.",
        ),
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Scenarios, ablations or chains. Default: all of nalm.toml.",
            autocompletion=scenario_names,
        ),
    ] = None,
    *,
    scenario: Annotated[
        list[str] | None,
        typer.Option("--scenario", help="Another NAME; repeatable.", autocompletion=scenario_names),
    ] = None,
    revision: Annotated[
        str, typer.Option(help="Commit to measure, or the working tree.", autocompletion=revision_names)
    ] = WORKTREE,
    seconds: Annotated[
        float, typer.Option(min=0.1, help="Time limit for the rounds of a cell, without its launches.")
    ] = CELL_SECONDS,
    seed: Annotated[
        int, typer.Option(help="Seed for the order of cells and the choice of held-out sets.")
    ] = 0,
    json_file: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Write the result to this file; - for standard output."),
    ] = None,
    reports_file: Annotated[
        str | None,
        typer.Option("--reports", metavar="FILE", help="Write the cells' run reports to this file."),
    ] = None,
    repo: options.RepoOption = Path(),
    quiet: options.QuietOption = False,
) -> None:
    """Measure the cost of features, variants or execution models of one commit, side by side.

    Exit code 3: some cells could not be measured; the result covers the others.
    """
    from nalm_core.experiments.fit import fit

    from nalm_agent.desk.print_experiment import print_result
    from nalm_agent.measure.experiment import Experiment, measure_cells

    require_place(reports_file, "--reports")
    require_place(json_file, "--json")
    home = Home.default()
    with home.work() as work, Terminal(quiet=quiet) as progress:
        repository = Repository(repo.absolute(), work.fresh("git"))
        found = repository.resolve(revision)
        chosen = [*(names or []), *(scenario or [])]
        planned = Experiment(repository, found, kind, chosen, seed, seconds)
        reports = list(measure_cells(planned, home, work, progress))
    result = fit(reports)
    if result is None or not result.taken:
        why = "\n".join(result.unusable.values()) if result else None
        raise HostError(
            "no cell could be measured",
            log=why,
            hint="give busy hosts more time with --seconds; `nalm check --force` shows one run whole",
        )
    if reports_file is not None:
        write_file(reports_file, f"[{','.join(dump_report(one).decode() for one in reports)}]\n", "--reports")
    if STDOUT not in (json_file, reports_file):
        print_result(result)
    if json_file is not None:
        write_file(json_file, result.model_dump_json(indent=1) + "\n", "--json")
    raise typer.Exit(ExitCode.INCONCLUSIVE if result.partial else ExitCode.OK)
