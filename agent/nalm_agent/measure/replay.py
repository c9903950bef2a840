# SPDX-License-Identifier: Apache-2.0
"""Replays the same packets through every arm, natively, to compare their outcomes before any measurement.

A number of packets ends a replay's turns, so that outcomes do not depend on the arms' speed and can be
compared exactly. Each replay is a new process with its own seed. If arms differ, further replays show whether
an arm repeats its own figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from nalm_core.report.defaults import MIN_KEPT
from nalm_core.report.run_report import (
    Arm,
    ArmInfo,
    ArmMemory,
    BufferLook,
    Replay,
    ReplayedStage,
    StageCounters,
    StageInfo,
)
from nalm_core.verdict.packet_outcomes import MIN_REPLAYS, outcome_changes
from nalm_core.verdict.retained import look_leaks

from nalm_agent.measure.rounds import LOOK_TIMES, ArmRun, blame, launch_arm
from nalm_agent.nf.launch import RunningNf, SlowTurnError
from nalm_agent.nf.nf_process import resident_memory
from nalm_agent.nf.turns import TurnCounters, ended, taken_in
from nalm_agent.runtime.errors import NfError
from nalm_agent.store.home import WorkDir

PARTS = 4
"""Number of equal turns in a replay. Packets without an outcome are missing in each of them."""
MORE_REPLAYS = 3
"""Further replays of each arm if two arms differ."""


@dataclass(frozen=True)
class Replayed:
    """A replay, with the memory and buffers of its process."""

    replay: Replay
    memory: ArmMemory | None
    """Memory at the end; None if the kernel does not report it."""
    look: BufferLook | None
    """A longer look at its packet buffers, if they grew."""


def replay_arms(
    runs: Mapping[Arm, ArmRun], infos: Mapping[Arm, ArmInfo], work: WorkDir, packets: int
) -> list[Replayed]:
    """Replays of all arms, in order. Raises ArmFailedError, and SlowTurnError if they would take minutes."""
    found: list[Replayed] = []
    for number in range(MIN_REPLAYS):
        found += _replay_each(runs, work, packets, number)
    if outcome_changes(infos, [one.replay for one in found], []):
        for number in range(MIN_REPLAYS, MIN_REPLAYS + MORE_REPLAYS):
            found += _replay_each(runs, work, packets, number)
    return found


def _replay_each(runs: Mapping[Arm, ArmRun], work: WorkDir, packets: int, number: int) -> list[Replayed]:
    return [_replay(run, work, packets, number) for run in runs.values()]


def _replay(run: ArmRun, work: WorkDir, packets: int, number: int) -> Replayed:
    each = packets // PARTS or 1
    with blame(run.arm), launch_arm(run, work, seed=number) as nf:
        nf.wait_ready()
        parts = [nf.counted_turn(packets=each) for _ in range(PARTS)]
        found = of_parts(run.arm, number, nf.stages, parts)
        memory = resident_memory(nf.pid)
        look = _look_longer(nf, found, parts, each) if number == 0 and _grew(found.buffers) else None
        if look is None or not look_leaks(look):
            nf.finish()
    if memory is None:
        return Replayed(found, None, look)
    return Replayed(found, ArmMemory(arm=run.arm, small_bytes=memory[0], huge_bytes=memory[1]), look)


def _grew(buffers: Sequence[int]) -> bool:
    """True if the buffers grew in every part, and by more than a batch in total."""
    return (
        len(buffers) > 1 and buffers[-1] - buffers[0] >= MIN_KEPT and all(b > a for a, b in pairwise(buffers))
    )


def _look_longer(nf: RunningNf, found: Replay, parts: Sequence[TurnCounters], each: int) -> BufferLook:
    """Replays more of the trace in the same process. If the NF stops for lack of buffers, the look is long
    enough when its figures show a leak; otherwise the failure is raised."""
    turns, failure = list(parts), None
    try:
        for _ in range(PARTS * LOOK_TIMES):
            turns.append(nf.counted_turn(packets=each))
    except (NfError, SlowTurnError) as error:
        failure = error
    look = BufferLook(
        arm=found.arm,
        launch=found.number,
        turns=len(parts),
        taken_in=[taken_in(nf.stages, one.stages) for one in turns],
        ended=[ended(nf.stages, one.stages) for one in turns],
        buffers=[one.buffers_in_use for one in turns if one.buffers_in_use is not None],
    )
    if isinstance(failure, NfError) and not look_leaks(look):
        raise failure
    return look


def of_parts(arm: Arm, number: int, stages: Sequence[StageInfo], parts: Sequence[TurnCounters]) -> Replay:
    """Makes a replay of its turns."""
    levels = accumulate(taken_in(stages, part.stages) - ended(stages, part.stages) for part in parts)
    buffers = [part.buffers_in_use for part in parts if part.buffers_in_use is not None]
    return Replay(
        arm=arm,
        number=number,
        stages={stage.name: _sum([part.stages[stage.name] for part in parts]) for stage in stages},
        under_way=list(levels),
        buffers=buffers if len(buffers) == len(parts) else [],
    )


def _sum(counters: Sequence[StageCounters]) -> ReplayedStage:
    names = dict.fromkeys(name for one in counters for name in one.outcomes)
    return ReplayedStage(
        packets=sum(one.packets for one in counters),
        outcomes={name: sum(one.outcomes.get(name, 0) for one in counters) for name in names},
    )
