# SPDX-License-Identifier: Apache-2.0
"""Stage counters by lcore, which show on which lcore a stage lost packets."""

from __future__ import annotations

from typing import Any

from nalm_core.rates.rate_report import LcoreStages
from nalm_core.report.run_report import StageCounters, StageInfo

from nalm_agent.nf.probe import Snapshot


def lcore_stages(stages: list[StageInfo], before: Snapshot, after: Snapshot) -> list[LcoreStages]:
    """Raw differences per lcore and stage, without stages that an lcore did not run."""
    return [_lcore(stages, old[0], new[0]) for old, new in zip(before.blocks, after.blocks, strict=True)]


def _lcore(stages: list[StageInfo], old: Any, new: Any) -> LcoreStages:
    found = {}
    for index, stage in enumerate(stages):
        counters = _stage(stage, old["stages"][index], new["stages"][index])
        if counters.packets or counters.cycles or any(counters.outcomes.values()):
            found[stage.name] = counters
    return LcoreStages(lcore=int(new["lcore_id"]), stages=found)


def _stage(stage: StageInfo, old: Any, new: Any) -> StageCounters:
    return StageCounters(
        cycles=int(new["cycles"]) - int(old["cycles"]),
        packets=int(new["packets"]) - int(old["packets"]),
        batches=int(new["batches"]) - int(old["batches"]),
        outcomes={
            name: int(new["outcomes"][at]) - int(old["outcomes"][at])
            for at, name in enumerate(stage.outcomes)
        },
    )
