# SPDX-License-Identifier: Apache-2.0
"""Rounds: the arms side by side on one core, in short turns of swapped order, over many launches.

In every launch each arm is a long-lived process, and one at a time passes its gate. Each first warms up its
caches and tables until it is steady. The launch, not the turn, is the random unit: each launch has another
layout of code, heap and tables.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from nalm_core.report.batch_sizes import LcoreBatches, summed_by_lcore
from nalm_core.report.counters import cpu_time_scale, ratio
from nalm_core.report.defaults import LEAK_LIMIT, MAX_WARM_UP_MS, STEADY_CHANGE, WARM_UP_MS
from nalm_core.report.offered_load import OfferedLoad
from nalm_core.report.run_report import (
    Arm,
    BareTurn,
    BufferLook,
    EndedBy,
    LcoreCounters,
    OutcomeKind,
    Round,
    Settings,
    StageCounters,
    StageInfo,
)
from nalm_core.text.percents import share_percent
from nalm_core.verdict.retained import leaked_share

from nalm_agent.host.cores import Cores
from nalm_agent.host.fingerprint import steal_ns
from nalm_agent.measure.beside import elsewhere, every_second
from nalm_agent.measure.metric_readings import LaunchMetrics
from nalm_agent.measure.report_room import ReportRoom
from nalm_agent.nf.batches import batches_between
from nalm_agent.nf.busy_threads import busy_threads
from nalm_agent.nf.kernel_share import kernel_share
from nalm_agent.nf.known_failures import only_beside_base, pipeline
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.lcore_threads import lcore_threads
from nalm_agent.nf.paced_nf import PacedNf
from nalm_agent.nf.probe import counted_packets
from nalm_agent.nf.self_counting_nf import SelfCountingNf
from nalm_agent.nf.start import NfStart
from nalm_agent.nf.turns import NfInTurns, TurnCounters, ended, taken_in
from nalm_agent.runtime.errors import NfError, SourceError
from nalm_agent.self_counting.commands import CounterCommands
from nalm_agent.store.home import WorkDir

WARM_UP_RULE = (
    f"each launch warms up for {WARM_UP_MS:g} ms or longer, until CPP is steady; those turns are not recorded"
)


@dataclass(frozen=True)
class ArmRun:
    """How to start one arm."""

    arm: Arm
    how: NfStart
    counter_commands: CounterCommands | None = None
    """Commands that show the NF's own figures; None if a probe counts."""
    offered: OfferedLoad | None = None
    """None: closed loop."""


class Placements(Protocol):
    """Layouts of launches (nalm_agent.measure.layouts)."""

    def place(self, launch: int, runs: Mapping[Arm, ArmRun]) -> Mapping[Arm, ArmRun]:
        """The arms of a launch, in its layout."""


class TurnsOf(Protocol):
    """Numbers of turns (nalm_agent.measure.turns_of_launches)."""

    def of(self, launch: int, seconds: float) -> int:
        """Turns of each arm in a launch. seconds: time of the launches before it."""


class ArmFailedError(Exception):
    """An arm's NF is at fault."""

    def __init__(self, arm: Arm, error: NfError, seed: int | None = None) -> None:
        """seed: of the launch in which it did not start; None: it did."""
        super().__init__(str(error))
        self.arm = arm
        self.error = error
        self.seed = seed


@dataclass(frozen=True)
class TryOut:
    """The result of short turns, which shows that the NF starts, forwards and ends."""

    stages: list[StageInfo]
    ready_seconds: float
    note: str | None = None
    """About a pipeline, outcomes if hardly any packet was forwarded, iterations with very many marks, threads
    that never sleep; or None."""
    mapped: frozenset[Path] | None = None
    """Files mapped at the end of the turn; None if they do not show what the NF runs."""
    kernel_share: float | None = None
    """Share of its CPU time that it spends in the kernel; None if that is not known."""


@contextmanager
def blame(arm: Arm, seed: int | None = None) -> Iterator[None]:
    """Turns an NfError into an ArmFailedError with the arm. seed: while it starts."""
    try:
        yield
    except NfError as error:
        raise ArmFailedError(arm, error, seed) from error


