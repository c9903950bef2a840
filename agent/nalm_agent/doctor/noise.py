# SPDX-License-Identifier: Apache-2.0
"""`nalm doctor --noise`: measures an NF against itself; the remaining difference is the host's noise."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from nalm_core.report.defaults import DEFAULT_SETTINGS
from nalm_core.report.offered_load import CLOSED
from nalm_core.report.rounds import set_aside_reason
from nalm_core.report.run_report import (
    MOST_LAUNCHES,
    Arm,
    ArmInfo,
    BareTurn,
    Build,
    Host,
    Round,
    RunDefinition,
    RunReport,
    RunStatus,
    Scenario,
    Settings,
    Source,
    StageInfo,
)
from nalm_core.verdict.checks import checks_of

from nalm_agent import version
from nalm_agent.artifacts.code_digest import code_digest
from nalm_agent.build.build import build
from nalm_agent.config.load import LoadConfig
from nalm_agent.config.nalm_toml import FILE_NAME
from nalm_agent.config.thresholds import CPP
from nalm_agent.host import tsc
from nalm_agent.host.cores import Cores, choose, hold
from nalm_agent.host.fingerprint import fingerprint, require_huge_pages
from nalm_agent.measure.arm_runs import arm_run
from nalm_agent.measure.arms import Ready
from nalm_agent.measure.found_load import BaseUnderLoad
from nalm_agent.measure.offered import offered_load
from nalm_agent.measure.request import read_config
from nalm_agent.measure.rounds import ArmFailedError, ArmRun, Bench, measure_rounds, try_out
from nalm_agent.native.library import FOLDER, program
from nalm_agent.native.toolchain import toolchain
from nalm_agent.nf.run_plan import plan, traffic_file, traffic_identity
from nalm_agent.nf.start import NfStart
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import GitError, HostError
from nalm_agent.runtime.process import stop_all
from nalm_agent.source.git import Repository, Revision
from nalm_agent.store.home import Home, WorkDir

LOAD_CHECKS = ("load_offered", "load_carried")
Turn = TypeVar("Turn", Round, BareTurn)
OWN_NF = "noise_nf"
READY_SECONDS = 10.0
LEAST_LAUNCHES = 6
"""Least number of launches, however short the time limit: fewer do not show a spread."""


@dataclass(frozen=True)
class AaRun:
    """A run with one build in both arms, and the duration of its rounds including launches."""

    report: RunReport
    seconds: float


@dataclass(frozen=True)
class NoiseSubject:
    """The NF that is compared with itself."""

    project: str
    scenario: Scenario
    run: ArmRun
    build: Build
    definition: RunDefinition
    settings: Settings
    load: LoadConfig | None = None
    """Of the scenario; None: a closed loop."""


def compare_with_itself(
    home: Home,
    work: WorkDir,
    progress: Progress,
    *,
    seconds: float,
    repository: Path,
    scenario: str | None = None,
) -> AaRun:
    """Measures rounds of an A/A pair for about `seconds`.

    The NF is that of HEAD's scenario, None: of its first that is not `on_request`, or the agent's own if the
    repository has no nalm.toml. It is offered the scenario's load. Raises HostError if this host cannot
    measure, or if the load was not offered, NfError and BuildError if the NF fails.
    """
    if reason := tsc.available():
        raise HostError(reason, hint="measure on a host whose TSC is constant")
    started = datetime.now(UTC)
    progress.step("build", "the NF to compare with itself", 0.0)
    subject = _subject(home, work, repository, scenario)
    progress.say(f"comparing {subject.project}, scenario {subject.scenario.name}, with itself")
    cores = choose(subject.scenario.lcores)
    with hold(cores, progress.say):
        try:
            run = _loaded(subject, cores, home, work, progress)
            stages = try_out(run, work, subject.settings.turn_ms).stages
            begin = time.monotonic()
            bench = Bench(subject.settings, cores, work)
            rounds = _rounds(bench, run, seconds, progress)
            taken = time.monotonic() - begin
        except ArmFailedError as failure:
            raise failure.error from failure
        finally:
            stop_all()
    report = _report(home, subject, stages, rounds, started)
    report = report.model_copy(update={"offered": run.offered})
    for check in checks_of(report):
        if check.name in LOAD_CHECKS and not check.passed:
            raise HostError(
                f"the load {subject.scenario.load} was not measured: {check.message}",
                hint="free the cores and measure again, or let the scenario offer less",
            )
    return AaRun(report.model_copy(update={"bare_turns": _marked(bench.bare, report.host)}), taken)


def _loaded(subject: NoiseSubject, cores: Cores, home: Home, work: WorkDir, progress: Progress) -> ArmRun:
    """The run at its load, which is found on the build itself if it is no rate."""
    run = replace(subject.run, arm=Arm.BASE)
    if subject.load is None:
        return run
    base = BaseUnderLoad(
        run=run,
        build=subject.build,
        cores=cores.first(subject.scenario.lcores),
        definition=subject.definition,
        host_class=fingerprint(home).host_class,
        home=home,
        work=work,
        progress=progress,
    )
    return replace(run, offered=offered_load(subject.load, subject.settings, base))


def scenarios_of(path: Path, work: WorkDir) -> list[str]:
    """HEAD's scenarios that are not `on_request`. Raises ConfigError without a nalm.toml, GitError outside of
    a repository."""
    repository = Repository(path, work.fresh("git"))
    return read_config(repository, repository.resolve("HEAD")).standing()


def _subject(home: Home, work: WorkDir, path: Path, scenario: str | None) -> NoiseSubject:
    try:
        repository = Repository(path, work.fresh("git"))
        revision = repository.resolve("HEAD")
    except GitError:
        return _own(home)
    if repository.read(revision, FILE_NAME) is None:
        return _own(home)
    return _of(home, repository, revision, scenario)


def _of(home: Home, repository: Repository, revision: Revision, chosen: str | None) -> NoiseSubject:
    config = read_config(repository, revision)
    name = chosen or config.standing()[0]
    config = config.for_scenario(name)
    scenario = config.scenario(name)
    margins = {(one.metric, one.stage): one.margin for one in config.margins(name, repository.branch())}
    run = plan(
        repository, revision, config, scenario, traffic_identity(repository, revision, scenario.traffic)
    )
    ready = Ready(build(home, repository, revision, config), run)
    huge_pages = fingerprint(home).huge_pages
    if huge_pages:
        require_huge_pages(scenario.memory_mb)
    cores = choose(scenario.lcores)
    traffic = traffic_file(repository, ready.built.source, scenario.traffic)
    return NoiseSubject(
        project=config.project.name,
        scenario=Scenario(
            name=name,
            model=scenario.model,
            lcores=scenario.lcores,
            traffic=run.definition.traffic,
            load=run.definition.load or CLOSED,
        ),
        run=arm_run(Arm.BASE, ready, traffic, cores, home, huge_pages=huge_pages),
        build=ready.built.build,
        definition=run.definition,
        settings=config.judge.settings(margins[CPP, None]),
        load=scenario.load,
    )


def _own(home: Home) -> NoiseSubject:
    binary = program(home, OWN_NF)
    source = hashlib.sha256((FOLDER / f"{OWN_NF}.c").read_bytes()).hexdigest()
    return NoiseSubject(
        project="nalm",
        scenario=Scenario(name=OWN_NF, lcores=1, traffic="none"),
        run=ArmRun(Arm.BASE, NfStart([str(binary)], READY_SECONDS, pin=choose(1).cpus)),
        build=Build(
            commit=source, tree=source, code_digest=code_digest([binary]), compiler=toolchain().compiler
        ),
        definition=RunDefinition(features=[], command=["{build}/" + OWN_NF], traffic="none"),
        settings=DEFAULT_SETTINGS,
    )


def _rounds(bench: Bench, run: ArmRun, seconds: float, progress: Progress) -> list[Round]:
    settings = bench.settings.model_copy(update={"max_launches": MOST_LAUNCHES, "budget_seconds": None})
    done, taken, found = 0, 0.0, list[Round]()

    def after_launch(launches: int, elapsed: float) -> None:
        nonlocal done, taken
        done, taken = launches, elapsed
        progress.step("cycles", f"launch {done} done", min(taken / seconds, 1.0), max(seconds - taken, 0.0))

    def over(rounds: list[Round]) -> bool:
        found[:] = rounds
        return done >= LEAST_LAUNCHES and taken * (done + 1) / done > seconds

    progress.step("cycles", "first launch", 0.0)
    pair = {arm: replace(run, arm=arm) for arm in (Arm.BASE, Arm.HEAD)}
    measure_rounds(replace(bench, settings=settings), pair, lambda rounds, _: over(rounds), after_launch)
    return found


def _marked(turns: Iterable[Turn], host: Host) -> list[Turn]:
    """Turns, with the reason why one is not used."""
    return [one.model_copy(update={"set_aside": set_aside_reason(one, host.tsc_hz)}) for one in turns]


def _report(
    home: Home, subject: NoiseSubject, stages: list[StageInfo], rounds: list[Round], started: datetime
) -> RunReport:
    host, info = fingerprint(home), ArmInfo(build=subject.build, run=subject.definition, stages=stages)
    return RunReport(
        run_id=secrets.token_hex(16),
        nalm_version=version(),
        project=subject.project,
        scenario=subject.scenario,
        host=host,
        status=RunStatus.MEASURED,
        started_at=started,
        finished_at=datetime.now(UTC),
        settings=subject.settings,
        arms={Arm.BASE: info, Arm.HEAD: info},
        sources={Source.TSC: None},
        rounds=_marked(rounds, host),
        notes=["a build against itself: the difference is the host's noise"],
    )
