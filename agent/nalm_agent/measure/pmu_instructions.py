# SPDX-License-Identifier: Apache-2.0
"""Instructions of the chain by the PMU, where callgrind cannot count them: AVX-512 code, several lcores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nalm_core.report.counters import lcore_idle_share
from nalm_core.report.profile import ThreadCount
from nalm_core.report.run_report import Arm, InstructionCount, LcoreCounters, Source
from nalm_core.text.percents import share_percent

from nalm_agent.counters import perf
from nalm_agent.counters.events import CYCLES, INSTRUCTIONS
from nalm_agent.measure.report_builder import ReportBuilder
from nalm_agent.measure.rounds import ArmRun, launch_arm, warm_up
from nalm_agent.nf.probe import counted_packets, lcore_counters, stage_counters
from nalm_agent.runtime.errors import NfError, SourceError
from nalm_agent.store.home import WorkDir

TURN_MS = 200.0
IDLE_LIMIT = 0.01
"""Largest share of an lcore's cycles that may be idle polls: perf counts a thread's whole turn."""
NOTE = (
    "instructions are those of the chain, by the PMU, including those of the probe's marks; stages have none"
)


def count_by_pmu(runs: Mapping[Arm, ArmRun], work: WorkDir, builder: ReportBuilder) -> list[InstructionCount]:
    """Instructions of all arms, or none: this host has no PMU, or the NF's threads do other work, too."""
    apart = any(stage.apart for info in builder.arms.values() for stage in info.stages)
    if (
        perf.available() is not None
        or builder.own_figures is not None
        or builder.offered is not None
        or apart
    ):
        return []
    counts = []
    try:
        for arm, run in runs.items():
            counts.append(_count(arm, run, work, builder.settings.turn_ms))
    except (NfError, SourceError) as error:
        builder.notes.append(f"instructions were not counted by the PMU either: {error.message}")
        return []
    builder.notes.append(NOTE)
    return counts


_EVENTS = (CYCLES, INSTRUCTIONS)


def _count(arm: Arm, run: ArmRun, work: WorkDir, turn_ms: float) -> InstructionCount:
    """Raises NfError, SourceError."""
    with launch_arm(run, work, seed=0) as nf:
        nf.wait_ready()
        warm_up(nf, turn_ms)
        before = nf.snapshot()
        threads = perf.count_threads(nf, arm, TURN_MS, work, events=_EVENTS)
        after = nf.snapshot()
        nf.finish()
        stages = nf.probe.stages
        packets = counted_packets(stages, stage_counters(stages, before, after))
        return of_threads(arm, threads, packets, lcore_counters(before, after))


def of_threads(
    arm: Arm, threads: Sequence[ThreadCount], packets: int, lcores: Sequence[LcoreCounters]
) -> InstructionCount:
    """The sum over an arm's lcores, of one turn. packets: those counted in that turn, each once, however many
    lcores it passed. lcores: their counters in that turn.

    Raises SourceError if the instructions of one were not counted, no packet passed, or a thread's count has
    too many idle polls, which are not the chain's.
    """
    own = [one for one in threads if one.event == INSTRUCTIONS.name]
    values = [one.value for one in own if one.value is not None]
    if len(values) < len(own) or not own:
        reason = next((one.reason for one in own if one.value is None), None)
        raise SourceError(f"{arm}: {reason or 'perf reported no thread'}")
    if not packets:
        raise SourceError(f"{arm}: no packet left or was dropped by policy")
    for lcore in lcores:
        idle = lcore_idle_share(lcore)
        if idle is not None and idle > IDLE_LIMIT:
            raise SourceError(
                f"{arm}: lcore {lcore.lcore} polled empty queues in {share_percent(idle)} of its cycles, "
                f"which are in its thread's count (limit {share_percent(IDLE_LIMIT)})"
            )
    return InstructionCount(arm=arm, source=Source.PMU, packets=packets, stages={}, unattributed=sum(values))