def try_out(run: ArmRun, work: WorkDir, turn_ms: float) -> TryOut:
    """Starts an arm once and runs short turns.

    Raises ArmFailedError if it does not start, forward or end.
    """
    begin = time.monotonic()
    with blame(run.arm), start_arm(run, work, seed=0) as nf:
        nf.wait_ready()
        ready = time.monotonic() - begin
        counters = nf.counted_turn(turn_ms).stages
        if counted_packets(nf.stages, counters) == 0:
            raise NfError(_FORWARDED_NOTHING, log=nf.log_tail())
        mapped = nf.mapped_files()
        unseen = pipeline(nf.log_tail())
        note = f"{run.arm}: {unseen}" if unseen else few_forwarded(run.arm, nf.stages, counters)
        long = nf.long_iterations(counters) if isinstance(nf, RunningNf) else None
        busy = busy_between_turns(run.arm, busy_threads(nf.pid))
        notes = [one for one in (note, f"{run.arm}: {long}" if long else None, busy) if one]
        in_kernel = kernel_share(nf, turn_ms) if isinstance(nf, RunningNf) else None
        nf.finish()
        return TryOut(nf.stages, ready, "; ".join(notes) or None, mapped, in_kernel)


LAUNCHES_ALONE = 4
"""On a busy host, one launch may have passed as many packets as several others."""


def run_alone(run: ArmRun, work: WorkDir, settings: Settings) -> None:
    """Runs an arm for several times as long as a launch, after another one failed in its turn: a program that
    ends by itself or receives no more, as after a number of packets, is no fault of the commit whose turn
    came first.

    Raises ArmFailedError if it fails, too.
    """
    most = settings.most_turns or settings.turns_per_launch
    turns = LAUNCHES_ALONE * (most + round(MAX_WARM_UP_MS / settings.turn_ms))
    with blame(run.arm), start_arm(run, work, seed=0) as nf:
        nf.wait_ready()
        for _ in range(turns):
            _require_forwarding(nf, nf.counted_turn(settings.turn_ms))


def require_own_fault(failure: ArmFailedError, run: ArmRun, work: WorkDir) -> None:
    """Starts an arm alone that did not start beside base. Raises ArmFailedError for base if it starts."""
    with suppress(NfError), start_arm(run, work, seed=failure.seed or 0) as nf:
        nf.wait_ready()
        raise ArmFailedError(Arm.BASE, only_beside_base(failure.arm, failure.error)) from failure


def busy_between_turns(arm: Arm, names: Sequence[str]) -> str | None:
    """A sentence about threads that use a CPU while the lcores wait; None without any."""
    if not names:
        return None
    who = f"thread {names[0]} uses" if len(names) == 1 else f"threads {', '.join(names)} use"
    return (
        f"{arm}: its {who} a CPU also between turns, while its lcores wait: less time is left for both arms' "
        "lcores, and figures are less exact. Start it so that threads that only control sleep"
    )


def few_forwarded(arm: Arm, stages: list[StageInfo], counters: Mapping[str, StageCounters]) -> str | None:
    """A sentence if an NF forwards hardly any packet, for example with unknown addresses; else None."""
    kinds = Counter[OutcomeKind]()
    for stage in stages:
        for name, kind in {} if stage.apart else stage.outcomes.items():
            kinds[kind] += counters[stage.name].outcomes[name]
    del kinds[OutcomeKind.PASS]
    share = kinds[OutcomeKind.SENT] / kinds.total() if kinds.total() else 1.0
    if share >= FEW_FORWARDED:
        return None
    rest = ", ".join(f"{kind} {share_percent(count / kinds.total())}" for kind, count in kinds.most_common())
    return (
        f"{arm} forwards {share_percent(share)} of its packets ({rest}): unless that is intended, its "
        "routes, rules or MAC address do not fit the capture"
    )


LOOK_TIMES = 8
"""Length of a longer look at an arm's buffers, in launches."""
FEW_FORWARDED = 0.1
"""Share of forwarded packets below which a note is made."""
_FORWARDED_NOTHING = "the NF forwarded nothing: in a whole turn no packet left it or was dropped by policy"
NOTICEABLE_CPU_SHARE = 0.2
"""Least share of a turn with the CPU for which an NF that forwards nothing is at fault."""


@dataclass(frozen=True)
class Bench:
    """Where rounds run, how many, and how long."""

    settings: Settings
    cores: Cores
    work: WorkDir
    batches: dict[Arm, list[LcoreBatches]] = field(default_factory=dict)
    """Of each arm over all rounds so far; measure_rounds adds to it."""
    bare: list[BareTurn] = field(default_factory=list)
    """Turns without marks so far; measure_rounds adds to it."""
    metrics: LaunchMetrics | None = None
    """Reads further metrics at the end of each launch; None: they are not read."""
    placements: Placements | None = None
    """Gives each launch a layout; None: all have the builds as they are."""
    turns: TurnsOf | None = None
    """Gives each launch its number of turns; None: all have the settings'."""
    room: ReportRoom | None = None
    """Ends the launches when the report is full; None: it has no limit."""

    def add_batches(self, arm: Arm, launch: list[LcoreBatches]) -> None:
        """Adds the batches of a launch."""
        if found := summed_by_lcore([*self.batches.get(arm, []), *launch]):
            self.batches[arm] = found


