# SPDX-License-Identifier: Apache-2.0
"""`nalm rate`: measures the rates of a revision under load."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from nalm_core.rates import defaults
from nalm_core.rates.rate_report import Mode
from nalm_core.rates.vcpe import LEAVE_OUT_S, Preset

from nalm_agent.config.load import MOST_CV
from nalm_agent.report.console import Terminal
from nalm_agent.report.output_file import STDOUT, require_place, write_file
from nalm_agent.runtime.errors import ExitCode, UsageError
from nalm_agent.shell import options
from nalm_agent.source.git import WORKTREE, Repository
from nalm_agent.store.home import Home

if TYPE_CHECKING:
    from nalm_agent.rates.vcpe import VcpePlan

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

_PRESET_CODES = {
    "measured": ExitCode.OK,
    "lossy": ExitCode.REGRESSION,
    "inconclusive": ExitCode.INCONCLUSIVE,
}
_OF_MODES = {"mode", "pdr_loss", "width", "shares", "arrivals", "launches", "limit"}


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog="Examples:\n\n    nalm rate                       the working tree: MRR, NDR, PDR, latency\n\n"
        "    nalm rate main --mode mrr --duration 0.5\n\n"
        "    nalm rate HEAD --mode ndr --width 0.005 --json rates.json\n\n"
        "    nalm rate --mode latency --arrivals geometric\n\n"
        "    nalm rate --mode sweep --base main --json sweeps.json\n\n"
        "    nalm rate --preset vcpe --scenario nop_1_lcore      5 minutes at each of four loads\n\n"
        "    nalm rate --preset vcpe --duration 30 --leave-out 2 --json vcpe.json     shorter, to try it"
    )(rate)


def rate(
    context: typer.Context,
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
    preset: Annotated[
        Preset | None,
        typer.Option(
            help="Instead of a mode: 64, 256, iMix and 1500 bytes at 25, 25, 50 and 100 Mbit/s in both "
            "directions (Veitch et al.), 5 minutes or 16 hours at each load; greatest latency against 150 ms."
        ),
    ] = None,
    duration: Annotated[
        float, typer.Option(min=0.05, help="Duration of a trial, in seconds; of a load with --preset.")
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
    if preset is not None:
        from nalm_agent.rates.vcpe import VcpePlan

        given = _given(context)
        plan = VcpePlan(
            preset=preset,
            seconds=duration if "duration" in given else preset.seconds,
            leave_out_s=leave_out if "leave_out" in given else LEAVE_OUT_S,
            scenario=scenario,
        )
        _run_preset(plan, revision, repo, json_file, quiet=quiet)
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


def _given(context: typer.Context) -> set[str]:
    """Options that were given. Raises UsageError for one that a preset sets."""
    names = {
        name
        for name in context.params
        if (source := context.get_parameter_source(name)) is not None and source.name == "COMMANDLINE"
    }
    for name in _OF_MODES & names:
        raise UsageError(
            f"--preset and --{name.replace('_', '-')} exclude each other",
            hint="a preset sets loads and gaps; --duration and --leave-out may be shorter, to try it",
        )
    return names


def _run_preset(plan: VcpePlan, revision: str, repo: Path, json_file: str | None, *, quiet: bool) -> NoReturn:
    from nalm_core.rates.vcpe import judge_vcpe

    from nalm_agent.desk.print_vcpe import print_vcpe
    from nalm_agent.rates.loaded_revision import Place
    from nalm_agent.rates.vcpe import measure_vcpe

    require_place(json_file, "--json")
    home = Home.default()
    with home.work() as work, Terminal(quiet=quiet) as progress:
        repository = Repository(repo.absolute(), work.fresh("git"))
        found = repository.resolve(revision)
        report = measure_vcpe(plan, Place(repository, found, home, work, progress))
        result = judge_vcpe(report)
        if json_file != STDOUT:
            with progress.aside():
                print_vcpe(report, result, f"{report.scenario.name} {found.short}")
    if json_file is not None:
        document = json.dumps(report.model_dump(mode="json", by_alias=True), allow_nan=False)
        write_file(json_file, document + "\n", "--json")
    raise typer.Exit(_PRESET_CODES[result.verdict])


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
