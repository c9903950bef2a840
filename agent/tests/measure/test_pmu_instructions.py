# SPDX-License-Identifier: Apache-2.0
"""Instructions by the PMU are the sum of the lcores', or missing; a verdict uses them for the chain."""

from __future__ import annotations

from nalm_agent.measure.pmu_instructions import of_threads
from nalm_core.report.instructions import arm_ipp
from nalm_core.report.profile import ThreadCount
from nalm_core.report.run_report import Arm, ArmInfo, Build, RunDefinition, Source


def thread(lcore: int, value: int | None, event: str = "instructions") -> ThreadCount:
    reason = "no counter" if value is None else None
    return ThreadCount(
        arm=Arm.BASE, lcore=lcore, turn=0, packets=1000, event=event, value=value, reason=reason
    )


def test_the_chain_has_what_all_lcores_executed() -> None:
    found = of_threads(Arm.BASE, [thread(0, 90_000), thread(0, 30_000, "cycles"), thread(1, 110_000)])
    assert found is not None and (found.packets, found.unattributed) == (2000, 200_000)
    build = Build(commit="a" * 40, tree="t", code_digest="c", compiler="gcc")
    info = ArmInfo(build=build, run=RunDefinition(features=[], command=["nf"], traffic="own packets"))
    ipp = arm_ipp([found], Arm.BASE, info, Source.PMU)
    assert ipp is not None and ipp.chain == 100.0 and not ipp.stages


def test_an_lcore_without_a_count_leaves_the_chain_without_one() -> None:
    assert of_threads(Arm.BASE, [thread(0, 90_000), thread(1, None)]) is None
    assert of_threads(Arm.BASE, [thread(0, 30_000, "cycles")]) is None
