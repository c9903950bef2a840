# SPDX-License-Identifier: Apache-2.0
"""`nalm rate`: measures the rates of a revision under load."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from nalm_core.rates import defaults
from nalm_core.rates.presets import INSIDE_NAME, SHORT_WIDTH, VCPE_LEAVE_OUT_S, Mode, Preset

from nalm_agent.report.output_file import STDOUT, require_place, write_json
from nalm_agent.runtime.errors import ExitCode, UsageError
from nalm_agent.shell import options
from nalm_agent.shell.completion import revision_names
from nalm_agent.shell.examples import examples
from nalm_agent.shell.load_options import (
    ArrivalsOption,
    BurstOption,
    NewFlowsOption,
    RampOption,
    load_shape,
    percentages,
    require_whole_ramps,
)
from nalm_agent.source.git import WORKTREE

if TYPE_CHECKING:
    from nalm_core.rates.comparison_report import ComparisonSettings
    from nalm_core.rates.rate_report import RateSettings, SweepMargins
    from nalm_core.report.offered_load import LoadShape
    from pydantic import BaseModel

    from nalm_agent.rates.loaded_revision import Subject
    from nalm_agent.rates.vcpe import VcpePlan
    from nalm_agent.report.progress import Progress
    from nalm_agent.source.git import Repository
    from nalm_agent.store.home import WorkDir

MOST_SECONDS = 86_400
"""Of a trial, a warm-up or a search."""
LATENCY_SHARES, SWEEP_SHARES = "10,50,90", "5,10,20,30,40,50,60,70,80,90,100"
_EXIT_CODES = {
    "measured": ExitCode.OK,
    "same": ExitCode.OK,
    "improved": ExitCode.OK,
    "regressed": ExitCode.REGRESSION,
    "inconclusive": ExitCode.INCONCLUSIVE,
    "invalid": ExitCode.NOT_MEASURED,
    "broken": ExitCode.NOT_MEASURED,
}

_PRESET_CODES = {
    "measured": ExitCode.OK,
    "lossy": ExitCode.REGRESSION,
    "inconclusive": ExitCode.INCONCLUSIVE,
}
_OF_MODES = {"mode", "pdr_loss", "width", "shares", "launches", "limit", "base", "pps", "margin"}
_OF_MODES |= {"branch", "arrivals", "burst", "new_flows", "ramp"}
_SEARCHING = frozenset(Mode) - {Mode.MRR}
_MODES_OF = {
    "pdr_loss": {Mode.PDR, Mode.ALL},
    "width": _SEARCHING,
    "limit": _SEARCHING,
    "shares": {Mode.LATENCY, Mode.SWEEP, Mode.ALL},
    "leave_out": {Mode.LATENCY, Mode.ALL},
}
"""Options that not every mode uses, and the modes that do."""
_OF_TWO = {"margin", "branch"}
"""Options that only two builds are judged by."""
_OF_SEARCH = {"shares", "width", "limit"}
"""Options of a load that is searched."""


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm rate  the working tree: MRR, NDR, PDR, latency",
            "nalm rate main --mode mrr --duration 0.5",
            "nalm rate HEAD --mode ndr --width 0.005 --json rates.json",
            "nalm rate --mode latency --arrivals geometric",
            "nalm rate --mode ndr --burst 64 --new-flows 1000  bursts, and 1000 new flows a second",
            "nalm rate --base main --ramp 10:0.2  from 0.2 to 1.8 times the load, each 10 ms",
            "nalm rate --mode sweep --base main --json sweeps.json",
            "nalm rate HEAD --base main  latency and loss of two builds at half of base's NDR",
            "nalm rate --base HEAD~1 --pps 500000 --margin 20",
            "nalm rate HEAD --base main --generator lab  the same from outside of the NF",
            "nalm rate --mode ndr --generator lab  a generator of nalm.toml's [generator.lab]",
            "nalm rate --preset vcpe --scenario nop_1_lcore  5 minutes at each of four loads",
            "nalm rate --preset vcpe --duration 30 --leave-out 2 --json vcpe.json  shorter, to try it",
            "nalm rate --preset vcpe --generator lab  both directions from a generator outside of the NF",
        )
    )(rate)


def rate(
    context: typer.Context,
    revision: options.RevisionArgument = WORKTREE,
    *,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="REV",
            help="Compare with this commit: both are offered the same loads in launches side by side, or one "
            "after the other with a generator outside of the NF.",
            autocompletion=revision_names,
        ),
    ] = None,
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
        float,
        typer.Option(
            min=0.05, max=MOST_SECONDS, help="Duration of a trial, in seconds; of a load with --preset."
        ),
    ] = defaults.TRIAL_S,
    pdr_loss: Annotated[
        float, typer.Option(min=1e-6, max=0.5, help="Share of packets that PDR may lose.")
    ] = defaults.PDR_LOSS,
    width: Annotated[
        float,
        typer.Option(
            min=0.001,
            max=0.5,
            help="Relative width of the interval at which the search ends.",
            show_default=f"{defaults.WIDTH}; with --base: {SHORT_WIDTH}, but for a sweep",
        ),
    ] = defaults.WIDTH,
    shares: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Loads for latency or a sweep, in per cent of NDR.",
            show_default=f"{LATENCY_SHARES}; sweep: {SWEEP_SHARES}; with --base: 50",
        ),
    ] = None,
    pps: Annotated[
        int | None, typer.Option(min=1, help="With --base: the load in packets per second, without a search.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            min=1,
            max=1000,
            metavar="PERCENT",
            help="With --base: change of a percentile that matters, in per cent; of a sweep, of CPP and of "
            "the knee.",
            show_default=f"nalm.toml's thresholds, otherwise {100 * defaults.LATENCY_MARGIN:g}; sweep: "
            f"{100 * defaults.LOAD_CPP_MARGIN:g} and {100 * defaults.KNEE_MARGIN:g}",
        ),
    ] = None,
    branch: options.BranchOption = None,
    leave_out: Annotated[
        float,
        typer.Option(
            min=0, max=MOST_SECONDS, help="Warm-up at each load before latencies are counted, in seconds."
        ),
    ] = defaults.LEAVE_OUT_S,
    arrivals: ArrivalsOption = None,
    burst: BurstOption = None,
    new_flows: NewFlowsOption = None,
    ramp: RampOption = None,
    launches: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=200,
            help="Number of launches at full load; of a sweep; with --base: of both arms.",
            show_default=f"{defaults.MRR_LAUNCHES}; sweep: {defaults.SWEEP_LAUNCHES}; "
            f"with --base: {defaults.COMPARE_LAUNCHES}",
        ),
    ] = None,
    generator: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What offers the load: inside (in the NF's process), or a [generator.NAME] of nalm.toml.",
        ),
    ] = INSIDE_NAME,
    limit: Annotated[
        float, typer.Option(min=1, max=MOST_SECONDS, help="Time limit of a search, in seconds.")
    ] = defaults.SEARCH_S,
    config: options.ConfigOption = None,
    json_file: options.JsonOption = None,
    repo: options.RepoOption = Path(),
    quiet: options.QuietOption = False,
) -> None:
    """Measure rates (MRR, NDR, PDR), latency, jitter, or figures over the load; compare builds."""
    from nalm_core.rates.comparison_report import ComparisonSettings
    from nalm_core.rates.rate_report import RateSettings

    from nalm_agent.rates.vcpe import VcpePlan

    require_place(json_file, "--json")
    given = options.given(context)
    shape = load_shape(arrivals, burst, new_flows, ramp, duration)
    place = _Place(repo, config, scenario, shape, duration, json_file, quiet, generator)
    if preset is not None:
        _require_of_preset(given)
        plan = VcpePlan(
            preset=preset,
            seconds=duration if "duration" in given else preset.seconds,
            leave_out_s=leave_out if "leave_out" in given else VCPE_LEAVE_OUT_S,
            scenario=scenario,
            generator=generator,
        )
        raise typer.Exit(_of_preset(place, revision, plan))
    _require_used(given, mode, compared=base is not None)
    sweeps = mode is Mode.SWEEP
    margins = _Margins(branch, None if margin is None else margin / 100)
    if base is not None and not sweeps:
        if mode not in (Mode.ALL, Mode.LATENCY):
            raise UsageError(
                f"--base compares latency and loss, or sweeps, not --mode {mode}",
                hint="`nalm check` compares cycles per packet, also at full load",
            )
        settings = ComparisonSettings(
            launches=launches or defaults.COMPARE_LAUNCHES,
            trial_s=duration,
            leave_out_s=leave_out,
        )
        loads = _Loads(
            [defaults.COMPARE_SHARE] if shares is None else percentages(shares),
            pps,
            width if "width" in given else SHORT_WIDTH,
            limit,
        )
        raise typer.Exit(_of_two(place, (base, revision), loads, settings, margins=margins, mode=mode))
    if pps is not None:
        raise UsageError(
            "--pps needs --base, and no sweep", hint="`nalm soak --pps N` keeps one load for hours"
        )
    alone = RateSettings(
        mode=mode,
        trial_s=duration,
        mrr_launches=launches if launches and not sweeps else defaults.MRR_LAUNCHES,
        sweep_launches=launches if launches and sweeps else defaults.SWEEP_LAUNCHES,
        pdr_loss=pdr_loss,
        width=width,
        search_s=limit,
        shares=percentages((SWEEP_SHARES if sweeps else LATENCY_SHARES) if shares is None else shares),
        leave_out_s=leave_out,
    )
    if sweeps:
        raise typer.Exit(_of_sweep(place, [revision] if base is None else [base, revision], alone, margins))
    raise typer.Exit(_of_one(place, revision, alone))


@dataclass(frozen=True)
class _Loads:
    """What two builds are offered."""

    shares: Sequence[float]
    """Of base's NDR."""
    pps: int | None
    """The only load, instead of shares."""
    width: float
    search_s: float
    """Width and time limit of the search of NDR."""


