# SPDX-License-Identifier: Apache-2.0
"""`nalm rate --mode sweep`: trials at many loads in each of several launches, of one build or two in turn
(side_by_side.py)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from nalm_core.rates.rate_report import Phase, RateReport, RateSettings, RateStatus
from nalm_core.report.run_report import Arm
from nalm_core.text.percents import share_percent

from nalm_agent.rates.generator_check import require_trust
from nalm_agent.rates.load_events import count_events, counted_launches, not_counted
from nalm_agent.rates.loaded_revision import Subject, all_ready
from nalm_agent.rates.rate import RateReportBuilder, full_load, search_rates
from nalm_agent.rates.side_by_side import ORDER, ArmError, alive, blame, groups, order
from nalm_agent.rates.time_left import TimeLeft
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import BuildError, NfError
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf

SWEEP_BEGINS = 0.5
"""Share of the progress bar."""
LEFT_OUT = 0.1
"""Share of a trial at its begin whose latencies are not counted."""

Load = tuple[float, int]
"""A share of NDR, and packets per second."""


def measure_sweep(
    subjects: Sequence[Subject], settings: RateSettings, home: Home, work: WorkDir, progress: Progress
) -> list[RateReport]:
    """A report of each subject: the first one's full load and NDR, then all at shares of that NDR.

    All reports are `broken` if one NF cannot be built or run. Raises HostError if this host cannot measure,
    ConfigError if the subjects do not fit each other.
    """
    builders = {
        arm: RateReportBuilder(one, settings)
        for arm, one in zip(ORDER[-len(subjects) :], subjects, strict=True)
    }
    first = next(iter(builders.values()))
    try:
        with all_ready(subjects, first.host, home, work, progress) as started:
            runs = dict(zip(builders, started, strict=True))
            for arm, run in runs.items():
                builders[arm].build = run.build
            first.checks += require_trust(started[0], progress)
            loads = _loads(started[0], first, progress)
            if loads:
                _sweep(runs, builders, loads, progress)
    except (BuildError, NfError, ArmError) as failure:
        error = failure.error if isinstance(failure, ArmError) else failure
        return [one.report(RateStatus.BROKEN, error.full_text()) for one in builders.values()]
    progress.step("report", "checks", 1.0)
    return [one.report(RateStatus.MEASURED) for one in builders.values()]


def _loads(run: NfRun, builder: RateReportBuilder, progress: Progress) -> list[Load]:
    """The loads by NDR; empty if it was not found."""
    greatest = full_load(run, builder, progress)
    with TrialNf(run, launch=builder.settings.mrr_launches) as nf:
        builder.searches = search_rates(nf, greatest, builder, progress)
        nf.finish()
    ndr = builder.searches[0].lower_pps
    return [(share, max(1, round(ndr * share))) for share in builder.settings.shares] if ndr else []


def _sweep(
    runs: Mapping[Arm, NfRun],
    builders: Mapping[Arm, RateReportBuilder],
    loads: Sequence[Load],
    progress: Progress,
) -> None:
    """Launches of trials at all loads, then those that count events. Raises ArmError."""
    settings = next(iter(builders.values())).settings
    time_left = TimeLeft(counted_launches(runs, len(loads)))
    for launch in range(settings.sweep_launches):
        _launch(launch, runs, builders, loads, time_left=time_left, progress=progress)
    _count_events(runs, builders, loads, time_left, progress)


def _launch(
    launch: int,
    runs: Mapping[Arm, NfRun],
    builders: Mapping[Arm, RateReportBuilder],
    loads: Sequence[Load],
    *,
    time_left: TimeLeft,
    progress: Progress,
) -> None:
    """One trial of each build at every load, in random order. Builds that live together take turns."""
    settings = next(iter(builders.values())).settings
    shuffled, turns = Random(launch).sample(loads, len(loads)), groups(launch, runs)
    for at, group in enumerate(turns):
        with alive(launch, group, runs, {}) as arms:
            time_left.started(nf.start_s for nf in arms.values())
            for arm, nf in arms.items():
                builders[arm].stages = nf.stages
                with blame(arm):
                    # Caches and tables warm up; not recorded.
                    nf.trial(Ask(Phase.SWEEP, settings.trial_s / 4))
            for number, (share, pps) in enumerate(shuffled):
                part = (at + number / len(loads)) / len(turns)
                done, left = time_left.measured((launch + part) / settings.sweep_launches)
                detail = f"launch {launch + 1}, {share_percent(share, 0)} of NDR, {pps} pps"
                progress.step("sweep", detail, SWEEP_BEGINS + (1 - SWEEP_BEGINS) * done, left)
                ask = Ask(Phase.SWEEP, settings.trial_s, pps, share, LEFT_OUT * settings.trial_s)
                for arm in order(launch + number, arms):
                    with blame(arm):
                        builders[arm].trials.append(arms[arm].trial(ask))


def _count_events(
    runs: Mapping[Arm, NfRun],
    builders: Mapping[Arm, RateReportBuilder],
    loads: Sequence[Load],
    time_left: TimeLeft,
    progress: Progress,
) -> None:
    """Cycles and instructions at each load, or a note why there are none."""
    for arm, run in runs.items():
        builder = builders[arm]
        if reason := not_counted(run):
            builder.notes.append(reason)
            continue

        def step(share: float) -> None:
            done, left = time_left.counted()
            detail = f"{share_percent(share, 0)} of NDR"
            progress.step("events", detail, SWEEP_BEGINS + (1 - SWEEP_BEGINS) * done, left)

        events, missing = count_events(arm, run, loads, step)
        builder.load_events += events
        if missing is not None:
            builder.notes.append(missing)
