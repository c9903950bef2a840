# SPDX-License-Identifier: Apache-2.0
"""`nalm soak`: keeps one load for hours."""

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
    hours: Annotated[float, typer.Option(min=0.0001, help="Duration under load, in hours.")] = 1.0,
    share: Annotated[float, typer.Option(min=0.1, max=100, help="Load, in per cent of NDR.")] = (
        defaults.SOAK_SHARE * 100
    ),
    pps: Annotated[
        int | None, typer.Option(min=1, help="Load in packets per second; skips the search for NDR.")
    ] = None,
    interval: Annotated[
        float, typer.Option(min=0.05, help="Interval between records, in seconds.")
    ] = defaults.SOAK_INTERVAL_S,
    out: Annotated[Path, typer.Option("--out", help="Output file, one record per line.")] = Path(
        "soak.jsonl"
    ),
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="Continue this soak with its settings.")
    ] = None,
    scenario: options.OneScenarioOption = None,
    repo: options.RepoOption = Path(),
    quiet: options.QuietOption = False,
) -> None:
    """Keep one load for hours to find drift of cost and rate, growing tail latency, and leaks."""
    from nalm_core.rates.soak import judge_soak

    from nalm_agent.desk.print_rates import print_soak
    from nalm_agent.rates.loaded_revision import subject
    from nalm_agent.rates.no_drop_rate import search_settings
    from nalm_agent.rates.soak import SoakPlan, begin_soak, resume_soak
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
