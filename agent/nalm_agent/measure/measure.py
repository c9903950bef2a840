# SPDX-License-Identifier: Apache-2.0
"""The measurement of a run. `_measured` has all steps in order."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from nalm_core.pooling.constants import FINE_MARGIN, LAYOUTS
from nalm_core.report.defaults import MIN_LAUNCHES, MIN_LAYOUTS
from nalm_core.report.outcome import CHANGED
from nalm_core.report.run_report import Arm, BufferLook, Round, RunReport, RunStatus, Settings, Source
from nalm_core.text.amounts import listed_at_most
from nalm_core.text.percents import share_percent
from nalm_core.verdict.placement import may_be_placement

from nalm_agent.artifacts.limited_reading import LimitedReading
from nalm_agent.artifacts.unnamed_data import watch_of
from nalm_agent.build.build import Built, build
from nalm_agent.build.equal_code import (
    NAMED_IN_A_NOTE,
    Loaded,
    are_programs,
    changed_functions,
    data_alone,
    differing,
    loaded,
    not_compared,
    not_loaded_note,
    same_as_loaded,
    same_untried,
    unnamed_differing,
    unnamed_note,
)
from nalm_agent.config.nalm_toml import Config
from nalm_agent.host import tsc
from nalm_agent.host.cores import Cores, choose, hold
from nalm_agent.host.fingerprint import require_huge_pages
from nalm_agent.measure.arm_runs import arm_run, has_cpus_of_its_own
from nalm_agent.measure.arms import ArmPlan, Ready, arm_info, plan_arms, same_sources
from nalm_agent.measure.comparison import MOSTLY_KERNEL, Comparison, comparison_of
from nalm_agent.measure.counting import Counting, count_all, model_all
from nalm_agent.measure.explaining import explain
from nalm_agent.measure.found_load import BaseUnderLoad
from nalm_agent.measure.layouts import LayoutsOfLaunches
from nalm_agent.measure.offered import offered_load
from nalm_agent.measure.own_metrics import own_metrics, readings_of
from nalm_agent.measure.pmu_instructions import count_by_pmu
from nalm_agent.measure.replay import replay_arms
from nalm_agent.measure.report_builder import ReportBuilder
from nalm_agent.measure.report_room import ReportRoom
from nalm_agent.measure.request import Request, read_config, with_layouts, within_budget
from nalm_agent.measure.rounds import (
    ArmFailedError,
    ArmRun,
    Bench,
    TryOut,
    measure_rounds,
    require_own_fault,
    run_alone,
    try_out,
)
from nalm_agent.measure.source_of_report import with_source
from nalm_agent.measure.turns_of_launches import TurnsOfLaunches
from nalm_agent.nf.capture import require_ethernet
from nalm_agent.nf.launch import SlowTurnError
from nalm_agent.nf.run_plan import traffic_file
from nalm_agent.report.progress import Progress
from nalm_agent.runtime.errors import BuildError, HostError
from nalm_agent.runtime.process import stop_all
from nalm_agent.source.lfs import require_content
from nalm_agent.store.home import Home, WorkDir

if TYPE_CHECKING:
    from nalm_core.report.outcome import Decided

CYCLES_BEGIN = 0.25
"""Share of the progress at the beginning of the first launch."""
EXPLAIN_BEGINS = 0.95
EQUAL_ARMS = "the arms are equal: any difference is the noise of host and method"


def measure(request: Request, home: Home, work: WorkDir, progress: Progress) -> RunReport:
    """Measures head against base and returns the run report.

    Raises ConfigError for a mistake in head's nalm.toml, HostError if this host cannot measure. A failed
    build or NF raises nothing: the report is `broken` if head is at fault, `failed` if base is.
    """
    with LimitedReading() as reading:
        return _measured(request, home, work, progress, reading)


def _measured(
    request: Request, home: Home, work: WorkDir, progress: Progress, reading: LimitedReading
) -> RunReport:
    progress.step("checkout", request.head.short, 0.0)
    config = within_budget(read_config(request.repository, request.head), request.budget_seconds)
    config = with_layouts(config, request.layouts)
    comparison = comparison_of(request)
    builder = ReportBuilder(request, config, comparison.subject(config))
    if reason := tsc.available():
        raise HostError(reason, hint="measure on a host whose TSC is constant")
    base, head = plan_arms(request, config, builder, comparison.base(config, builder))
    if (same := same_sources(request, base, head)) and not request.force:
        builder.arms = same
        return builder.report(RunStatus.UNCHANGED)

    def built(plan: ArmPlan, name: str, fraction: float, *, fills_cache: bool) -> Built:
        what = f"{name} {plan.revision.short}"
        progress.step("build", what, fraction)
        return build(
            home,
            request.repository,
            plan.revision,
            plan.config,
            progress.say,
            rebuild=request.rebuild,
            fills_cache=fills_cache,
            step=lambda line: progress.step("build", f"{what}: {line}", fraction),
            reading=reading,
        )

    arm = Arm.BASE
    try:
        built_base = built(base, "base", 0.02, fills_cache=request.base_fills_cache)
        arm = Arm.HEAD
        built_head = built(head, "head", 0.06, fills_cache=request.head_fills_cache)
    except BuildError as error:
        return builder.at_fault(arm, error)
    if "none" in (built_base.build.isolation, built_head.build.isolation):
        builder.notes.append("the builds were not isolated from this host; `nalm doctor` shows why")
    first, second = Ready(built_base, base.run), Ready(built_head, head.run)
    arms = comparison.arms(first, second)
    known_same = len(arms) == 2 and same_untried(built_base, built_head)
    unnamed = unnamed_differing(built_base, built_head)
    builder.notes += not_compared(built_base, built_head)
    equal = known_same and not unnamed
    if equal and _nothing_to_measure(builder, first, second):
        builder.arms = {arm: arm_info(ready, []) for arm, ready in arms.items()}
        return builder.report(RunStatus.UNCHANGED)

    cores = choose(max(one.run.scenario.lcores for one in arms.values()))
    with hold(cores, progress.say):
        try:
            place = Place(home, work, cores, reading)
            started = _try_arms(builder, place, arms, progress)
            functions = config.stage_functions()
            builder.arms = {
                arm: arm_info(ready, functions.with_parts(started.tried[arm].stages))
                for arm, ready in arms.items()
            }
            builder.thresholds()
            read = _data_read(builder, unnamed, started.reads)
            found_same = not equal and (
                not read if known_same else _same_code(builder, built_base, built_head, started.loads)
            )
            builder.data_alone = data_alone(
                built_base, built_head, started.loads[Arm.BASE], started.loads[Arm.HEAD]
            )
            if found_same and len(arms) == 2 and _nothing_to_measure(builder, first, second):
                return builder.report(RunStatus.UNCHANGED)
            _measure_arms(builder, comparison, place, arms, started, config=config, progress=progress)
        except ArmFailedError as failure:
            return builder.at_fault(failure.arm, failure.error)
        finally:
            stop_all()
    progress.step("report", "checks", 1.0)
    return with_source(builder.measured(), config, built_base.source, built_head.source)


@dataclass(frozen=True)
class Place:
    """Where a run is measured."""

    home: Home
    work: WorkDir
    cores: Cores
    reading: LimitedReading
    """Reads files of the builds."""


@dataclass(frozen=True)
class Started:
    """The arms after a try-out."""

    traffic: Path | None
    runs: Mapping[Arm, ArmRun]
    on_one_lcore: Mapping[Arm, ArmRun]
    tried: Mapping[Arm, TryOut]
    loads: Mapping[Arm, Loaded | None]
    reads: frozenset[str] | None
    """Data below {build} that nalm.toml does not name and that an arm read; None if that is not known."""


def _nothing_to_measure(builder: ReportBuilder, base: Ready, head: Ready) -> bool:
    """For arms of equal code: true if their run definitions are equal, too, and measuring is not forced."""
    builder.changed_functions = []
    same_run = base.run.definition == head.run.definition
    if same_run and not builder.request.force:
        return True
    builder.notes.append(EQUAL_ARMS if same_run else "the code is the same; the run definition changed")
    return False


def _same_code(builder: ReportBuilder, base: Built, head: Built, loads: Mapping[Arm, Loaded | None]) -> bool:
    """True if the arms load the same. Adds a note to the builder about other differences."""
    of_base, of_head = loads[Arm.BASE], loads[Arm.HEAD]
    every: tuple[Loaded, Loaded] = base.contents.digests, head.contents.digests
    known = of_base is not None and of_head is not None
    old, new = every if of_base is None or of_head is None else (of_base, of_head)
    if known and (note := not_loaded_note(base, head, old, new)):
        builder.notes.append(note)
    paths = differing(old, new)
    builder.changed_functions = changed_functions(
        base, head, [path for path in paths if path in old], [path for path in paths if path in new]
    )
    builder.functions_alone = known and old.keys() == new.keys() and are_programs(base, head, paths)
    return same_as_loaded(base, head, of_base, of_head)


def _data_read(builder: ReportBuilder, unnamed: Sequence[str], reads: Collection[str] | None) -> list[str]:
    """Which of the data files that differ and that nalm.toml does not name are read. Adds a note to the
    builder. reads: None if that is not known."""
    if reads is None:
        builder.notes += [unnamed_note(unnamed)] if unnamed else []
        return []
    paths = [path for path in unnamed if path in reads]
    if paths:
        builder.changed_functions = []
        builder.notes.append(f"the NF reads what differs in head: {listed_at_most(paths, NAMED_IN_A_NOTE)}")
    return paths


def _try_arms(builder: ReportBuilder, place: Place, arms: Mapping[Arm, Ready], progress: Progress) -> Started:
    """Tries every arm out. Raises ArmFailedError if an arm's NF is at fault."""
    progress.step("start", "trying out every arm", 0.1)
    scenario = arms[Arm.HEAD].run.scenario
    traffic = traffic_file(builder.request.repository, arms[Arm.HEAD].built.source, scenario.traffic)
    if traffic is not None:
        require_content(traffic, str(scenario.traffic))
        require_ethernet(traffic, str(scenario.traffic))
    if builder.host.huge_pages:
        require_huge_pages(max(ready.run.scenario.memory_mb for ready in arms.values()))
    own = {arm: place.cores.first(ready.run.scenario.lcores) for arm, ready in arms.items()}

    def as_run(arm: Arm, ready: Ready, cores: Cores) -> ArmRun:
        run = arm_run(arm, ready, traffic, cores, place.home, huge_pages=builder.host.huge_pages)
        how = replace(run.how, urgent=has_cpus_of_its_own(place.cores), say=progress.say)
        return replace(run, how=how)

    runs = {arm: as_run(arm, ready, own[arm]) for arm, ready in arms.items()}
    if scenario.load is not None:
        base = arms[Arm.BASE]
        on_base = BaseUnderLoad(
            runs[Arm.BASE],
            base.built.build,
            own[Arm.BASE],
            base.run.definition,
            builder.host.host_class,
            place.home,
            place.work,
            progress,
        )
        builder.offered = offered_load(scenario.load, builder.settings, on_base)
        runs = {arm: replace(run, offered=builder.offered) for arm, run in runs.items()}
    on_one_lcore = {arm: as_run(arm, ready, place.cores.first(1)) for arm, ready in arms.items()}
    turn_ms = builder.settings.turn_ms
    tried, reads = dict[Arm, TryOut](), dict[Arm, list[str] | None]()
    with _base_runs_alone(runs, place.work, builder.settings):
        for arm, run in runs.items():
            watch = watch_of(arms[arm].built.directory, arms[arm].built.unnamed_data)
            tried[arm] = try_out(run, place.work, turn_ms)
            reads[arm] = watch.read() if watch is not None else None
    builder.notes += [one.note for one in tried.values() if one.note]
    loads = {arm: loaded(ready.built, tried[arm].mapped, reads[arm] or ()) for arm, ready in arms.items()}
    every = [one for one in reads.values() if one is not None]
    known = frozenset(path for one in every for path in one) if len(every) == len(reads) else None
    return Started(traffic, runs, on_one_lcore, tried, loads, known)


