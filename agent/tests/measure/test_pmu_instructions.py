# SPDX-License-Identifier: Apache-2.0
"""Instructions by the PMU are the sum of the lcores', or missing; a verdict uses them for the chain."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from nalm_agent.counters import perf
from nalm_agent.measure import pmu_instructions
from nalm_agent.measure.pmu_instructions import count_by_pmu, of_threads
from nalm_agent.nf.probe import Snapshot
from nalm_agent.nf.probe_layout import ROOM_FOR_STAGES, probe_layout
from nalm_agent.runtime.errors import SourceError
from nalm_core.report.instructions import arm_ipp
from nalm_core.report.profile import ThreadCount
from nalm_core.report.run_report import (
    Arm,
    ArmInfo,
    Build,
    InstructionCount,
    LcoreCounters,
    OutcomeKind,
    RunDefinition,
    Source,
    StageInfo,
)

BUILD = Build(commit="a" * 40, tree="t", code_digest="c", compiler="gcc")
RUN = RunDefinition(features=[], command=["nf"], traffic="own packets")
STAGES = [
    StageInfo(name="rx", outcomes={"pass": OutcomeKind.PASS}),
    StageInfo(name="tx", outcomes={"sent": OutcomeKind.SENT, "full": OutcomeKind.LOST}),
]


def thread(lcore: int, value: int | None, event: str = "instructions") -> ThreadCount:
    reason = "no counter" if value is None else None
    return ThreadCount(
        arm=Arm.BASE, lcore=lcore, turn=0, packets=1000, event=event, value=value, reason=reason
    )


def lcore(number: int, *, busy: int = 100_000, idle: int = 0) -> LcoreCounters:
    return LcoreCounters(
        lcore=number,
        packets=1000,
        busy_cycles=busy,
        idle_cycles=idle,
        apart_cycles=0,
        turn_wall_ns=1,
        turn_cpu_ns=1,
        involuntary_switches=0,
        voluntary_switches=0,
        minor_faults=0,
        major_faults=0,
    )


def chain_ipp(found: InstructionCount) -> float:
    ipp = arm_ipp([found], found.arm, ArmInfo(build=BUILD, run=RUN), Source.PMU)
    assert ipp is not None and not ipp.stages
    return ipp.chain


def test_the_chain_has_what_all_lcores_executed() -> None:
    threads = [thread(0, 90_000), thread(0, 30_000, "cycles"), thread(1, 110_000)]
    found = of_threads(Arm.BASE, threads, 2000, [lcore(0), lcore(1)])
    assert (found.packets, found.unattributed) == (2000, 200_000)
    assert chain_ipp(found) == 100.0


def test_an_lcore_without_a_count_leaves_the_chain_without_one() -> None:
    both = [lcore(0), lcore(1)]
    for threads, packets, reason in (
        ([thread(0, 90_000), thread(1, None)], 2000, "base: no counter"),
        ([thread(0, 30_000, "cycles")], 2000, "base: perf reported no thread"),
        ([thread(0, 90_000), thread(1, 90_000)], 0, "base: no packet left or was dropped by policy"),
    ):
        with pytest.raises(SourceError, match=reason):
            of_threads(Arm.BASE, threads, packets, both)


def test_idle_polls_of_an_lcore_are_not_the_chains() -> None:
    threads = [thread(0, 90_000), thread(1, 110_000)]
    assert of_threads(Arm.BASE, threads, 1000, [lcore(0), lcore(1, busy=99_000, idle=1_000)]).packets == 1000
    with pytest.raises(SourceError, match=r"lcore 1 polled empty queues in 40\.0 % of its cycles"):
        of_threads(Arm.BASE, threads, 1000, [lcore(0), lcore(1, busy=60_000, idle=40_000)])


@pytest.mark.parametrize(("idle", "notes"), [(0, [pmu_instructions.NOTE]), (100_000, None)])
def test_a_packet_of_a_pipeline_counts_once(
    idle: int, notes: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of 1000 packets passes three lcores, of which each counts it."""
    nf = Pipeline(idle)
    monkeypatch.setattr(perf, "available", lambda: None)
    monkeypatch.setattr(perf, "count_threads", nf.count_threads)
    monkeypatch.setattr(pmu_instructions, "launch_arm", lambda *_, **__: nullcontext(nf))
    monkeypatch.setattr(pmu_instructions, "warm_up", lambda *_: None)
    builder: Any = SimpleNamespace(
        arms={Arm.BASE: ArmInfo(build=BUILD, run=RUN, stages=STAGES)},
        own_figures=None,
        offered=None,
        settings=SimpleNamespace(turn_ms=10.0),
        notes=[],
    )
    runs: Any = {Arm.BASE: None}
    work: Any = None
    found = count_by_pmu(runs, work, builder)
    if notes is None:
        assert found == [] and "lcore 2 polled empty queues in 50.0 %" in builder.notes[0]
        return
    assert [(one.packets, chain_ipp(one)) for one in found] == [(1000, 300.0)]
    assert builder.notes == notes


class Pipeline:
    """An NF of three lcores: the first has rx, the last tx, which loses 50 packets more."""

    LCORES = (0, 1, 2)

    def __init__(self, idle: int) -> None:
        """idle: cycles of the last lcore in a turn."""
        self.probe = SimpleNamespace(stages=STAGES)
        self._idle = idle
        self._turns = 3  # warm-up

    def count_threads(self, *_: object, **__: object) -> list[ThreadCount]:
        self._turns += 1
        return [thread(number, 100_000) for number in self.LCORES]

    def snapshot(self) -> Snapshot:
        return Snapshot([self._block(number) for number in self.LCORES])

    def _block(self, number: int) -> Any:
        layout = probe_layout(max(ROOM_FOR_STAGES))
        assert layout is not None
        block = np.zeros(1, layout.counters)
        block["lcore_id"], block["packets"], block["busy_cycles"] = number, 1050, 100_000
        if number == self.LCORES[0]:
            block["stages"]["outcomes"][0, 0, 0] = 1050
        if number == self.LCORES[-1]:
            block["idle_cycles"] = self._idle
            block["stages"]["outcomes"][0, 1, :2] = 1000, 50
        for name in ("packets", "busy_cycles", "idle_cycles"):
            block[name] *= self._turns
        block["stages"]["outcomes"] *= self._turns
        return block

    def wait_ready(self) -> None:
        """It is."""

    def finish(self) -> None:
        """It has ended."""
