# SPDX-License-Identifier: Apache-2.0
"""The measurement of `nalm rate`. `measure_rates` has all steps in order."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

from nalm_core.rates.defaults import SEARCH_ABOVE_MRR, SEARCH_LEAST
from nalm_core.rates.presets import Mode
from nalm_core.rates.rate_report import (
    Ended,
    LoadEvents,
    Phase,
    RateReport,
    RateSettings,
    RateStatus,
    Search,
    Trial,
)
from nalm_core.rates.rate_result import cpu_pps, rate_checks
from nalm_core.rates.trials import forwarded_pps, sent_pps
from nalm_core.report.offered_load import NO_SHAPE
from nalm_core.report.run_report import ArmInfo, Build, Check, StageInfo
from nalm_core.text.percents import share_percent

from nalm_agent import version
from nalm_agent.host.cores import choose
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.rates.generator_check import require_trust
from nalm_agent.rates.generator_needs import Need, require_able
from nalm_agent.rates.loaded_revision import Subject, ready
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import BuildError, NfError, UsageError
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.trials.search import Goal, Loads, search
from nalm_agent.trials.trial_nf import Ask, NfRun, TrialNf

OFFERED_SHARE = 0.99
"""Greatest load of a search, as a share of what a generator outside sends at full load: it refuses more than
its line has."""
FULL_LOAD_SHARE, SEARCH_SHARE = 0.25, 0.45
"""Shares of the progress bar."""


class RateReportBuilder:
    """Collects the parts of a rate report."""

    def __init__(self, subject: Subject, settings: RateSettings) -> None:
        self.subject = subject
        self.settings = settings
        self.host = fingerprint()
        self.started_at = datetime.now(UTC)
        self.build: Build | None = None
        self.stages: list[StageInfo] = []
        self.trials: list[Trial] = []
        self.searches: list[Search] = []
        self.load_events: list[LoadEvents] = []
        self.notes: list[str] = []
        self.offered_pps: float | None = None
        """The greatest rate at full load of a generator outside, which ends there."""
        self.checks: list[Check] = []
        """In addition to those of the trials."""

    def report(self, status: RateStatus, failure: str | None = None) -> RateReport:
        """The report of what was measured so far."""
        checks = list[Check]()
        if status is RateStatus.MEASURED and self.build is not None:
            info = ArmInfo(build=self.build, run=self.subject.definition, stages=self.stages)
            checks = [*rate_checks(self.trials, info, self.host.tsc_hz), *self.checks]
        return RateReport(
            run_id=secrets.token_hex(16),
            nalm_version=version(),
            project=self.subject.config.project.name,
            scenario=self.subject.described,
            host=self.host,
            status=status,
            failure=failure,
            started_at=self.started_at,
            finished_at=datetime.now(UTC),
            settings=self.settings,
            generator=self.subject.described_generator,
            build=self.build,
            run=self.subject.definition,
            stages=self.stages,
            trials=self.trials,
            searches=self.searches,
            load_events=self.load_events,
            checks=checks,
            notes=self.notes,
        )


def measure_rates(
    subject: Subject, settings: RateSettings, home: Home, work: WorkDir, progress: Progress
) -> RateReport:
    """Measures full load, searches and latency, as the mode requires.

    The report is `broken` if the NF cannot be built or run. Raises HostError if this host cannot measure.
    """
    builder = RateReportBuilder(subject, settings)
    try:
        with ready(subject, builder.host, home, work, progress) as run:
            builder.build = run.build
            builder.checks += require_trust(run, progress)
            greatest = full_load(run, builder, progress)
            if settings.mode is not Mode.MRR:
                with TrialNf(run, launch=settings.mrr_launches) as nf:
                    if greatest > 0:
                        builder.searches = search_rates(nf, greatest, builder, progress)
                    ndr = next((one.lower_pps for one in builder.searches if one.goal == "ndr"), None)
                    if settings.mode in (Mode.LATENCY, Mode.ALL) and ndr:
                        measure_latency(nf, ndr, builder, progress)
                    nf.finish()
    except (BuildError, NfError) as error:
        return builder.report(RateStatus.BROKEN, error.full_text())
    progress.step("report", "checks", 1.0)
    return builder.report(RateStatus.MEASURED)


def require_possible(one: Subject, mode: Mode, *, compared: bool = False) -> None:
    """Before anything is built. Raises HostError if the host has too few CPUs for the scenario, UsageError if
    a generator outside cannot do what the mode requires.

    compared: latency and loss of two builds, of which loss alone is enough unless the mode is latency.
    """
    choose(one.scenario.lcores)
    if one.generator is None:
        return
    needs_latency = mode is Mode.LATENCY or (mode is Mode.ALL and not compared)
    without = "leave out --mode" if compared else "use --mode mrr, ndr, pdr or sweep"
    require_able(
        one.generator,
        rate=None if mode is Mode.MRR else Need(f"--mode {mode}", "use --mode mrr"),
        latency=Need(f"--mode {mode}", without) if needs_latency else None,
    )
    if not one.generator.limits.shapes and one.shape != NO_SHAPE:
        raise UsageError(
            f"generator {one.generator.name} has gaps and flows of its own; --arrivals, --burst, --new-flows "
            "and --ramp set those of the generator inside the NF",
            hint="leave these options out",
        )


def full_load(run: NfRun, builder: RateReportBuilder, progress: Progress) -> float:
    """Trials at full load over several launches. Returns the greatest rate seen, packets per second."""
    settings, greatest = builder.settings, 0.0
    whole = 1.0 if settings.mode is Mode.MRR else FULL_LOAD_SHARE
    total = settings.mrr_launches * settings.mrr_trials
    for launch in range(settings.mrr_launches):
        with TrialNf(run, launch=launch) as nf:
            builder.stages = nf.stages
            nf.trial(Ask(Phase.MRR, settings.trial_s / 4))  # caches and tables warm up; not recorded
            for number in range(settings.mrr_trials):
                done = launch * settings.mrr_trials + number
                left = (total - done) * settings.trial_s if settings.mode is Mode.MRR else None
                progress.step("full load", f"trial {done + 1} of {total}", whole * done / total, left)
                trial = nf.trial(Ask(Phase.MRR, settings.trial_s))
                builder.trials.append(trial)
                # Corrected for stolen time: the search must begin above the NF's capacity.
                seen = max(forwarded_pps(trial, nf.info) or 0.0, cpu_pps(trial, nf.info) or 0.0)
                greatest = max(greatest, seen)
            nf.finish()
    if run.generator is not None:
        full = [trial for trial in builder.trials if trial.phase is Phase.MRR]
        builder.offered_pps = max(sent_pps(trial) for trial in full)
    if greatest == 0:
        raise NfError("the NF forwarded nothing: in no trial at full load did a packet leave it")
    return greatest


def search_loads(greatest: float, offered: float | None) -> Loads:
    """The range of a search. offered: what the generator sends at most, if it has a limit of its own."""
    most = greatest * SEARCH_ABOVE_MRR
    if offered is not None:
        most = min(most, offered * OFFERED_SHARE)
    return Loads(least=greatest * SEARCH_LEAST, greatest=most)


def search_rates(
    nf: TrialNf, greatest: float, builder: RateReportBuilder, progress: Progress
) -> list[Search]:
    """Searches NDR, and PDR if the mode requires it, in one process, so that all loads share one layout."""
    settings, count = builder.settings, 0
    loads = search_loads(greatest, builder.offered_pps)

    def measure(seconds: float, pps: int) -> Trial:
        nonlocal count
        count += 1
        fraction = FULL_LOAD_SHARE + SEARCH_SHARE * (1 - 0.95**count)
        progress.step("search", f"trial {count}, {pps} pps", fraction)
        trial = nf.trial(Ask(Phase.SEARCH, seconds, pps))
        builder.trials.append(trial)
        return trial

    goals = []
    if settings.mode is not Mode.PDR:
        goals.append(Goal("ndr", 0.0))
    if settings.mode in (Mode.PDR, Mode.ALL):
        goals.append(Goal("pdr", settings.pdr_loss))
    found = search(goals, loads, measure, nf.info, settings)
    for one in found:
        if one.ended is not Ended.FOUND:
            progress.say(f"{one.goal.upper()}: {one.reason}")
    return found


def measure_latency(nf: TrialNf, ndr: float, builder: RateReportBuilder, progress: Progress) -> None:
    """Measures latency at each share of NDR. The first seconds at each load are left out."""
    settings = builder.settings
    begun = FULL_LOAD_SHARE + SEARCH_SHARE
    total = len(settings.shares) * settings.latency_trials
    for at, share in enumerate(settings.shares):
        pps, left_out = max(1, round(ndr * share)), settings.leave_out_s
        for number in range(settings.latency_trials):
            done = at * settings.latency_trials + number
            detail = f"{share_percent(share, 0)} of NDR, {pps} pps"
            progress.step("latency", detail, begun + (1 - begun) * done / total)
            ask = Ask(Phase.LATENCY, settings.trial_s + left_out, pps, share, left_out)
            builder.trials.append(nf.trial(ask))
            left_out = 0.0  # the load has not changed since