@contextmanager
def _base_runs_alone(runs: Mapping[Arm, ArmRun], work: WorkDir, settings: Settings) -> Iterator[None]:
    """Another arm's failure within is its own only if base runs on by itself, and if the arm does not start
    by itself, either. Raises ArmFailedError."""
    try:
        yield
    except ArmFailedError as failure:
        if failure.arm is not Arm.BASE:
            run_alone(runs[Arm.BASE], work, settings)
            if failure.seed is not None:
                require_own_fault(failure, runs[failure.arm], work)
        raise


def _measure_arms(
    builder: ReportBuilder,
    comparison: Comparison,
    place: Place,
    arms: Mapping[Arm, Ready],
    started: Started,
    *,
    config: Config,
    progress: Progress,
) -> None:
    """Replays packets, counts instructions, runs rounds until they decide, and explains where cycles go.

    Raises ArmFailedError if an arm's NF is at fault.
    """
    packets = arms[Arm.HEAD].run.scenario.packets
    progress.step("replay", f"{packets} packets per arm", 0.12)
    if comparison.replays:
        _replay(builder, config, place.work, started.on_one_lcore, packets)
    if builder.fails("same_share_forwarded") or builder.fails("buffers_returned"):
        builder.sources[Source.SIMULATED] = "head loses or keeps packets: nothing else was counted"
        return

    progress.step("instructions", f"{packets} packets per arm", 0.15)
    counting = Counting(place.home, place.work, place.cores, started.traffic, config, progress)
    builder.instructions = count_all(counting, arms, started.tried, started.loads, builder)
    if builder.sources[Source.SIMULATED] is not None:
        builder.instructions = count_by_pmu(started.runs, place.work, builder)
    progress.instructions({count.arm: count for count in builder.instructions})
    in_kernel = max(one.kernel_share or 0.0 for one in started.tried.values())
    builder.settings = comparison.stopping(
        builder.report(RunStatus.MEASURED),
        in_kernel,
        functions_alone=builder.functions_alone and config.judge.layouts != 1,
        data_alone=builder.data_alone,
    )
    if builder.instructions and in_kernel >= MOSTLY_KERNEL:
        builder.notes.append(
            f"{share_percent(in_kernel, 0)} of the CPU time is the kernel's, whose instructions are not "
            "counted: equal counts say nothing of its work"
        )

    progress.step("cycles", "first launch", CYCLES_BEGIN)
    runs = started.runs
    readings = readings_of(builder, config, arms)
    bench = Bench(
        builder.settings,
        place.cores,
        place.work,
        metrics=readings,
        placements=_placements(builder, place, arms, config, started.traffic),
        turns=_turns(builder),
        room=None if builder.request.report_bytes is None else ReportRoom(builder.request.report_bytes),
    )
    outcome = _rounds(bench, runs, builder, comparison, progress)
    if readings is not None:
        builder.own_metrics = own_metrics(config, arms, readings, place.work, builder, reading=place.reading)
    explained = outcome in ("regressed", "improved") or builder.request.profile
    if explained:
        progress.step("explain", "sampling functions and lines", EXPLAIN_BEGINS)
        sources = {arm: ready.built.source for arm, ready in arms.items()}
        explain(runs, sources, place.work, config, builder)
    if explained or builder.scenario_config.caches:
        builder.model_counts = model_all(counting, arms, started.tried, started.loads, builder)


