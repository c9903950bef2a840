# SPDX-License-Identifier: Apache-2.0
"""The arms side by side on one core: short turns in swapped order, over many fresh launches, until decided.

In every launch all arms run as long-lived processes of which one at a time passes its gate. Each first warms
its caches and tables up, until it is steady. The launch, not the turn, is the random unit: each places code,
heap and tables anew.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TypedDict

from nalm_core.counters import cpu_time_scale, ratio
from nalm_core.defaults import MAX_WARM_UP_MS, STEADY_CHANGE, WARM_UP_MS
from nalm_core.report import (
    Arm,
    EndedBy,
    LcoreCounters,
    OutcomeKind,
    Round,
    Settings,
    StageCounters,
    StageInfo,
)

from nalm_agent.cores import Cores
from nalm_agent.errors import NfError
from nalm_agent.home import WorkDir
from nalm_agent.host import steal_ns
from nalm_agent.launch import RunningNf
from nalm_agent.probe import buffers_in_use, counted_packets, lcore_counters, stage_counters

WARM_UP_RULE = (
    f"each launch warms up for {WARM_UP_MS:g} ms or longer, until CPP is steady; those turns are not recorded"
)


@dataclass(frozen=True)
class ArmRun:
    """How one arm is started."""

    arm: Arm
    command: list[str]
    lcores: int
    ready_seconds: float
    pin: tuple[int, ...] = ()
    urgent: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


class ArmFailedError(Exception):
    """An arm's NF is at fault."""

    def __init__(self, arm: Arm, error: NfError) -> None:
        super().__init__(str(error))
        self.arm = arm
        self.error = error


@dataclass(frozen=True)
class TryOut:
    """What one short turn showed: the NF starts, forwards and ends."""

    stages: list[StageInfo]
    ready_seconds: float
    few_forwarded: str | None = None
    """For a person, if hardly a packet was sent on: what became of them. None if enough were."""


@contextmanager
def blame(arm: Arm) -> Iterator[None]:
    """Names the arm whose NF is at fault."""
    try:
        yield
    except NfError as error:
        raise ArmFailedError(arm, error) from error


def try_out(run: ArmRun, work: WorkDir, turn_ms: float) -> TryOut:
    """Starts an arm once and runs one turn. Raises ArmFailedError if it does not start, forward or end."""
    begin = time.monotonic()
    with blame(run.arm), launch_arm(run, work, seed=0) as nf:
        nf.wait_ready()
        ready = time.monotonic() - begin
        before = nf.snapshot()
        nf.turn(milliseconds=turn_ms)
        counters = stage_counters(nf.probe.stages, before, nf.snapshot())
        if counted_packets(nf.probe.stages, counters) == 0:
            raise NfError(_FORWARDED_NOTHING, log=nf.log_tail())
        nf.finish()
        return TryOut(nf.probe.stages, ready, few_forwarded(run.arm, nf.probe.stages, counters))


def few_forwarded(arm: Arm, stages: list[StageInfo], counters: Mapping[str, StageCounters]) -> str | None:
    """A sentence if an NF lives but hardly sends on, as one that does not know the addresses. Else None."""
    kinds = Counter[OutcomeKind]()
    for stage in stages:
        for name, kind in {} if stage.apart else stage.outcomes.items():
            kinds[kind] += counters[stage.name].outcomes[name]
    del kinds[OutcomeKind.PASS]
    share = kinds[OutcomeKind.SENT] / kinds.total() if kinds.total() else 1.0
    if share >= FEW_FORWARDED:
        return None
    rest = ", ".join(f"{kind} {count / kinds.total():.1%}" for kind, count in kinds.most_common())
    return (
        f"{arm} sends {share:.1%} of its packets on ({rest}): if that is not what it is for, its routes, "
        f"rules or "
        "MAC address do not fit the capture"
    )


FEW_FORWARDED = 0.1
"""Share of packets sent on below which a person is told."""
_FORWARDED_NOTHING = "the NF forwarded nothing: in a whole turn no packet left it or was dropped by policy"
NOTICEABLE_CPU_SHARE = 0.2
"""Share of a turn that an NF must have had the CPU before it is blamed for forwarding nothing."""


@dataclass(frozen=True)
class Bench:
    """Where the rounds are run, and how many of what length."""

    settings: Settings
    cores: Cores
    work: WorkDir


