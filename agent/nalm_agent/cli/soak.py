# SPDX-License-Identifier: Apache-2.0
"""`nalm soak`: keeps one load for hours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from nalm_core.rates import defaults
from nalm_core.rates.presets import INSIDE_NAME, SOAK_FRAME, VCPE_LEAVE_OUT_S, Preset

from nalm_agent.runtime.errors import ExitCode, UsageError
from nalm_agent.shell import options
from nalm_agent.shell.examples import examples
from nalm_agent.source.git import WORKTREE

if TYPE_CHECKING:
    from nalm_core.rates.soak import SoakPreset

Frame = Literal["64", "256", "imix", "1500"]

MOST_HOURS = 8760
"""Longest soak: a year."""
MOST_SECONDS = 3600
"""Longest interval between records, and time that is left out before one."""

_OF_NEW_SOAKS = {"preset", "frame", "leave_out", "hours", "share", "pps", "interval", "out", "branch"}
"""What the file of --resume has already."""
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
        epilog=examples(
            "nalm soak --hours 8 --out night.jsonl",
            "nalm soak --hours 1 --pps 200000",
            "nalm soak --resume night.jsonl",
            "nalm soak --hours 8 --generator lab  a generator of nalm.toml's [generator.lab]",
            "nalm soak --preset vcpe --scenario nop_1_lcore  256 B both ways, 5 minutes",
            "nalm soak --preset vcpe-16h --frame imix --out weekend.jsonl",
        )
    )(soak)


def soak(
    context: typer.Context,
    revision: options.RevisionArgument = WORKTREE,
    *,
    preset: Annotated[
        Preset | None,
        typer.Option(
            help="A load of the vCPE procedure (Veitch et al.) in both directions, for 5 minutes or "
            "16 hours; greatest latency against 150 ms."
        ),
    ] = None,
    frame: Annotated[
        Frame | None, typer.Option(help="With --preset: the frames, in bytes.", show_default=SOAK_FRAME)
    ] = None,
    leave_out: Annotated[
        float,
        typer.Option(
            min=0,
            max=MOST_SECONDS,
            help="With --preset: seconds of each launch before latencies are counted.",
        ),
    ] = VCPE_LEAVE_OUT_S,
    hours: Annotated[
        float,
        typer.Option(
            min=0.0001,
            max=MOST_HOURS,
            help="Duration under load, in hours.",
            show_default="1; with --preset: the preset's",
        ),
    ] = 1.0,
    share: Annotated[float, typer.Option(min=1, max=100, help="Load, in per cent of NDR.")] = (
        defaults.SOAK_SHARE * 100
    ),
    pps: Annotated[
        int | None, typer.Option(min=1, help="Load in packets per second; skips the search for NDR.")
    ] = None,
    interval: Annotated[
        float, typer.Option(min=0.05, max=MOST_SECONDS, help="Interval between records, in seconds.")
    ] = defaults.SOAK_INTERVAL_S,
    out: Annotated[Path, typer.Option("--out", help="Output file, one record per line.")] = Path(
        "soak.jsonl"
    ),
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FILE", help="Continue this soak with its settings.")
    ] = None,
    generator: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What offers the load: inside (in the NF's process), or a [generator.NAME] of nalm.toml "
            "that keeps a rate. It is reserved for the whole soak.",
            show_default="inside; with --resume: that of FILE",
        ),
    ] = None,
    scenario: options.OneScenarioOption = None,
    branch: options.BranchOption = None,
    config: options.ConfigOption = None,
    repo: options.RepoOption = Path(),
    quiet: options.QuietOption = False,
) -> None:
    """Keep one load for hours to find drift of cost and rate, growing tail latency, and leaks."""
    from nalm_core.rates.soak import judge_soak, soak_figures
    from nalm_core.rates.vcpe import load_of

    from nalm_agent.config.location import repository_at
    from nalm_agent.desk.print_rates import print_soak
    from nalm_agent.desk.print_vcpe import print_vcpe_soak
    from nalm_agent.rates.loaded_revision import Place
    from nalm_agent.rates.no_drop_rate import search_settings
    from nalm_agent.rates.soak import SoakPlan, begin_soak, resume_soak
    from nalm_agent.rates.soak_file import read_soak
    from nalm_agent.rates.vcpe import vcpe_subject
    from nalm_agent.report.console import Terminal
    from nalm_agent.store.home import Home

    new = _new_preset(options.given(context), preset, frame, leave_out)
    if preset is not None and "hours" not in options.given(context):
        hours = preset.seconds / 3600
    home = Home.default()
    with home.work() as work, Terminal(quiet=quiet) as progress:
        repository = repository_at(repo, work.fresh("git"), config)
        begun = None if resume is None else read_soak(resume)[0]
        kept = new if begun is None else begun.preset
        place = Place(repository, repository.resolve(revision), home, work, progress)
        name = scenario if begun is None else scenario or begun.scenario.name
        sender = generator or (INSIDE_NAME if begun is None else begun.generator.name)
        if kept is None:
            one = place.subject(name, generator=sender)
        else:
            one = vcpe_subject(place, name, load_of(kept.frame), sender)
        if resume is None:
            if kept is None:
                one = one.shaped()
            if one.shape.described:
                progress.say(f"the open loop is as in the scenario's load: {one.shape.described}")
            search = search_settings(one.shape.whole_s(min(1.0, interval)))
            whole = one.shape.whole_s(interval)
            margins = one.margins(branch)
            plan = SoakPlan(out, hours, whole, pps, share / 100, search, kept, margins)
            begin_soak(one, plan, home, work, progress)
        else:
            resume_soak(one, resume, home, work, progress)
        header, intervals = read_soak(resume or out)
        verdict = judge_soak(header, intervals)
        with progress.aside():
            print_soak(header, verdict, f"{one.name} {one.revision.short}")
            figures = soak_figures(header, intervals)
            if header.preset is not None and figures is not None:
                print_vcpe_soak(header.preset, figures)
    raise typer.Exit(_EXIT_CODES[verdict.outcome])


def _new_preset(
    given: set[str], preset: Preset | None, frame: Frame | None, leave_out: float
) -> SoakPreset | None:
    """The preset of a new soak. Raises UsageError for options that exclude each other."""
    from nalm_core.rates.soak import SoakPreset
    from nalm_core.rates.vcpe import load_of

    if "resume" in given:
        for name in sorted(given & _OF_NEW_SOAKS):
            raise UsageError(
                f"{options.spelled(name)} and --resume exclude each other",
                hint="--resume FILE continues with load, length and margins of FILE, and writes to FILE",
            )
    if {"share", "pps"} <= given:
        raise UsageError(
            "--share and --pps exclude each other",
            hint="--pps is a load, --share a part of NDR, which is searched",
        )
    if preset is None:
        for name in sorted(given & {"frame", "leave_out"}):
            raise UsageError(
                f"{options.spelled(name)} requires --preset", hint="nalm soak --preset vcpe --frame imix"
            )
        return None
    for name in sorted(given & {"share", "pps"}):
        raise UsageError(f"--preset and --{name} exclude each other", hint="a preset sets the load")
    load = load_of(frame or SOAK_FRAME)
    return SoakPreset(preset=preset, frame=load.frame, mbit=load.mbit, leave_out_s=leave_out)
