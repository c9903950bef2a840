# SPDX-License-Identifier: Apache-2.0
"""The whole path of a measurement: `measure` is readable from top to bottom."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from queue import SimpleQueue

from nalm_core.checks import run_checks
from nalm_core.report import (
    Arm,
    ArmInfo,
    Build,
    Check,
    EndedBy,
    InstructionCount,
    Round,
    RunReport,
    RunStatus,
    Scenario,
    Source,
    StageInfo,
)
from nalm_core.rounds import set_aside_reason

from nalm_agent import version
from nalm_agent.build import Built, build, build_address, unbuilt
from nalm_agent.config import FILE_NAME, Config, ScenarioConfig, parse
from nalm_agent.cores import Cores, choose, hold
from nalm_agent.errors import BuildError, ConfigError, HostError, NalmError, NfError, SourceError
from nalm_agent.git import Repository, Revision
from nalm_agent.home import Home, WorkDir
from nalm_agent.host import fingerprint, require_huge_pages
from nalm_agent.lfs import require_content
from nalm_agent.process import stop_all
from nalm_agent.progress import Progress
from nalm_agent.run_plan import PINNED, SIMD_BITS, RunPlan, expand, plan, traffic_identity
from nalm_agent.session import WARM_UP_RULE, ArmFailedError, ArmRun, Bench, TryOut, measure_rounds, try_out
from nalm_agent.sources import pmu, simulated, tsc
from nalm_agent.store import address
from nalm_agent.toolchain import toolchain

COUNTS = "counts"
CYCLES_BEGIN = 0.25
"""Share of the progress that is done when the first launch begins."""
READY_FLOOR_SECONDS = 2.0
"""Added to how long the NF took to get ready, before that is scaled up for valgrind."""


@dataclass(frozen=True)
class Request:
    """What to measure: head against base, in one scenario of head's nalm.toml."""

    repository: Repository
    base: Revision
    head: Revision
    scenario: str
    notes: tuple[str, ...] = ()
    force: bool = False
    """Measure even if both arms' code is equal: an A/A run, which shows what host and method make of no
    change."""
    rebuild: bool = False
    """Builds again what failed before."""


@dataclass(frozen=True)
class ArmPlan:
    """An arm before it is built."""

    revision: Revision
    config: Config
    run: RunPlan


@dataclass(frozen=True)
class Ready:
    """An arm that is built and can be started."""

    built: Built
    run: RunPlan

    def command(self, traffic: Path, cores: Cores, *, huge_pages: bool) -> list[str]:
        """Its command line on these cores."""
        return expand(
            self.run,
            source=self.built.source,
            build=self.built.directory,
            traffic=traffic,
            cores=cores,
            huge_pages=huge_pages,
        )


@dataclass(frozen=True)
class Counting:
    """Where and with what instructions are counted."""

    home: Home
    work: WorkDir
    cores: Cores
    """Of the measurement: idle while instructions are counted."""
    traffic: Path
    config: Config