def _placements(
    builder: ReportBuilder, place: Place, arms: Mapping[Arm, Ready], config: Config, traffic: Path | None
) -> LayoutsOfLaunches | None:
    """The layouts of launches; None if nalm.toml wants the builds as they are."""
    if config.judge.layouts == 1:
        return None

    def as_run(arm: Arm, built: Built) -> ArmRun:
        ready = replace(arms[arm], built=built)
        cores = place.cores.first(ready.run.scenario.lcores)
        return arm_run(arm, ready, traffic, cores, place.home, huge_pages=builder.host.huge_pages)

    built = {arm: ready.built for arm, ready in arms.items()}
    found = LayoutsOfLaunches(place.home, place.work, built, as_run)
    if config.judge.layouts is not None or builder.settings.margin < FINE_MARGIN:
        found.spread(config.judge.layouts or LAYOUTS)
    return found


def _turns(builder: ReportBuilder) -> TurnsOfLaunches | None:
    """The turns of launches; None if all launches have as many."""
    settings = builder.settings
    if settings.most_turns is None:
        return None
    return TurnsOfLaunches(
        settings.turns_per_launch, settings.most_turns, lambda: builder.report(RunStatus.MEASURED)
    )


def _needs_layouts(builder: ReportBuilder, placements: LayoutsOfLaunches | None) -> bool:
    """True if placement alone may make the change. Launches are then spread over layouts; where that is not
    possible, further ones make the interval narrower."""
    if not may_be_placement(builder.report(RunStatus.MEASURED)):
        return False
    if placements is not None and not placements.spreading:
        placements.spread(MIN_LAYOUTS)
    return True


