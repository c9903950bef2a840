# SPDX-License-Identifier: Apache-2.0
"""Exact instruction counts of all arms, several CPUs at once, each count made once and kept in the store."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from nalm_core.report import Arm, Build, InstructionCount, Source

from nalm_agent.arms import Ready
from nalm_agent.config import Config
from nalm_agent.cores import Cores
from nalm_agent.draft import Draft
from nalm_agent.errors import NfError, SourceError
from nalm_agent.home import Home, WorkDir
from nalm_agent.process import stop_all
from nalm_agent.run_plan import PINNED, SIMD_BITS, RunPlan
from nalm_agent.session import TryOut
from nalm_agent.sources import simulated
from nalm_agent.store import address
from nalm_agent.toolchain import toolchain

COUNTS = "counts"
READY_FLOOR_SECONDS = 2.0
"""Added to how long the NF took to get ready, before that is scaled up for valgrind."""


@dataclass(frozen=True)
class Counting:
    """Where and with what instructions are counted."""

    home: Home
    work: WorkDir
    cores: Cores
    """Of the measurement: idle while instructions are counted."""
    traffic: Path
    config: Config


def count_all(
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