def measure(request: Request, home: Home, work: WorkDir, progress: Progress) -> RunReport:
    """Measures head against base and returns the run report, whatever came out.

    Raises ConfigError for a mistake in head's nalm.toml, HostError when this host cannot measure at all. What
    is wrong with a build or an NF is in the report: head's fault is `broken`, base's `failed`.
    """
    progress.step("checkout", request.head.short, 0.0)
    config = read_config(request.repository, request.head)
    draft = Draft(request, config)
    if reason := tsc.available():
        raise HostError(reason, hint="measure on a host whose TSC is constant")
    base, head = _plan_arms(request, config, draft)
    if (same := _same_sources(request, base, head)) and not request.force:
        draft.arms = same
        return draft.report(RunStatus.UNCHANGED)

    arm = Arm.BASE
    try:
        progress.step("build", f"base {request.base.short}", 0.02)
        built_base = build(
            home, request.repository, base.revision, base.config, progress.say, rebuild=request.rebuild
        )
        arm = Arm.HEAD
        progress.step("build", f"head {request.head.short}", 0.06)
        built_head = build(
            home, request.repository, head.revision, head.config, progress.say, rebuild=request.rebuild
        )
    except BuildError as error:
        return draft.at_fault(arm, error)
    if "none" in (built_base.build.isolation, built_head.build.isolation):
        draft.notes.append("the builds were not isolated from this host; `nalm doctor` says why")
    arms = _arms(Ready(built_base, base.run), Ready(built_head, head.run))
    if len(arms) == 2 and built_base.build.code_digest == built_head.build.code_digest:
        if base.run.definition == head.run.definition and not request.force:
            draft.arms = {arm: _info(ready, []) for arm, ready in arms.items()}
            return draft.report(RunStatus.UNCHANGED)
        draft.notes.append("the code is the same; what changed is how it is run")

    cores = choose(head.run.scenario.lcores)
    with hold(cores, progress.say):
        try:
            progress.step("start", "trying every arm out", 0.1)
            traffic = built_head.source / head.run.scenario.traffic
            require_content(traffic, head.run.scenario.traffic)
            if draft.host.huge_pages:
                require_huge_pages(max(run.scenario.memory_mb for run in (head.run, base.run)))
            runs = {
                arm: ArmRun(
                    arm,
                    ready.command(traffic, cores, huge_pages=draft.host.huge_pages),
                    lcores=ready.run.scenario.lcores,
                    ready_seconds=ready.run.ready_seconds,
                    pin=ready.run.pin(cores),
                    urgent=not os.sched_getaffinity(0) & set(cores.cpus),
                )
                for arm, ready in arms.items()
            }
            tried = {arm: try_out(run, work, draft.settings.turn_ms) for arm, run in runs.items()}
            draft.arms = {arm: _info(ready, tried[arm].stages) for arm, ready in arms.items()}

            progress.step("instructions", f"{head.run.scenario.packets} packets per arm", 0.15)
            counting = Counting(home, work, cores, traffic, config)
            draft.instructions = _count(counting, arms, tried, draft)
            progress.instructions({count.arm: count for count in draft.instructions})

            progress.step("cycles", "first launch", CYCLES_BEGIN)
            _rounds(Bench(draft.settings, cores, work), runs, draft, progress)
        except ArmFailedError as failure:
            return draft.at_fault(failure.arm, failure.error)
        finally:
            stop_all()
    progress.step("report", "checks", 1.0)
    return draft.measured()


def read_config(repository: Repository, revision: Revision) -> Config:
    """nalm.toml of a revision. Raises ConfigError if there is none or it has a mistake."""
    text = repository.read(revision, FILE_NAME)
    if text is None:
        raise ConfigError(
            f"{revision.short} has no {FILE_NAME} at the root of the repository",
            hint="`nalm init` writes a first one",
        )
    return parse(text)