def measure_rounds(
    bench: Bench,
    runs: Mapping[Arm, ArmRun],
    decided: Callable[[list[Round]], bool],
    after_launch: Callable[[int, float], None],
) -> EndedBy:
    """Measures launch by launch until `decided` says so, or launches or time run out.

    `decided` is given all rounds so far; `after_launch` the number of launches done and their seconds.
    Returns why it ended. Raises ArmFailedError.
    """
    rounds: list[Round] = []
    begin, budget = time.monotonic(), bench.settings.budget_seconds
    for launch in range(bench.settings.max_launches):
        rounds += _measure_launch(bench, launch, runs)
        seconds = time.monotonic() - begin
        after_launch(launch + 1, seconds)
        if decided(rounds):
            return "decision"
        if budget is not None and seconds + seconds / (launch + 1) > budget:
            return "budget"
    return "launches"


def _measure_launch(bench: Bench, launch: int, runs: Mapping[Arm, ArmRun]) -> list[Round]:
    settings, running, rounds = bench.settings, dict[Arm, RunningNf](), list[Round]()
    with ExitStack() as stack:
        for arm, run in runs.items():
            with blame(arm):
                running[arm] = stack.enter_context(launch_arm(run, bench.work, seed=launch))
        for arm, nf in running.items():
            with blame(arm):
                nf.wait_ready()
        for arm, nf in running.items():
            with blame(arm):
                warm_up(nf, settings.turn_ms)
        for turn in range(settings.turns_per_launch):
            for order, arm in enumerate(turn_order(list(running), launch + turn)):
                with blame(arm):
                    counters = _measure_turn(bench, running[arm])
                rounds.append(Round(launch=launch, turn=turn, order=order, arm=arm, **counters))
        for arm, nf in running.items():
            with blame(arm):
                nf.finish()
    return rounds


def warm_up(nf: RunningNf, turn_ms: float) -> None:
    """Runs an NF unrecorded until its CPP is steady from one turn to the next."""
    last, run_ms = None, 0.0
    while run_ms < MAX_WARM_UP_MS:
        before = nf.snapshot()
        nf.turn(milliseconds=turn_ms)
        run_ms += turn_ms
        cpp = _busy_cycles_per_packet(lcore_counters(before, nf.snapshot()))
        if run_ms >= WARM_UP_MS and last and cpp and abs(cpp / last - 1) <= STEADY_CHANGE:
            return
        last = cpp


def _busy_cycles_per_packet(lcores: list[LcoreCounters]) -> float | None:
    """Of a turn, scaled by CPU time; None if nothing was done in it."""
    return ratio(
        sum(lcore.busy_cycles * cpu_time_scale(lcore) for lcore in lcores),
        sum(lcore.packets for lcore in lcores),
    )


def turn_order(arms: list[Arm], number: int) -> list[Arm]:
    """Order of the arms in a turn: reversed from turn to turn, so that none always follows the same one."""
    return arms if number % 2 == 0 else arms[::-1]


class TurnCounters(TypedDict):
    """What one turn adds to a round."""

    lcores: list[LcoreCounters]
    stages: dict[str, StageCounters]
    steal_ns: int
    buffers_in_use: int | None


def _measure_turn(bench: Bench, nf: RunningNf) -> TurnCounters:
    stolen, before = steal_ns(bench.cores.cpus), nf.snapshot()
    nf.turn(milliseconds=bench.settings.turn_ms)
    after, stolen = nf.snapshot(), steal_ns(bench.cores.cpus) - stolen
    lcores, stages = lcore_counters(before, after), stage_counters(nf.probe.stages, before, after)
    if counted_packets(nf.probe.stages, stages) == 0 and _had_the_cpu(lcores):
        held = buffers_in_use(after)
        also = "" if held is None else f"; it holds {held} packet buffers"
        raise NfError(_FORWARDED_NOTHING + also, log=nf.log_tail())
    return TurnCounters(
        lcores=lcores, stages=stages, steal_ns=max(0, stolen), buffers_in_use=buffers_in_use(after)
    )


def _had_the_cpu(lcores: list[LcoreCounters]) -> bool:
    return all(cpu_time_scale(lcore) > NOTICEABLE_CPU_SHARE for lcore in lcores)


def launch_arm(run: ArmRun, work: WorkDir, *, seed: int, events: Sequence[str] = ()) -> RunningNf:
    """Starts one process of an arm; the seed places its tables. events: of its probe, by PAPI's names."""
    return RunningNf(
        run.command,
        work,
        lcores=run.lcores,
        seed=seed,
        ready_seconds=run.ready_seconds,
        pin=run.pin,
        urgent=run.urgent,
        events=events,
        environment=run.environment,
    )
