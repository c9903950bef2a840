# SPDX-License-Identifier: Apache-2.0
"""The measurement of `nalm experiment platform`: one build under each setting of the host, launch by launch.

A setting is changed before a launch and reverted after it, however the launch ends. The record of
`nalm_agent.host.tune` keeps the old values meanwhile; if this process is killed, the next command reverts
them.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

from nalm_core.rates.comparison_report import CommonLoad
from nalm_core.rates.experiments.platform import (
    HostSetting,
    PlatformReport,
    PlatformSettings,
    SettingFile,
    StateLaunch,
    states_of,
)
from nalm_core.rates.rate_report import Phase, Search, Trial
from nalm_core.rates.rate_result import rate_checks
from nalm_core.report.run_report import ArmInfo, StageInfo

from nalm_agent import version
from nalm_agent.build.build import Built
from nalm_agent.host.cores import Cores, choose, hold
from nalm_agent.host.fingerprint import uses_huge_pages
from nalm_agent.host.kernel_files import System
from nalm_agent.host.tunables import SETTINGS, Change, Setting, read, settings_of
from nalm_agent.host.tune import changed, require_untouched, revert
from nalm_agent.rates.loaded_revision import Subject, build_subject, run_of
from nalm_agent.rates.no_drop_rate import no_drop_rate, search_settings
from nalm_agent.rates.rate import RateReportBuilder
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import HostError, UsageError
from nalm_agent.runtime.process import stop_all
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.store.process_stamp import stamp
from nalm_agent.trials.trial_nf import Ask, TrialNf

SEARCH_SHARE = 0.1
"""Share of the progress bar."""
MOST_SEARCH_TRIAL_S = 1.0
WARM_UP_SHARE = 0.25
"""Of a trial: the first trial of a launch, which is not recorded."""


@dataclass(frozen=True)
class PlatformPlan:
    """What is varied."""

    subject: Subject
    chosen: Sequence[str]
    """Names of settings; none: all."""
    share: float
    """Load of the latencies, of NDR."""
    pps: int | None
    """The load, instead of a share."""
    settings: PlatformSettings


@dataclass(frozen=True)
class _Bench:
    """Where launches are made."""

    plan: PlatformPlan
    built: Built
    cores: Cores
    builder: RateReportBuilder
    system: System
    home: Home
    work: WorkDir
    progress: Progress
    owner: str


def proposed_settings(system: System, lcores: int, chosen: Sequence[str]) -> list[Setting]:
    """The settings to vary, as this host shows them. Raises UsageError for an unknown name."""
    require_settings(chosen)
    measuring = choose(lcores).cpus
    others = tuple(sorted(os.sched_getaffinity(0) - set(measuring)))
    return [one for one in settings_of(system, measuring, others) if not chosen or one.name in chosen]


def require_settings(chosen: Sequence[str]) -> None:
    """Raises UsageError for names that are no settings."""
    if strange := [name for name in chosen if name not in SETTINGS]:
        raise UsageError(
            f"there is no setting {', '.join(strange)}", hint=f"there are: {', '.join(SETTINGS)}"
        )


def tried_settings(system: System, home: Home, proposed: Sequence[Setting], owner: str) -> list[HostSetting]:
    """Tries each setting once and reverts it: what the kernel refuses is not available."""
    found = []
    for one in proposed:
        with changed(system, home, one.changes, owner) as done:
            made = [
                SettingFile(path=file.path, before=file.before, after=file.after)
                for file in done
                if file.refused is None
            ]
            refused = [f"{file.path}: {file.refused}" for file in done if file.refused is not None]
        unavailable = one.unavailable
        if unavailable is None and not made:
            unavailable = f"it cannot be changed: {refused[0]}"
        found.append(HostSetting(name=one.name, files=made, refused=refused, unavailable=unavailable))
    return found


def measure_platform(plan: PlatformPlan, home: Home, work: WorkDir, progress: Progress) -> PlatformReport:
    """Measures every state of the host. All settings are as before at its end.

    Raises HostError if no setting can be varied, BuildError, NfError, and NalmError if there is no load.
    """
    system, owner = System(), stamp()
    lcores = plan.subject.scenario.lcores
    require_untouched(system, home)
    try:
        proposed = proposed_settings(system, lcores, plan.chosen)
        settings = tried_settings(system, home, proposed, owner)
        if all(one.unavailable is not None for one in settings):
            raise HostError(
                "no setting of this host can be varied",
                log="\n".join(f"{one.name}: {one.unavailable}" for one in settings),
                hint="a virtual machine shows few settings; run it on the machine that hosts the NF",
            )
        builder = RateReportBuilder(
            plan.subject, search_settings(min(MOST_SEARCH_TRIAL_S, plan.settings.trial_s))
        )
        built = build_subject(plan.subject, home, progress)
        cores = choose(lcores)
        with hold(cores, progress.say):
            try:
                bench = _Bench(plan, built, cores, builder, system, home, work, progress, owner)
                load, ndr = _load(bench)
                launches, stages = _launches(bench, settings, load)
            finally:
                stop_all()
    finally:
        revert(system, home, owner)
    return _report(bench, settings, (load, ndr), launches, stages)


def _load(bench: _Bench) -> tuple[CommonLoad, Search | None]:
    """The load of the latencies, on the host as it is."""
    plan, builder = bench.plan, bench.builder
    if plan.pps is not None:
        return CommonLoad(pps=plan.pps), None
    run = run_of(plan.subject, bench.built, bench.cores, builder.host, bench.work)
    ndr = no_drop_rate(run, builder, bench.progress)
    return CommonLoad(pps=ndr.pps(plan.share), share=plan.share), ndr.search


def _launches(
    bench: _Bench, settings: Sequence[HostSetting], load: CommonLoad
) -> tuple[list[StateLaunch], list[StageInfo]]:
    """Rounds of one launch under every state, in random order, so that a drift of the host favours none."""
    found, stages = list[StateLaunch](), list[StageInfo]()
    states, timing = states_of(settings), bench.plan.settings
    random, total = Random(timing.seed), timing.launches * len(states)
    launch_s = (2 * timing.trials + WARM_UP_SHARE) * timing.trial_s + timing.leave_out_s
    for number in range(timing.launches):
        names = list(states)
        random.shuffle(names)
        for order, name in enumerate(names):
            detail = f"round {number + 1} of {timing.launches}: {name}"
            fraction = SEARCH_SHARE + (1 - SEARCH_SHARE) * len(found) / total
            bench.progress.step("platform", detail, fraction, (total - len(found)) * launch_s)
            changes = [_change(bench.system, file) for one in states[name] for file in one.files]
            trials, stages = _launch(bench, changes, len(found), load)
            found.append(StateLaunch(round=number, order=order, state=name, trials=trials))
    return found, stages


def _launch(
    bench: _Bench, changes: Sequence[Change], number: int, load: CommonLoad
) -> tuple[list[Trial], list[StageInfo]]:
    plan, timing = bench.plan, bench.plan.settings
    with changed(bench.system, bench.home, changes, bench.owner) as done:
        if refused := [f"{one.path}: {one.refused}" for one in done if one.refused is not None]:
            raise HostError(
                "the kernel no longer takes a setting that it took before",
                log="\n".join(refused),
                hint="end the program that changes it, such as a daemon for power or interrupts",
            )
        # Reserved huge pages are one of the settings, and the NF's command follows them.
        host = bench.builder.host.model_copy(update={"huge_pages": uses_huge_pages()})
        run = run_of(plan.subject, bench.built, bench.cores, host, bench.work)
        with TrialNf(run, launch=number) as nf:
            nf.trial(Ask(Phase.MRR, timing.trial_s * WARM_UP_SHARE))
            trials = [nf.trial(Ask(Phase.MRR, timing.trial_s)) for _ in range(timing.trials)]
            for at in range(timing.trials):
                left_out = 0.0 if at else timing.leave_out_s
                ask = Ask(Phase.LATENCY, timing.trial_s + left_out, load.pps, load.share, left_out)
                trials.append(nf.trial(ask))
            stages = nf.stages
            nf.finish()
    return trials, stages


def _change(system: System, file: SettingFile) -> Change:
    """From the value of now, which a daemon of the host may have changed since the setting was tried."""
    return Change(file.path, read(system, file.path) or file.before, file.after, "an experiment")


def _report(
    bench: _Bench,
    settings: list[HostSetting],
    load: tuple[CommonLoad, Search | None],
    launches: list[StateLaunch],
    stages: list[StageInfo],
) -> PlatformReport:
    subject, builder = bench.plan.subject, bench.builder
    info = ArmInfo(build=bench.built.build, run=subject.definition, stages=stages)
    trials = [trial for launch in launches for trial in launch.trials]
    return PlatformReport(
        run_id=secrets.token_hex(16),
        nalm_version=version(),
        project=subject.config.project.name,
        scenario=subject.described,
        host=builder.host,
        started_at=builder.started_at,
        finished_at=datetime.now(UTC),
        settings=bench.plan.settings,
        host_settings=settings,
        load=load[0],
        ndr=load[1],
        build=bench.built.build,
        run=subject.definition,
        stages=stages,
        launches=launches,
        checks=rate_checks(trials, info, builder.host.tsc_hz),
    )
