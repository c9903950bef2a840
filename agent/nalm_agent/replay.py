# SPDX-License-Identifier: Apache-2.0
"""The same packets in every arm, natively: what becomes of each, before anything is simulated or timed.

A turn that a number of packets ends does not depend on how fast an arm is, so its outcomes can be compared
one by one. Each replay is a fresh process with a seed of its own; where arms differ, more replays show
whether an arm repeats its own figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from nalm_core.outcomes import MIN_REPLAYS, outcome_changes
from nalm_core.report import Arm, ArmInfo, ArmMemory, Replay, ReplayedStage, StageCounters, StageInfo

from nalm_agent.home import WorkDir
from nalm_agent.nf_process import resident_memory
from nalm_agent.session import ArmRun, blame, launch_arm
from nalm_agent.turns import TurnCounters, ended, taken_in

PARTS = 4
"""Equal turns of a replay: packets that end without a name are missing in each of them."""
MORE_REPLAYS = 3
"""Of each arm, where two arms differ."""


@dataclass(frozen=True)
class Replayed:
    """A replay, and the memory of its process at the end; None if the kernel does not tell it."""

    replay: Replay
    memory: ArmMemory | None


def replay_arms(
    runs: Mapping[Arm, ArmRun], infos: Mapping[Arm, ArmInfo], work: WorkDir, packets: int
) -> list[Replayed]:
    """Replays of all arms, by number. Raises ArmFailedError, and SlowTurnError if they would take minutes."""
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
    with blame(run.arm), launch_arm(run, work, seed=number) as nf:
        nf.wait_ready()
        parts = [nf.counted_turn(packets=packets // PARTS or 1) for _ in range(PARTS)]
        memory = resident_memory(nf.pid)
        nf.finish()
    arm_memory = (
        None if memory is None else ArmMemory(arm=run.arm, small_bytes=memory[0], huge_bytes=memory[1])
    )
    return Replayed(of_parts(run.arm, number, nf.stages, parts), arm_memory)


def of_parts(arm: Arm, number: int, stages: Sequence[StageInfo], parts: Sequence[TurnCounters]) -> Replay:
    """The replay that these turns are."""
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
