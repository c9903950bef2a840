# SPDX-License-Identifier: Apache-2.0
"""Iterations with more marks or outcomes than the NF's probe keeps apart, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nalm_core.report.run_report import StageCounters, StageInfo
from nalm_core.text.percents import share_percent

from nalm_agent.nf.probe import ProbeFile, Snapshot

MISSING_SHARE = 0.01
"""Share of a stage's packets without an outcome for which the probe may be the reason. It is less for packets
that are on their way when a turn ends, and more where every burst is sent packet by packet."""
_REMEDY = "define a larger NALM_PROBE_MAX_PENDING before the program includes nalm_probe.h"
_OLD = (
    "its nalm_probe.h is older and may lose marks and outcomes, those beyond 64 in an iteration. Build it "
    "with the nalm_probe.h of this nalm (`nalm init --headers`)"
)


def long_iterations(
    probe: ProbeFile, after: Snapshot, counters: Mapping[str, StageCounters], *, lent: bool
) -> str | None:
    """A sentence if iterations were longer than the probe's room, or may have been; else None.

    after: the counters at the end of the first turn; counters: the turn's, by stage.
    """
    if not probe.merges_marks:
        return _OLD if _outcomes_are_missing(probe.stages, counters) else None
    merged = sum(int(block[0]["merged_marks"]) for block in after.blocks)
    if merged == 0:
        return None
    batches = sum(one.batches for one in counters.values() if one.batches is not None)
    return (
        "iterations of its lcores have more marks than its probe keeps apart, and "
        f"{share_percent(merged / (merged + batches))} of the marks are counted in another batch of their "
        "stage: cycles, packets and outcomes are right, numbers and sizes of batches are not"
        f"{'' if lent else f'; {_REMEDY}'}"
    )


def _outcomes_are_missing(stages: Sequence[StageInfo], counters: Mapping[str, StageCounters]) -> bool:
    return any(
        counters[stage.name].packets - sum(counters[stage.name].outcomes.values())
        > MISSING_SHARE * counters[stage.name].packets
        for stage in stages
        if stage.outcomes and not stage.apart
    )