def measure_rounds(
    bench: Bench,
    runs: Mapping[Arm, ArmRun],
    decided: Callable[[list[Round], list[BufferLook]], bool],
    after_launch: Callable[[int, float], None],
) -> EndedBy:
    """Measures launch by launch until `decided` returns a reason, or launches, time or room run out.

    `decided` receives all rounds and longer looks at buffers so far; `after_launch` the number of finished
    launches and their seconds.
    Returns why it ended. Raises ArmFailedError.
    """
    rounds: list[Round] = []
    looks: list[BufferLook] = []
    begin, budget, seconds = time.monotonic(), bench.settings.budget_seconds, 0.0
    for launch in range(bench.settings.max_launches):
        turns = bench.settings.turns_per_launch if bench.turns is None else bench.turns.of(launch, seconds)
        looked_at = {look.arm for look in looks}
        placed = runs if bench.placements is None else bench.placements.place(launch, runs)
        more, longer = _measure_launch(bench, launch, turns, placed, looked_at)
        rounds += more
        looks += longer
        seconds = time.monotonic() - begin
        after_launch(launch + 1, seconds)
        if decided(rounds, looks):
            return "decision"
        if budget is not None and seconds + seconds / (launch + 1) > budget:
            return "budget"
        is_last = launch + 1 == bench.settings.max_launches
        if bench.room is not None and not is_last and not bench.room.holds_another(rounds, bench.bare):
            return "launches"
    return "launches"


def _measure_launch(
    bench: Bench, launch: int, turns: int, runs: Mapping[Arm, ArmRun], looked_at: Collection[Arm]
) -> tuple[list[Round], list[BufferLook]]:
    """Rounds of one launch, and a longer look at each arm whose buffers grew and that had none yet."""
    settings, running, rounds = bench.settings, dict[Arm, NfInTurns](), list[Round]()
    with ExitStack() as stack:
        for arm, run in runs.items():
            with blame(arm, seed=launch):
                running[arm] = stack.enter_context(start_arm(run, bench.work, seed=launch))
        beside = every_second([arm for arm, run in runs.items() if _may_move(run)], launch, bench.cores)
        with elsewhere([running[arm].pid for arm in beside], bench.cores) as moved:
            for arm, nf in running.items():
                with blame(arm, seed=launch):
                    nf.wait_ready()
        for arm in beside:
            moved.bind(_threads_of_lcores(running[arm]))
        for arm, nf in running.items():
            with blame(arm):
                warm_up(nf, settings.turn_ms)
        bare = _in_bare_turns(running)
        batches = {arm: nf.batches() for arm, nf in running.items()}
        last = dict[Arm, TurnCounters]()
        for turn in range(turns):
            for order, arm in enumerate(turn_order(list(running), launch + turn)):
                with blame(arm):
                    counted, stolen = _measure_turn(bench, running[arm])
                last[arm] = counted
                rounds.append(
                    Round(
                        launch=launch,
                        turn=turn,
                        order=order,
                        arm=arm,
                        lcores=counted.lcores,
                        stages=counted.stages,
                        steal_ns=stolen,
                        buffers_in_use=counted.buffers_in_use,
                        traffic=counted.traffic,
                    )
                )
            for arm in turn_order(list(bare), launch + turn):
                with blame(arm):
                    bench.bare.append(_measure_bare(bench, bare[arm], arm, launch, turn))
        looks = []
        for arm, nf in running.items():
            bench.add_batches(arm, batches_between(batches[arm], nf.batches()))
            with blame(arm):
                if bench.metrics is not None:
                    bench.metrics.read(arm, nf, last.get(arm))
                own = [one for one in rounds if one.arm is arm]
                if arm not in looked_at and _buffers_grew(nf, own):
                    looks.append(_look_longer(bench, nf, arm, own))
        with elsewhere([running[arm].pid for arm in beside], bench.cores):
            _finish(running)
    return rounds, looks


def _may_move(run: ArmRun) -> bool:
    """Whether an arm binds its lcores itself, so that their threads can be told from its others."""
    return run.counter_commands is None and not run.how.pin


def _threads_of_lcores(nf: NfInTurns) -> list[int]:
    if not isinstance(nf, RunningNf):
        return []
    with suppress(SourceError):  # one has ended, which its first turn tells
        return [one.tid for one in lcore_threads(nf)]
    return []


def _finish(running: Mapping[Arm, NfInTurns]) -> None:
    """Ends all arms at the same time."""

    def finish(arm: Arm) -> None:
        with blame(arm):
            running[arm].finish()

    with ThreadPoolExecutor(len(running)) as pool:
        list(pool.map(finish, running))