@dataclass(frozen=True)
class _Margins:
    """By whose thresholds of nalm.toml two builds are judged, and what takes their place."""

    branch: str | None
    given: float | None
    """--margin, as a share."""

    def of_comparison(self, head: Subject) -> dict[str, object]:
        """Fields of ComparisonSettings. --margin is of percentiles, not of loss."""
        from nalm_core.rates.comparison_report import METRIC_OF, RateFigure

        by_toml = head.margins(self.branch)
        margins = {
            figure: by_toml[metric]
            for figure, metric in METRIC_OF.items()
            if metric in by_toml and (self.given is None or figure is RateFigure.LOSS)
        }
        return {"margins": margins} if self.given is None else {"margins": margins, "margin": self.given}

    def of_sweep(self, head: Subject) -> SweepMargins:
        from nalm_core.rates.rate_report import SweepMargins

        by_toml = head.margins(self.branch)
        found = {name: self.given or by_toml.get(name) for name in SweepMargins.model_fields}
        return SweepMargins(**{name: margin for name, margin in found.items() if margin is not None})


@dataclass(frozen=True)
class _Place:
    """Where a revision is read, and where its report goes."""

    repo: Path
    config: Path | None
    scenario: str | None
    shape: LoadShape
    """What options give."""
    trial_s: float
    json_file: str | None
    quiet: bool
    generator: str

    def subjects(self, revisions: Sequence[str], work: WorkDir, progress: Progress) -> list[Subject]:
        """All have the last one's generator, and are offered the shape of its scenario, unless options give
        another. Raises ConfigError, HostError, UsageError."""
        from nalm_agent.rates.loaded_revision import subject

        repository = self.repository(work)
        resolved = [repository.resolve(one) for one in revisions]
        last = subject(repository, resolved[-1], self.scenario, generator=self.generator)
        found = [
            subject(repository, one, self.scenario, generator=self.generator, other=last)
            for one in resolved[:-1]
        ]
        found.append(last)
        shape = last.shaped(self.shape).shape
        require_whole_ramps(shape.ramp, self.trial_s)
        if shape != self.shape:
            progress.say(f"the open loop is as in the scenario's load: {shape.described}")
        return [replace(one, shape=shape) for one in found]

    def repository(self, work: WorkDir) -> Repository:
        """Raises GitError outside of a repository, ConfigError for an unreadable --config."""
        from nalm_agent.config.location import repository_at

        return repository_at(self.repo, work.fresh("git"), self.config)

    def write(self, report: BaseModel) -> None:
        """Writes the report where --json wants it."""
        document = json.dumps(report.model_dump(mode="json", by_alias=True), allow_nan=False)
        write_json(self.json_file, document)


