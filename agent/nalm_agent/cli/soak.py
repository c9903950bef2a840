# SPDX-License-Identifier: Apache-2.0
"""`nalm soak`: one load for hours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from nalm_core.rates import defaults

from nalm_agent.report.console import Terminal
from nalm_agent.runtime.errors import ExitCode
from nalm_agent.shell import options
from nalm_agent.source.git import WORKTREE, Repository
from nalm_agent.store.home import Home

_EXIT_CODES = {
    "steady": ExitCode.OK,
    "drifting": ExitCode.REGRESSION,
    "leaking": ExitCode.REGRESSION,
    "inconclusive": ExitCode.INCONCLUSIVE,
    "invalid": ExitCode.NOT_MEASURED,
}


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog="Examples:\n\n    nalm soak --hours 8 --out night.jsonl\n\n"
        "    nalm soak --hours 1 --pps 200000\n\n    nalm soak --resume night.jsonl"
    )(soak)


def soak(
    revision: options.RevisionArgument = WORKTREE,
    *,
    hours: Annotated[float, typer.Option(min=0.0001, help="How long, in hours under load.")] = 1.0,
    share: Annotated[float, typer.Option(min=0.1, max=100, help="Load, per cent of NDR.")] = (
        defaults.SOAK_SHARE * 100
    ),
    pps: Annotated[int | None, typer.Option(min=1, help="Load, packets per second: no search.")] = None,
    interval: Annotated[
        float, typer.Option(min=0.05, help="Seconds between two records.")
    ] = defaults.SOAK_INTERVAL_S,
    out: Annotated[Path, typer.Option("--out", help="The soak's file: one record a line.")] = Path(
        "soak.jsonl"
    ),
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="Go on with this soak, as it began.")
    ] = None,
    scenario: options.OneScenarioOption = None,
    repo: options.RepoOption = Path(),
    quiet: options.QuietOption = False,
) -> None:
    """Keep one load for hours: drift of cost and rate, growth of the tail, leaks. Stops and resumes."""
    from nalm_core.rates.soak import judge_soak

    from nalm_agent.desk.print_rates import print_soak
    from nalm_agent.rates.loaded_revision import subject
    from nalm_agent.rates.soak import SoakPlan, begin_soak, resume_soak, search_settings
    from nalm_agent.rates.soak_file import read_soak

    home = Home.default()
    with home.work() as work, Terminal(quiet=quiet) as progress:
        repository = Repository(repo.absolute(), work.fresh("git"))
        name = scenario if resume is None else scenario or read_soak(resume)[0].scenario.name
        one = subject(repository, repository.resolve(revision), name)
        if resume is None:
            plan = SoakPlan(out, hours, interval, pps, share / 100, search_settings(min(1.0, interval)))
            begin_soak(one, plan, home, work, progress)
        else:
            resume_soak(one, resume, home, work, progress)
        header, intervals = read_soak(resume or out)
        verdict = judge_soak(header, intervals)
        with progress.aside():
            print_soak(header, verdict, f"{one.name} {one.revision.short}")
    raise typer.Exit(_EXIT_CODES[verdict.outcome])
