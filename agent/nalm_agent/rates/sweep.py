# SPDX-License-Identifier: Apache-2.0
"""`nalm rate --mode sweep`: trials at many loads in each of several launches, of one build or two in turn: at
each load, or with a generator outside, which sends to one NF at a time, of the whole launch."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from random import Random
from typing import TypeVar

from nalm_core.rates.rate_report import Phase, RateReport, RateSettings, RateStatus
from nalm_core.report.run_report import Arm
from nalm_core.text.percents import share_percent

from nalm_agent.rates.generator_check import require_trust
from nalm_agent.rates.load_events import count_events, not_counted
from nalm_agent.rates.loaded_revision import Subject, all_ready
from nalm_agent.rates.rate import RateReportBuilder, full_load, search_rates
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import BuildError, NfError
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf

SWEEP_BEGINS, SWEEP_ENDS = 0.5, 0.9
"""Shares of the progress bar."""
LEFT_OUT = 0.1
"""Share of a trial at its begin whose latencies are not counted."""

Turn = TypeVar("Turn")
Load = tuple[float, int]
"""A share of NDR, and packets per second."""


def measure_sweep(
    subjects: Sequence[Subject], settings: RateSettings, home: Home, work: WorkDir, progress: Progress
) -> list[RateReport]:
    """A report of each subject: the first one's full load and NDR, then all at shares of that NDR.

    All reports are `broken` if one NF cannot be built or run. Raises HostError if this host cannot measure,
    ConfigError if the subjects do not fit each other.
    """
    builders = [RateReportBuilder(one, settings) for one in subjects]
    try:
        with all_ready(subjects, builders[0].host, home, work, progress) as runs:
            for builder, run in zip(builders, runs, strict=True):
                builder.build = run.build
            builders[0].checks += require_trust(runs[0], progress)
            loads = _loads(runs[0], builders[0], progress)
            if loads:
                for launch in range(settings.sweep_launches):
                    _launch(runs, builders, loads, launch, progress)
                _count_events(runs, builders, loads, progress)
    except (BuildError, NfError) as error:
        return [one.report(RateStatus.BROKEN, error.full_text()) for one in builders]
    progress.step("report", "checks", 1.0)
    return [one.report(RateStatus.MEASURED) for one in builders]


def _loads(run: NfRun, builder: RateReportBuilder, progress: Progress) -> list[Load]:
    """The loads by NDR; empty if it was not found."""
    greatest = full_load(run, builder, progress)
    with TrialNf(run, launch=builder.settings.mrr_launches) as nf:
        builder.searches = search_rates(nf, greatest, builder, progress)
        nf.finish()
    ndr = builder.searches[0].lower_pps
    return [(share, max(1, round(ndr * share))) for share in builder.settings.shares] if ndr else []


def _launch(
    runs: Sequence[NfRun],
    builders: Sequence[RateReportBuilder],
    loads: Sequence[Load],
    launch: int,
    progress: Progress,
) -> None:
    """One trial of each build at every load, in random order. Builds that live together take turns."""
    settings, both = builders[0].settings, list(zip(builders, runs, strict=True))
    outside = runs[0].generator is not None
    order = Random(launch).sample(loads, len(loads))
    groups = [[one] for one in _turned(both, launch)] if outside else [both]
    for at, group in enumerate(groups):
        with ExitStack() as stack:
            nfs = [(builder, stack.enter_context(TrialNf(run, launch=launch))) for builder, run in group]
            for builder, nf in nfs:
                builder.stages = nf.stages
                nf.trial(Ask(Phase.SWEEP, settings.trial_s / 4))  # caches and tables warm up; not recorded
            for number, (share, pps) in enumerate(order):
                part = (at + number / len(loads)) / len(groups)
                done = (launch + part) / settings.sweep_launches
                detail = f"launch {launch + 1}, {share_percent(share, 0)} of NDR, {pps} pps"
                progress.step("sweep", detail, SWEEP_BEGINS + (SWEEP_ENDS - SWEEP_BEGINS) * done)
                ask = Ask(Phase.SWEEP, settings.trial_s, pps, share, LEFT_OUT * settings.trial_s)
                for builder, nf in _turned(nfs, launch + number):
                    builder.trials.append(nf.trial(ask))
            for _, nf in nfs:
                nf.finish()


def _turned(turns: list[Turn], number: int) -> list[Turn]:
    return turns if number % 2 == 0 else turns[::-1]


def _count_events(
    runs: Sequence[NfRun], builders: Sequence[RateReportBuilder], loads: Sequence[Load], progress: Progress
) -> None:
    """Cycles and instructions at each load, or a note why there are none."""
    for run, builder in zip(runs, builders, strict=True):
        if reason := not_counted(run):
            builder.notes.append(reason)
            continue
        events, missing = count_events(
            Arm.HEAD,
            run,
            loads,
            lambda share: progress.step("events", f"{share_percent(share, 0)} of NDR", SWEEP_ENDS),
        )
        builder.load_events += events
        if missing is not None:
            builder.notes.append(missing)