def _replay(
    builder: ReportBuilder, config: Config, work: WorkDir, runs: Mapping[Arm, ArmRun], packets: int
) -> None:
    """Outcomes of the same packets in every arm, or a note why they cannot be compared. Raises
    ArmFailedError."""
    lcores = builder.scenario_config.lcores
    if builder.own_figures is not None:
        why = "a replay needs a probe"
    elif lcores > 1 and not config.run.lcores_in_turn:
        why = f"{lcores} lcores share the packets"
    else:
        try:
            found = replay_arms(runs, builder.arms, work, packets)
        except SlowTurnError as error:
            why = error.message
        else:
            builder.replays = [one.replay for one in found]
            last = {one.memory.arm: one.memory for one in found if one.memory is not None}
            builder.memory = list(last.values())
            builder.buffer_looks = [one.look for one in found if one.look is not None]
            return
    builder.notes.append(f"outcomes are compared over turns, not packet by packet: {why}")


def _load_not_met(builder: ReportBuilder) -> bool:
    """True if further launches would not help: an arm was not offered the load, or does not carry it."""
    enough = builder.launches >= MIN_LAUNCHES
    return enough and (builder.fails("load_offered") or builder.fails("load_carried"))


def _rounds(
    bench: Bench,
    runs: Mapping[Arm, ArmRun],
    builder: ReportBuilder,
    comparison: Comparison,
    progress: Progress,
) -> Decided | None:
    """Runs rounds until the comparison is decided, and marks rounds that the host disturbed too much.

    Returns the decision; None if the time ended between two looks.
    """
    decide = comparison.decider()
    next_look, outcome, replayed = builder.settings.max_launches, None, builder.buffer_looks
    placements = bench.placements
    assert placements is None or isinstance(placements, LayoutsOfLaunches)

    def decided(rounds: list[Round], looks: list[BufferLook]) -> bool:
        nonlocal next_look, outcome
        builder.add_rounds(rounds[len(builder.rounds) :])
        builder.add_bare_turns(bench.bare[len(builder.bare_turns) :])
        builder.buffer_looks = [*replayed, *looks]
        if placements is not None:
            builder.layouts = placements.in_report()
        if looks and builder.fails("buffers_returned"):
            return True
        if builder.offered is not None and _load_not_met(builder):
            return True
        decision = decide(builder.report(RunStatus.MEASURED))
        next_look, outcome = decision.next_look or next_look, decision.outcome
        if outcome in CHANGED and _needs_layouts(builder, placements):
            outcome = None
        return outcome is not None

    def after_launch(done: int, seconds: float) -> None:
        planned = max(next_look, done)
        share = max(done / builder.settings.max_launches, seconds / (builder.settings.budget_seconds or inf))
        fraction = CYCLES_BEGIN + (EXPLAIN_BEGINS - CYCLES_BEGIN) * min(share, 1.0)
        soon = f" in about {seconds / done * (planned - done):.0f} s" if planned > done else ""
        progress.step("cycles", f"launch {done} done, next look after {planned}{soon}", fraction)

    with _base_runs_alone(runs, bench.work, builder.settings):
        builder.ended_by = measure_rounds(bench, runs, decided, after_launch)
    builder.batches = bench.batches
    if bench.room is not None and bench.room.full:
        builder.notes.append(bench.room.note(builder.launches))
    return outcome