class Draft:
    """A run report in the making."""

    def __init__(self, request: Request, config: Config) -> None:
        self.request = request
        self.project = config.project.name
        self.scenario_config = config.scenario(request.scenario)
        self.settings = config.judge.settings()
        self.host = fingerprint()
        self.started_at = datetime.now(UTC)
        self.run_id = secrets.token_hex(16)
        self.notes = list(request.notes)
        self.traffic = ""
        self.arms: dict[Arm, ArmInfo] = {}
        self.sources: dict[Source, str | None] = {
            Source.TSC: None,
            Source.PMU: pmu.available(),
            Source.SIMULATED: simulated.available(
                self.scenario_config.lcores, in_turn=config.run.lcores_in_turn
            ),
        }
        self.instructions: list[InstructionCount] = []
        self.rounds: list[Round] = []
        self.ended_by: EndedBy | None = None

    def at_fault(self, arm: Arm, error: NalmError) -> RunReport:
        """An arm could not be built or run: base's fault says nothing about head."""
        status = RunStatus.FAILED if arm is Arm.BASE else RunStatus.BROKEN
        return self.report(status, failure=f"{arm}: {error.full_text()}")

    def measured(self) -> RunReport:
        """All rounds and counts are there; the checks are made of them."""
        self.notes.append(WARM_UP_RULE)
        checks = run_checks(self.arms, self.rounds, self.instructions, self.host.tsc_hz)
        return self.report(RunStatus.MEASURED, checks=checks)

    def report(
        self, status: RunStatus, *, failure: str | None = None, checks: list[Check] | None = None
    ) -> RunReport:
        """The report as it stands."""
        scenario = self.scenario_config
        return RunReport(
            run_id=self.run_id,
            nalm_version=version(),
            project=self.project,
            scenario=Scenario(
                name=self.request.scenario,
                model=scenario.model,
                lcores=scenario.lcores,
                traffic=self.traffic or scenario.traffic,
            ),
            host=self.host,
            status=status,
            failure=failure,
            started_at=self.started_at,
            finished_at=datetime.now(UTC),
            settings=self.settings,
            arms=self.arms,
            sources=self.sources,
            rounds=self.rounds,
            instructions=self.instructions,
            checks=checks or [],
            ended_by=self.ended_by,
            notes=self.notes,
        )


def _plan_arms(request: Request, config: Config, draft: Draft) -> tuple[ArmPlan, ArmPlan]:
    """Base runs as base's own nalm.toml says, with head's traffic: only then are the two comparable."""
    repository, scenario = request.repository, draft.scenario_config
    draft.traffic = traffic_identity(repository, request.head, scenario.traffic)
    head_run = plan(repository, request.head, config, scenario, draft.traffic)
    base_config, base_scenario = _base_config(request, config, scenario, draft)
    old_traffic = repository.digest(request.base, [base_scenario.traffic])
    if old_traffic != repository.digest(request.head, [scenario.traffic]):
        draft.notes.append("the traffic differs between base and head; both replay head's")
    base_run = plan(repository, request.base, base_config, base_scenario, draft.traffic)
    return ArmPlan(request.base, base_config, base_run), ArmPlan(request.head, config, head_run)


def _base_config(
    request: Request, config: Config, scenario: ScenarioConfig, draft: Draft
) -> tuple[Config, ScenarioConfig]:
    try:
        own = read_config(request.repository, request.base)
        base_scenario = own.scenario(request.scenario)
    except ConfigError as error:
        draft.notes.append(f"base is built and run as head's {FILE_NAME} says: {error.message}")
        return config, scenario
    # Lcores are the host's side of a run: both arms get the same.
    return own, base_scenario.model_copy(update={"lcores": scenario.lcores})


def _same_sources(request: Request, base: ArmPlan, head: ArmPlan) -> dict[Arm, ArmInfo] | None:
    """Both arms unbuilt, if their builds have one address and they run alike; None otherwise."""
    arms = {}
    for arm, one in ((Arm.BASE, base), (Arm.HEAD, head)):
        tree = build_address(request.repository, one.revision, one.config)
        arms[arm] = ArmInfo(build=unbuilt(one.revision, tree), run=one.run.definition)
    first, second = arms[Arm.BASE], arms[Arm.HEAD]
    return arms if first.build.tree == second.build.tree and first.run == second.run else None


def _arms(base: Ready, head: Ready) -> dict[Arm, Ready]:
    """The arms to run. A changed feature set adds head's build with base's features, unless that is base."""
    arms = {Arm.BASE: base, Arm.HEAD: head}
    old, new = base.run.definition, head.run.definition
    if set(old.features) != set(new.features):
        as_base = new.model_copy(update={"features": old.features})
        if as_base != old or base.built.build.code_digest != head.built.build.code_digest:
            arms[Arm.HEAD_AS_BASE] = Ready(head.built, replace(head.run, definition=as_base))
    return arms