def _buffers_grew(nf: NfInTurns, rounds: list[Round]) -> bool:
    """True if the buffers grew in both halves of the launch: a leak, or a store that still fills."""
    share = leaked_share(
        rounds, lambda one: taken_in(nf.stages, one.stages), lambda one: ended(nf.stages, one.stages)
    )
    return share is not None and share > LEAK_LIMIT


def _look_longer(bench: Bench, nf: NfInTurns, arm: Arm, rounds: list[Round]) -> BufferLook:
    """Runs further turns of the same process: a bounded store stops growing, a leak does not."""
    more = [_measure_turn(bench, nf)[0] for _ in range(LOOK_TIMES * len(rounds))]
    turns = [(one.stages, one.buffers_in_use) for one in rounds]
    turns += [(one.stages, one.buffers_in_use) for one in more]
    return BufferLook(
        arm=arm,
        launch=rounds[0].launch,
        turns=len(rounds),
        taken_in=[taken_in(nf.stages, stages) for stages, _ in turns],
        ended=[ended(nf.stages, stages) for stages, _ in turns],
        buffers=[held for _, held in turns if held is not None],
    )


def warm_up(nf: NfInTurns, turn_ms: float) -> None:
    """Runs an NF unrecorded until its CPP is steady from one turn to the next."""
    last, run_ms = None, 0.0
    while run_ms < MAX_WARM_UP_MS:
        cpp = _busy_cycles_per_packet(nf.counted_turn(turn_ms).lcores)
        run_ms += turn_ms
        if run_ms >= WARM_UP_MS and last and cpp and abs(cpp / last - 1) <= STEADY_CHANGE:
            return
        last = cpp


def _busy_cycles_per_packet(lcores: list[LcoreCounters]) -> float | None:
    """Busy cycles per packet of a turn, scaled by CPU time; None if the turn did no work."""
    return ratio(
        sum(lcore.busy_cycles * cpu_time_scale(lcore) for lcore in lcores),
        sum(lcore.packets for lcore in lcores),
    )


def turn_order(arms: list[Arm], number: int) -> list[Arm]:
    """The order of the arms in a turn. It reverses every turn, so that no arm always follows the same one."""
    return arms if number % 2 == 0 else arms[::-1]


def _measure_turn(bench: Bench, nf: NfInTurns) -> tuple[TurnCounters, int]:
    """The counters of a turn, and the time that the hypervisor stole during it, in nanoseconds."""
    stolen = steal_ns(bench.cores.cpus)
    turn = nf.counted_turn(bench.settings.turn_ms)
    stolen = steal_ns(bench.cores.cpus) - stolen
    _require_forwarding(nf, turn)
    return turn, max(0, stolen)


def _require_forwarding(nf: NfInTurns, turn: TurnCounters) -> None:
    """Raises NfError for a turn in which the NF had the CPU and forwarded nothing."""
    if counted_packets(nf.stages, turn.stages) == 0 and _had_the_cpu(turn.lcores):
        held = turn.buffers_in_use
        also = "" if held is None else f"; it holds {held} packet buffers"
        raise NfError(_FORWARDED_NOTHING + also, log=nf.log_tail())


def _in_bare_turns(running: Mapping[Arm, NfInTurns]) -> dict[Arm, RunningNf]:
    """The NFs, if all of them have turns without marks; else none."""
    able = {
        arm: nf
        for arm, nf in running.items()
        if isinstance(nf, RunningNf) and not isinstance(nf, PacedNf) and nf.has_bare_turns
    }
    return able if len(able) == len(running) else {}


def _measure_bare(bench: Bench, nf: RunningNf, arm: Arm, launch: int, turn: int) -> BareTurn:
    stolen = steal_ns(bench.cores.cpus)
    lcores = nf.bare_turn(bench.settings.turn_ms)
    stolen = steal_ns(bench.cores.cpus) - stolen
    return BareTurn(launch=launch, turn=turn, arm=arm, lcores=lcores, steal_ns=max(0, stolen))


def _had_the_cpu(lcores: list[LcoreCounters]) -> bool:
    return all(cpu_time_scale(lcore) > NOTICEABLE_CPU_SHARE for lcore in lcores)


def start_arm(run: ArmRun, work: WorkDir, *, seed: int) -> NfInTurns:
    """Starts one process of an arm, with a probe or with own counters."""
    if run.counter_commands is None:
        return launch_arm(run, work, seed=seed)
    return SelfCountingNf(run.how, work, run.counter_commands)


def launch_arm(run: ArmRun, work: WorkDir, *, seed: int, events: Sequence[str] = ()) -> RunningNf:
    """Starts one process of an arm with a probe. seed: of its tables; events: names of PAPI."""
    if run.offered is not None:
        return PacedNf(run.how, work, run.offered, seed=seed, events=events)
    return RunningNf(run.how, work, seed=seed, events=events)
