# SPDX-License-Identifier: Apache-2.0
"""`nalm rate`: measures the rates of a revision under load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from nalm_core.rates import defaults
from nalm_core.rates.rate_report import Mode

from nalm_agent.config.load import MOST_CV
from nalm_agent.report.console import Terminal
from nalm_agent.report.output_file import STDOUT, require_place, write_file
from nalm_agent.runtime.errors import ExitCode, UsageError
from nalm_agent.shell import options
from nalm_agent.source.git import WORKTREE, Repository
from nalm_agent.store.home import Home

JsonOption = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write the report to this file; - for standard output."),
]
LATENCY_SHARES, SWEEP_SHARES = "10,50,90", "5,10,20,30,40,50,60,70,80,90,100"
_EXIT_CODES = {
    "measured": ExitCode.OK,
    "inconclusive": ExitCode.INCONCLUSIVE,
    "invalid": ExitCode.NOT_MEASURED,
    "broken": ExitCode.NOT_MEASURED,
}


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog="Examples:\n\n    nalm rate                       the working tree: MRR, NDR, PDR, latency\n\n"
        "    nalm rate main --mode mrr --duration 0.5\n\n"
        "    nalm rate HEAD --mode ndr --width 0.005 --json rates.json\n\n"
        "    nalm rate --mode latency --arrivals geometric\n\n"
        "    nalm rate --mode sweep --base main --json sweeps.json"
    )(rate)


def rate(
    revision: options.RevisionArgument = WORKTREE,
    *,
    scenario: options.OneScenarioOption = None,
    mode: Annotated[
        Mode,
        typer.Option(
            help="mrr: full load. ndr, pdr: a search. latency: NDR, then latency. sweep: NDR, then figures "
            "over the load and the knee of CPP. all: mrr, ndr, pdr and latency."
        ),
    ] = Mode.ALL,
    duration: Annotated[
        float, typer.Option(min=0.05, help="Duration of a trial, in seconds.")
    ] = defaults.TRIAL_S,
    pdr_loss: Annotated[
        float, typer.Option(min=1e-6, max=0.5, help="Share of packets that PDR may lose.")
    ] = defaults.PDR_LOSS,
    width: Annotated[
        float,
        typer.Option(min=0.001, max=0.5, help="Relative width of the interval at which the search ends."),
    ] = defaults.WIDTH,
    shares: Annotated[
        str | None,
        typer.Option(
            help=f"Loads for latency [{LATENCY_SHARES}] or a sweep [{SWEEP_SHARES}], in per cent of NDR."
        ),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="REV",
            help="Sweep this revision, too, in the same launches at the same loads, and compare.",
            autocompletion=options.revision_names,
        ),
    ] = None,
    leave_out: Annotated[
        float, typer.Option(min=0, help="Warm-up at each load before latencies are counted, in seconds.")
    ] = defaults.LEAVE_OUT_S,
    arrivals: Annotated[
        str | None,
        typer.Option(
            help="Gaps between packets in the open loop: cbr, poisson, geometric or nbinom:CV. "
            "Default: as the NF's configuration has them."
        ),
    ] = None,
    launches: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Number of launches at full load [{defaults.MRR_LAUNCHES}], or of a sweep "
            f"[{defaults.SWEEP_LAUNCHES}].",
        ),
    ] = None,
    limit: Annotated[
        float, typer.Option(min=1, help="Time limit of a search, in seconds.")
    ] = defaults.SEARCH_S,
    json_file: JsonOption = None,
    repo: options.RepoOption = Path(),
    quiet: options.QuietOption = False,
) -> None:
    """Measure rates (MRR, NDR, PDR), latency and jitter, or figures over the load."""
    from dataclasses import replace

    from nalm_core.rates.rate_report import RateSettings, SweepComparison
    from nalm_core.rates.rate_result import judge_rates

    from nalm_agent.desk.print_rates import print_rates
    from nalm_agent.desk.print_sweep import print_sweeps
    from nalm_agent.rates.loaded_revision import subject
    from nalm_agent.rates.rate import measure_rates
    from nalm_agent.rates.sweep import measure_sweep

    require_place(json_file, "--json")
    sweeps = mode is Mode.SWEEP
    if base is not None and not sweeps:
        raise UsageError(
            "--base compares sweeps", hint="add --mode sweep; nalm check compares builds otherwise"
        )
    settings = RateSettings(
        mode=mode,
        arrivals=None if arrivals is None else usable_arrivals(arrivals),
        trial_s=duration,
        mrr_launches=launches if launches and not sweeps else defaults.MRR_LAUNCHES,
        sweep_launches=launches if launches and sweeps else defaults.SWEEP_LAUNCHES,
        pdr_loss=pdr_loss,
        width=width,
        search_s=limit,
        shares=percentages((SWEEP_SHARES if sweeps else LATENCY_SHARES) if shares is None else shares),
        leave_out_s=leave_out,
    )
    home = Home.default()
    with home.work() as work, Terminal(quiet=quiet) as progress:
        repository = Repository(repo.absolute(), work.fresh("git"))
        revisions = [revision] if base is None else [base, revision]
        measured = [
            replace(subject(repository, repository.resolve(name), scenario), arrivals=settings.arrivals)
            for name in revisions
        ]
        if sweeps:
            reports = measure_sweep(measured, settings, home, work, progress)
        else:
            reports = [measure_rates(measured[0], settings, home, work, progress)]
        results = [judge_rates(report) for report in reports]
        if json_file != STDOUT:
            with progress.aside():
                for one, report, result in zip(measured, reports, results, strict=True):
                    print_rates(report, result, f"{one.name} {one.revision.short}")
                print_sweeps(reports, [one.revision.short for one in measured])
    if json_file is not None:
        whole = reports[0] if base is None else SweepComparison(base=reports[0], head=reports[1])
        document = json.dumps(whole.model_dump(mode="json", by_alias=True), allow_nan=False)
        write_file(json_file, document + "\n", "--json")
    raise typer.Exit(max(_EXIT_CODES[result.verdict] for result in results))


def usable_arrivals(text: str) -> str:
    """The gaps, if generators have them. Raises UsageError."""
    from nalm_core.models.quantity import ModelInputError
    from nalm_core.models.queue.gaps import parse_arrivals

    try:
        _, cv = parse_arrivals(text)
    except ModelInputError as error:
        raise UsageError(str(error), hint="example: --arrivals nbinom:2") from error
    if cv is not None and cv > MOST_CV:
        raise UsageError(f"--arrivals {text}: generators have a CV up to {MOST_CV:g}")
    return text


def percentages(text: str) -> list[float]:
    """`10,50` as 0.1 and 0.5. Raises UsageError."""
    try:
        shares = [float(part) / 100 for part in text.split(",")]
    except ValueError:
        shares = []
    if not shares or not all(0 < share <= 1 for share in shares):
        raise UsageError(
            f"--shares {text!r} is not a list of percentages above 0 and up to 100",
            hint="example: --shares 10,50,90",
        )
    return shares
