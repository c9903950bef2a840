# SPDX-License-Identifier: Apache-2.0
"""Instructions of the chain by the PMU, where callgrind cannot count them: AVX-512 code, several lcores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nalm_core.report.profile import ThreadCount
from nalm_core.report.run_report import Arm, InstructionCount, Source

from nalm_agent.counters import perf
from nalm_agent.counters.events import CYCLES, INSTRUCTIONS
from nalm_agent.measure.report_builder import ReportBuilder
from nalm_agent.measure.rounds import ArmRun, launch_arm, warm_up
from nalm_agent.runtime.errors import NfError, SourceError
from nalm_agent.store.home import WorkDir

TURN_MS = 200.0
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
            with launch_arm(run, work, seed=0) as nf:
                nf.wait_ready()
                warm_up(nf, builder.settings.turn_ms)
                counts.append(of_threads(arm, perf.count_threads(nf, arm, TURN_MS, work, events=_EVENTS)))
                nf.finish()
    except (NfError, SourceError) as error:
        builder.notes.append(f"instructions were not counted by the PMU either: {error.message}")
        return []
    found = [one for one in counts if one is not None]
    if len(found) < len(runs):
        return []
    builder.notes.append(NOTE)
    return found


_EVENTS = (CYCLES, INSTRUCTIONS)


def of_threads(arm: Arm, threads: Sequence[ThreadCount]) -> InstructionCount | None:
    """The sum over an arm's lcores; None if the instructions of one were not counted, or no packet passed."""
    own = [one for one in threads if one.event == INSTRUCTIONS.name]
    values = [one.value for one in own if one.value is not None]
    packets = sum(one.packets for one in own)
    if len(values) < len(own) or not packets:
        return None
    return InstructionCount(arm=arm, source=Source.PMU, packets=packets, stages={}, unattributed=sum(values))