def _of_one(place: _Place, revision: str, settings: RateSettings) -> ExitCode:
    from nalm_core.rates.rate_result import judge_rates

    from nalm_agent.desk.print_rates import print_rates
    from nalm_agent.rates.rate import measure_rates, require_possible
    from nalm_agent.report.console import Terminal
    from nalm_agent.store.home import Home

    home = Home.default()
    with home.work() as work, Terminal(quiet=place.quiet) as progress:
        (one,) = place.subjects([revision], work, progress)
        settings = settings.model_copy(update=dict(one.shape))
        require_possible(one, settings.mode)
        report = measure_rates(one, settings, home, work, progress)
        result = judge_rates(report)
        if place.json_file != STDOUT:
            with progress.aside():
                print_rates(report, result, f"{one.name} {one.revision.short}")
    place.write(report)
    return _EXIT_CODES[result.verdict]


def _of_sweep(place: _Place, revisions: Sequence[str], settings: RateSettings, margins: _Margins) -> ExitCode:
    from nalm_core.rates.rate_report import SweepComparison
    from nalm_core.rates.rate_result import judge_rates
    from nalm_core.rates.sweep_verdict import judge_sweeps

    from nalm_agent.desk.print_rates import print_rates
    from nalm_agent.desk.print_sweep import print_sweeps
    from nalm_agent.rates.rate import require_possible
    from nalm_agent.rates.sweep import measure_sweep
    from nalm_agent.report.console import Terminal
    from nalm_agent.store.home import Home

    home = Home.default()
    with home.work() as work, Terminal(quiet=place.quiet) as progress:
        swept = place.subjects(revisions, work, progress)
        settings = settings.model_copy(update=dict(swept[0].shape))
        require_possible(swept[0], settings.mode)
        reports = measure_sweep(swept, settings, home, work, progress)
        results = [judge_rates(report) for report in reports]
        verdict = judge_sweeps(reports[0], reports[1], margins.of_sweep(swept[1])) if reports[1:] else None
        if place.json_file != STDOUT:
            with progress.aside():
                for one, report, result in zip(swept, reports, results, strict=True):
                    print_rates(report, result, f"{one.name} {one.revision.short}")
                print_sweeps(reports, [one.revision.short for one in swept], verdict)
    if verdict is None:
        place.write(reports[0])
        return _EXIT_CODES[results[0].verdict]
    place.write(SweepComparison(base=reports[0], head=reports[1], verdict=verdict))
    return _EXIT_CODES[verdict.outcome]


