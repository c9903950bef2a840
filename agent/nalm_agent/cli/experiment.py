# SPDX-License-Identifier: Apache-2.0
"""`nalm experiment`: features, variants, execution models, core counts, roles, queues and flows of one
commit, and the settings of the host."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer
from nalm_core.experiments.constants import CELL_SECONDS
from nalm_core.rates import defaults

from nalm_agent.report.output_file import STDOUT, require_place, write_json
from nalm_agent.runtime.errors import ExitCode, HostError
from nalm_agent.shell import options
from nalm_agent.shell.commands import CommandGroup
from nalm_agent.shell.completion import revision_names, scenario_names
from nalm_agent.shell.examples import examples
from nalm_agent.source.git import WORKTREE

NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME",
        help="Scenarios, ablations or chains. Default: all of nalm.toml.",
        autocompletion=scenario_names,
    ),
]
TableArgument = Annotated[
    str | None, typer.Argument(metavar="NAME", help="The table in nalm.toml. Default: the first.")
]
RevisionOption = Annotated[
    str,
    typer.Option(
        metavar="REV", help="Commit to measure, or the working tree.", autocompletion=revision_names
    ),
]
DurationOption = Annotated[float, typer.Option(min=0.05, help="Duration of a trial, in seconds.")]

CellKindName = Literal["features", "ablation", "models"]
"""The kinds with cells, by name: their type needs pydantic, which help does without."""
KINDS: dict[CellKindName, tuple[str, str]] = {
    "features": (
        "Measure the cost of each feature, with its error.",
        examples(
            "nalm experiment features",
            "nalm experiment features --scenario sfc_a --seconds 20 --json prices.json",
        ),
    ),
    "ablation": (
        "Measure each variant off and on.",
        examples("nalm experiment ablation flow_cache"),
    ),
    "models": (
        "Compare chains under their execution models.",
        examples("nalm experiment models --revision v1.2"),
    ),
}
"""Help and examples of each kind with cells."""


def add_to(app: typer.Typer) -> None:
    """Adds the commands to `nalm`."""
    group = typer.Typer(
        cls=CommandGroup,
        help="Measure the cost of features, variants or execution models of one commit, side by side; its "
        "speedup with lcores, its roles and its queue, the first packets of its flows, and what the host's "
        "settings contribute.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    for kind, (text, epilog) in KINDS.items():
        group.command(
            kind,
            help=f"{text}\n\nThe files of --reports and --json have every cell as soon as it is measured, "
            "also if the command is stopped. Exit code 3: some cells could not be measured; the result "
            "covers the others.",
            epilog=epilog,
        )(_of_kind(kind))
    group.command(
        epilog=examples(
            "nalm experiment cores --lcores 1,2,4,8",
            "nalm experiment cores sfc_a --at 16,32 --json cores.json",
        )
    )(cores)
    group.command(
        epilog=examples(
            "nalm experiment roles", "nalm experiment roles sfc_a --lcores 4,8,16 --json roles.json"
        )
    )(roles)
    group.command(
        epilog=examples(
            "nalm experiment queue",
            "nalm experiment queue nop --batch 32,256 --ring 1024 --shares 20,40,60,80,95 --arrivals poisson",
        )
    )(queue)
    group.command(
        epilog=examples(
            "nalm experiment flows",
            "nalm experiment flows acl --shares 1,10,30 --load 40 --packets 20 --json flows.json",
        )
    )(flows)
    group.command(
        epilog=examples(
            "nalm experiment platform --dry-run",
            "sudo nalm experiment platform --scenario nop_1_lcore --json platform.json",
            "sudo nalm experiment platform thp interrupts --launches 16 --pps 200000",
        )
    )(platform)
    app.add_typer(group, name="experiment")


def _setting_names(incomplete: str) -> list[str]:
    from nalm_agent.host.tunables import SETTINGS

    return [name for name in SETTINGS if name.startswith(incomplete)]


def _of_kind(name: CellKindName) -> Callable[..., None]:
    def command(
        names: NamesArgument = None,
        *,
        scenario: Annotated[
            list[str] | None,
            typer.Option(
                "--scenario", metavar="NAME", help="Another NAME; repeatable.", autocompletion=scenario_names
            ),
        ] = None,
        revision: RevisionOption = WORKTREE,
        seconds: Annotated[
            float, typer.Option(min=0.1, help="Time limit for the rounds of a cell, without its launches.")
        ] = CELL_SECONDS,
        seed: Annotated[
            int, typer.Option(help="Seed for the order of cells and the choice of held-out sets.")
        ] = 0,
        json_file: options.JsonOption = None,
        reports_file: Annotated[
            str | None,
            typer.Option(
                "--reports",
                metavar="FILE",
                help="Write the cells' run reports to this file, after each cell.",
            ),
        ] = None,
        config: options.ConfigOption = None,
        repo: options.RepoOption = Path(),
        quiet: options.QuietOption = False,
    ) -> None:
        from nalm_core.report.cell import Kind, cell_kind

        from nalm_agent.config.location import repository_at
        from nalm_agent.desk.print_experiment import print_result
        from nalm_agent.measure.experiment import Experiment, measure_cells
        from nalm_agent.report.cell_files import keep_cells
        from nalm_agent.report.console import Terminal
        from nalm_agent.store.home import Home

        require_place(reports_file, "--reports")
        require_place(json_file, "--json")
        home = Home.default()
        with home.work() as work, Terminal(quiet=quiet) as progress:
            repository = repository_at(repo, work.fresh("git"), config)
            found = repository.resolve(revision)
            chosen = [*(names or []), *(scenario or [])]
            kind = cell_kind(Kind(name))
            assert kind is not None
            planned = Experiment(repository, found, kind, chosen, seed, seconds)
            cells = measure_cells(planned, home, work, progress)
            result = keep_cells(cells, reports_file, json_file)
        if result is None or not result.taken:
            why = "\n".join(result.unusable.values()) if result else None
            raise HostError(
                "no cell could be measured",
                log=why,
                hint="give busy hosts more time with --seconds; `nalm check --force` shows one run whole",
            )
        if STDOUT not in (json_file, reports_file):
            print_result(result)
        if json_file == STDOUT:
            write_json(json_file, result.model_dump_json(indent=1))
        raise typer.Exit(ExitCode.INCONCLUSIVE if result.partial else ExitCode.OK)

    return command


def cores(
    chain: TableArgument = None,
    *,
    lcores: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Numbers of lcores of the NF, such as 1,2,4,8. Default: nalm.toml's."
        ),
    ] = None,
    reference: Annotated[
        int | None, typer.Option(help="Lcores whose speedup is 1. Default: the fewest measured.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="LIST", help="Lcores to predict for, such as 16,32.")
    ] = None,
    revision: RevisionOption = WORKTREE,
    duration: DurationOption = defaults.TRIAL_S,
    launches: Annotated[
        int, typer.Option(min=1, help="Number of launches with each number of lcores.")
    ] = defaults.MRR_LAUNCHES,
    json_file: options.JsonOption = None,
    config: options.ConfigOption = None,
    repo: options.RepoOption = Path(),
    quiet: options.QuietOption = False,
) -> None:
    """Measure full load with several numbers of lcores, and fit the speedup: ceiling, peak, cap, factors.

    Exit code 3: some numbers were left out, and the fit covers the others; or f_s could not be measured.
    """
    from nalm_core.rates.presets import Mode
    from nalm_core.rates.rate_report import RateSettings

    from nalm_agent.config.location import repository_at
    from nalm_agent.desk.models.answer import refusing, show
    from nalm_agent.desk.models.inputs import whole_numbers
    from nalm_agent.desk.models.scaling import answer_cores
    from nalm_agent.rates.core_counts import measure_cores, plan_cores
    from nalm_agent.rates.loaded_revision import Place
    from nalm_agent.report.console import Terminal
    from nalm_agent.store.home import Home

    require_place(json_file, "--json")
    settings = RateSettings(mode=Mode.MRR, trial_s=duration, mrr_launches=launches)
    home = Home.default()
    with home.work() as work, Terminal(quiet=quiet) as progress, refusing("speedup"):
        repository = repository_at(repo, work.fresh("git"), config)
        place = Place(repository, repository.resolve(revision), home, work, progress)
        plan = plan_cores(place, chain, whole_numbers(lcores, "--lcores") if lcores else None)
        measured = measure_cores(plan, settings, place)
        answer = answer_cores(measured, reference, at)
    show(answer, json_file)
    partial = measured.left_out or measured.notes
    raise typer.Exit(ExitCode.INCONCLUSIVE if partial else ExitCode.OK)


def roles(
    name: TableArgument = None,
    *,
    lcores: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Numbers of lcores to split, such as 4,8. Default: those of nalm.toml's splits.",
        ),
    ] = None,
    revision: RevisionOption = WORKTREE,
    duration: DurationOption = defaults.TRIAL_S,
    launches: Annotated[
        int, typer.Option(min=1, help="Number of launches of each scenario.")
    ] = defaults.MRR_LAUNCHES,
    json_file: options.JsonOption = None,
    config: options.ConfigOption = None,
    repo: options.RepoOption = Path(),
    quiet: options.QuietOption = False,
) -> None:
    """Predict how lcores are best split between dispatch, workers and databases, and measure the splits.

    One run gives the cycles of each role. Exit code 3: some splits could not be measured on this host.
    """
    from nalm_core.rates.presets import Mode
    from nalm_core.rates.rate_report import RateSettings

    from nalm_agent.config.location import repository_at
    from nalm_agent.desk.models.answer import refusing, show
    from nalm_agent.desk.models.inputs import whole_numbers
    from nalm_agent.desk.models.scaling import answer_splits
    from nalm_agent.rates.loaded_revision import Place
    from nalm_agent.rates.role_splits import measure_roles, plan_roles
    from nalm_agent.report.console import Terminal
    from nalm_agent.store.home import Home

    require_place(json_file, "--json")
    settings = RateSettings(mode=Mode.MRR, trial_s=duration, mrr_launches=launches)
    home = Home.default()
    with home.work() as work, Terminal(quiet=quiet) as progress, refusing("roles"):
        totals = whole_numbers(lcores, "--lcores") if lcores else []
        repository = repository_at(repo, work.fresh("git"), config)
        place = Place(repository, repository.resolve(revision), home, work, progress)
        answer = measure_roles(plan_roles(place, name), settings, place, totals)
    show(answer_splits(answer), json_file)
    missing = any(one.measured_pps is None for one in answer.splits)
    raise typer.Exit(ExitCode.INCONCLUSIVE if missing else ExitCode.OK)


def queue(
    name: TableArgument = None,
    *,
    batch: Annotated[
        str | None, typer.Option(metavar="LIST", help="Largest batches. Default: nalm.toml's.")
    ] = None,
    ring: Annotated[
        str | None, typer.Option(metavar="LIST", help="Sizes of the ring. Default: nalm.toml's.")
    ] = None,
    frame: Annotated[
        str | None, typer.Option(metavar="LIST", help="Bytes of a frame. Default: nalm.toml's.")
    ] = None,
    shares: Annotated[
        str, typer.Option(metavar="LIST", help="Loads, in per cent of the rate at full load.")
    ] = "20,40,60,80,95",
    arrivals: Annotated[
        str,
        typer.Option(metavar="PROCESS", help="Gaps between packets: poisson, geometric, cbr or nbinom:CV."),
    ] = "poisson",
    revision: RevisionOption = WORKTREE,
    duration: Annotated[
        float, typer.Option(min=0.05, help="Seconds of valid trials at each load.")
    ] = defaults.TRIAL_S,
    json_file: options.JsonOption = None,
    config: options.ConfigOption = None,
    repo: options.RepoOption = Path(),
    quiet: options.QuietOption = False,
) -> None:
    """Measure batch sizes, loss and latency over a grid of queues and loads, beside the queue model's.

    Each load is measured in trials of 50 ms. Those in which an lcore lost time, or the generator was too
    slow, are left out and counted. Exit code 3: some loads could not be compared.
    """
    from nalm_agent.config.location import repository_at
    from nalm_agent.desk.models.answer import refusing, show
    from nalm_agent.desk.models.inputs import whole_numbers
    from nalm_agent.desk.models.queue_grid import answer_grid
    from nalm_agent.rates.loaded_revision import Place
    from nalm_agent.rates.queue_grid import Grid, measure_grid, queue_table
    from nalm_agent.report.console import Terminal
    from nalm_agent.shell.load_options import percentages, usable_arrivals
    from nalm_agent.store.home import Home

    require_place(json_file, "--json")
    home = Home.default()
    with home.work() as work, Terminal(quiet=quiet) as progress, refusing("queue"):
        grid = Grid(
            shares=percentages(shares),
            arrivals=usable_arrivals(arrivals),
            seconds=duration,
            batches=whole_numbers(batch, "--batch") if batch else None,
            rings=whole_numbers(ring, "--ring") if ring else None,
            frames=whole_numbers(frame, "--frame") if frame else None,
        )
        repository = repository_at(repo, work.fresh("git"), config)
        place = Place(repository, repository.resolve(revision), home, work, progress)
        measured = measure_grid(queue_table(place, name), grid, place)
    measured.require_any()
    show(answer_grid(measured, arrivals), json_file)
    raise typer.Exit(ExitCode.INCONCLUSIVE if measured.left_out else ExitCode.OK)


def flows(
    name: TableArgument = None,
    *,
    shares: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="New flows, in per cent of the packets, such as 1,10,30. Default: nalm.toml's.",
        ),
    ] = None,
    load: Annotated[
        float, typer.Option(min=1, max=100, help="Load, in per cent of the least full load of the designs.")
    ] = 100 * defaults.FLOW_LOAD,
    packets: Annotated[
        int, typer.Option(min=1, help="Packets of a flow, for its cost over the weight.")
    ] = defaults.FLOW_PACKETS,
    revision: RevisionOption = WORKTREE,
    duration: DurationOption = defaults.TRIAL_S,
    launches: Annotated[int, typer.Option(min=1, help="Number of launches.")] = defaults.FLOW_LAUNCHES,
    json_file: options.JsonOption = None,
    config: options.ConfigOption = None,
    repo: options.RepoOption = Path(),
    quiet: options.QuietOption = False,
) -> None:
    """Measure what a flow's first packet costs and what later ones do, from several shares of new flows.

    Prints the flow length from which each design pays, and the cost of flows over the weight of compute
    against delay. Exit code 3: some trials were left out; the fit covers the others.
    """
    from nalm_core.rates.experiments.flow_costs import flows_answer

    from nalm_agent.config.location import repository_at
    from nalm_agent.desk.models.answer import refusing, show
    from nalm_agent.desk.models.flows import answer_flows
    from nalm_agent.rates.flow_shares import FlowSettings, flows_table, measure_flows
    from nalm_agent.rates.loaded_revision import Place
    from nalm_agent.report.console import Terminal
    from nalm_agent.shell.load_options import percentages
    from nalm_agent.store.home import Home

    require_place(json_file, "--json")
    settings = FlowSettings(percentages(shares) if shares else None, load / 100, launches, duration)
    home = Home.default()
    with home.work() as work, Terminal(quiet=quiet) as progress, refusing("cost"):
        repository = repository_at(repo, work.fresh("git"), config)
        place = Place(repository, repository.resolve(revision), home, work, progress)
        measured = measure_flows(flows_table(place, name), settings, place)
        answer = flows_answer(measured.pps, measured.designs, packets)
    show(answer_flows(answer), json_file)
    raise typer.Exit(ExitCode.INCONCLUSIVE if answer.left_out else ExitCode.OK)


_PLATFORM_CODES = {
    "measured": ExitCode.OK,
    "inconclusive": ExitCode.INCONCLUSIVE,
    "invalid": ExitCode.NOT_MEASURED,
}


def platform(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SETTING",
            help="Settings to vary: governor, turbo, idle-states, interrupts, thp, numa-balancing, "
            "huge-pages, watchdogs. Default: all.",
            autocompletion=_setting_names,
        ),
    ] = None,
    *,
    scenario: options.OneScenarioOption = None,
    revision: RevisionOption = WORKTREE,
    share: Annotated[
        float, typer.Option(min=1, max=100, help="Load of the latencies, in per cent of NDR.")
    ] = 50.0,
    pps: Annotated[
        int | None, typer.Option(min=1, help="This load in packets per second, without a search.")
    ] = None,
    launches: Annotated[
        int | None,
        typer.Option(min=1, max=200, help="Launches under each setting.", show_default="12"),
    ] = None,
    duration: DurationOption = defaults.TRIAL_S,
    leave_out: Annotated[
        float, typer.Option(min=0, help="Warm-up before latencies are counted, in seconds.")
    ] = defaults.LEAVE_OUT_S,
    seed: Annotated[int, typer.Option(help="Seed for the order of the launches.")] = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be varied, and what is not available.")
    ] = False,
    json_file: options.JsonOption = None,
    config: options.ConfigOption = None,
    repo: options.RepoOption = Path(),
    quiet: options.QuietOption = False,
) -> None:
    """Measure what each setting of `nalm doctor --tune` contributes to CPP, rate and latency; also together.

    As root. Each launch has one setting changed, all, or none, in random order. Every setting is reverted
    after its launch; the next command reverts it if this one was killed. Exit code 3: a contribution could
    not be measured.
    """
    import json

    from nalm_core.rates.experiments.platform import LAUNCHES, PlatformSettings, judge_platform

    from nalm_agent.config.location import repository_at
    from nalm_agent.desk.print_platform import print_platform, print_proposed
    from nalm_agent.host.kernel_files import System
    from nalm_agent.host.tune import require_root
    from nalm_agent.rates.loaded_revision import subject
    from nalm_agent.rates.platform import (
        PlatformPlan,
        measure_platform,
        proposed_settings,
        require_settings,
    )
    from nalm_agent.report.console import Terminal
    from nalm_agent.store.home import Home

    require_place(json_file, "--json")
    require_settings(names or [])
    if not dry_run:
        require_root()
    home = Home.default()
    with home.work() as work, Terminal(quiet=quiet) as progress:
        repository = repository_at(repo, work.fresh("git"), config)
        one = subject(repository, repository.resolve(revision), scenario)
        chosen = list(dict.fromkeys(names or []))
        if dry_run:
            with progress.aside():
                print_proposed(proposed_settings(System(), one.scenario.lcores, chosen))
            return
        settings = PlatformSettings(
            launches=launches or LAUNCHES, trial_s=duration, leave_out_s=leave_out, seed=seed
        )
        report = measure_platform(PlatformPlan(one, chosen, share / 100, pps, settings), home, work, progress)
        result = judge_platform(report)
        if json_file != STDOUT:
            with progress.aside():
                print_platform(report, result, f"{one.name} {one.revision.short}")
    write_json(json_file, json.dumps(report.model_dump(mode="json", by_alias=True), allow_nan=False))
    raise typer.Exit(_PLATFORM_CODES[result.verdict])