def _info(ready: Ready, stages: list[StageInfo]) -> ArmInfo:
    return ArmInfo(build=ready.built.build, run=ready.run.definition, stages=stages)


def _count(
    counting: Counting, arms: Mapping[Arm, Ready], tried: Mapping[Arm, TryOut], draft: Draft
) -> list[InstructionCount]:
    """Instructions of every arm, several CPUs at once, or none with the reason in the draft's sources."""
    if draft.sources[Source.SIMULATED] is not None:
        return []
    cpus: SimpleQueue[int] = SimpleQueue()
    own = set(counting.cores.cpus[:1]) | set(sorted(os.sched_getaffinity(0))[:1])
    for cpu in own:
        cpus.put(cpu)

    def count_one(arm: Arm) -> InstructionCount:
        cpu = cpus.get()
        try:
            return _count_arm(counting, arm, arms[arm], tried[arm], cpu)
        finally:
            cpus.put(cpu)

    try:
        with ThreadPoolExecutor(max_workers=len(own)) as pool:
            try:
                return list(pool.map(count_one, arms))
            except BaseException:
                stop_all()  # else the pool would wait for what the other arm still runs
                raise
    except (NfError, SourceError) as error:
        # The same NF just ran without valgrind: what fails here is the counting.
        draft.sources[Source.SIMULATED] = f"counting failed: {error.message}"
        draft.notes.append(f"instructions were not counted: {error.full_text()}")
        return []


def _count_arm(counting: Counting, arm: Arm, ready: Ready, tried: TryOut, cpu: int) -> InstructionCount:
    functions = {name: stage.functions for name, stage in counting.config.stages.items()}
    key = count_address(ready.built.build, ready.run, functions)
    store = counting.home.store()
    known = store.document(COUNTS, key)
    if known is not None:
        return InstructionCount.model_validate(known | {"arm": arm})
    core = Cores((cpu,))
    counted = simulated.count(
        arm,
        ready.command(counting.traffic, core, huge_pages=False),
        counting.work,
        packets=ready.run.scenario.packets,
        functions=functions,
        ready_seconds=READY_FLOOR_SECONDS + tried.ready_seconds,
        pin=ready.run.pin(core),
    )
    store.put_document(COUNTS, key, counted.model_dump(mode="json"))
    return counted


def count_address(build: Build, run: RunPlan, functions: Mapping[str, list[str]]) -> str:
    """Everything an instruction count depends on."""
    return address(
        build.code_digest,
        run.definition.model_dump(mode="json"),
        run.scenario.packets,
        functions,
        simulated.valgrind_version(),
        toolchain().identity(),
        PINNED,
        SIMD_BITS,
    )


def _rounds(bench: Bench, runs: Mapping[Arm, ArmRun], draft: Draft, progress: Progress) -> None:
    """Rounds until nalm_core.sequential decides; those the host disturbed too much are marked by its rule."""
    from nalm_core.sequential import decide  # loads SciPy: not before there is something to decide

    next_look = draft.settings.max_launches

    def decided(rounds: list[Round]) -> bool:
        nonlocal next_look
        for one in rounds[len(draft.rounds) :]:
            reason = set_aside_reason(one, draft.host.tsc_hz)
            draft.rounds.append(one.model_copy(update={"set_aside": reason}))
        decision = decide(draft.report(RunStatus.MEASURED))
        next_look = decision.next_look or next_look
        return decision.outcome is not None

    def after_launch(done: int, seconds: float) -> None:
        planned = max(next_look, done)
        share = max(done / draft.settings.max_launches, seconds / (draft.settings.budget_seconds or inf))
        fraction = CYCLES_BEGIN + (1 - CYCLES_BEGIN) * min(share, 1.0)
        left = seconds / done * (planned - done)
        progress.step("cycles", f"launch {done} done, next look after {planned}", fraction, left)

    draft.ended_by = measure_rounds(bench, runs, decided, after_launch)