def _of_two(
    place: _Place,
    revisions: tuple[str, str],
    loads: _Loads,
    settings: ComparisonSettings,
    *,
    margins: _Margins,
    mode: Mode,
) -> ExitCode:
    from nalm_core.rates.rate_change import judge_comparison

    from nalm_agent.desk.print_rate_comparison import print_rate_comparison
    from nalm_agent.rates.compare_rates import ComparisonPlan, compare_rates
    from nalm_agent.rates.generator_needs import INSIDE_INSTEAD, Need, require_able
    from nalm_agent.rates.rate import require_possible
    from nalm_agent.report.console import Terminal
    from nalm_agent.store.home import Home

    home = Home.default()
    with home.work() as work, Terminal(quiet=place.quiet) as progress:
        base, head = place.subjects(revisions, work, progress)
        require_able(head.generator, rate=Need("--base", INSIDE_INSTEAD))
        require_possible(head, mode, compared=True)
        settings = settings.model_copy(update={**dict(head.shape), **margins.of_comparison(head)})
        plan = ComparisonPlan(
            base, head, loads.shares, loads.pps, settings, width=loads.width, search_s=loads.search_s
        )
        report = compare_rates(plan, home, work, progress)
        verdict = judge_comparison(report)
        if place.json_file != STDOUT:
            with progress.aside():
                title = f"{head.name} {head.revision.short} against {base.revision.short}"
                print_rate_comparison(verdict, title, report.generator)
    place.write(report.model_copy(update={"verdict": verdict}))
    return _EXIT_CODES[verdict.outcome]


def _of_preset(place: _Place, revision: str, plan: VcpePlan) -> ExitCode:
    from nalm_core.rates.vcpe import judge_vcpe

    from nalm_agent.desk.print_vcpe import print_vcpe
    from nalm_agent.rates.loaded_revision import Place
    from nalm_agent.rates.vcpe import measure_vcpe
    from nalm_agent.report.console import Terminal
    from nalm_agent.store.home import Home

    home = Home.default()
    with home.work() as work, Terminal(quiet=place.quiet) as progress:
        repository = place.repository(work)
        found = repository.resolve(revision)
        report = measure_vcpe(plan, Place(repository, found, home, work, progress))
        result = judge_vcpe(report)
        if place.json_file != STDOUT:
            with progress.aside():
                print_vcpe(report, result, f"{report.scenario.name} {found.short}")
    place.write(report)
    return _PRESET_CODES[result.verdict]


def _require_of_preset(given: set[str]) -> None:
    """Raises UsageError for an option that a preset excludes."""
    for name in sorted(_OF_MODES & given):
        raise UsageError(
            f"--preset and {options.spelled(name)} exclude each other",
            hint="a preset sets loads and gaps; --duration and --leave-out may be shorter, to try it",
        )


def _require_used(given: set[str], mode: Mode, *, compared: bool) -> None:
    """Raises UsageError for an option that would change nothing."""
    latency_alone = compared and mode is Mode.ALL  # of two builds, all is latency and loss
    for name in sorted(given & _MODES_OF.keys()):
        if (Mode.LATENCY if latency_alone else mode) not in _MODES_OF[name]:
            by = "--base" if latency_alone else f"--mode {mode}"
            raise UsageError(
                f"{options.spelled(name)} changes nothing with {by}",
                hint=f"it is for --mode {', '.join(sorted(_MODES_OF[name]))}; leave it out",
            )
    if not compared:
        for name in sorted(given & _OF_TWO):
            raise UsageError(
                f"{options.spelled(name)} needs --base",
                hint="two builds are judged by margins; one is measured",
            )
    if "pps" in given and compared:
        for name in sorted(given & _OF_SEARCH):
            raise UsageError(
                f"--pps and {options.spelled(name)} exclude each other",
                hint="--pps is the only load, and nothing is searched",
            )
