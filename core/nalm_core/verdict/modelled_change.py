# SPDX-License-Identifier: Apache-2.0
"""Changes in modelled cache and branch events of the stages that pay, which explain pipeline use."""

from __future__ import annotations

from collections.abc import Collection

from nalm_core.report.defaults import MODEL_CHANGE
from nalm_core.report.modelled_counts import ModelCount
from nalm_core.report.run_report import Arm, Model, RunReport

EXPLAINING = ("l1d_misses", "ll_misses", "l1i_misses", "branch_misses")
"""Modelled events that cost cycles, of model_count.EVENTS."""


class ModelChange(Model):
    """One modelled event of one stage, a packet."""

    stage: str
    event: str
    base: float
    head: float


def model_changes(report: RunReport, head: Arm, stages: Collection[str]) -> list[ModelChange]:
    """Events of these stages that changed by MODEL_CHANGE a packet or more, largest change first.

    Empty if nothing changed so much or the arms were not modelled.
    """
    counts = {count.arm: count for count in report.model_counts}
    if Arm.BASE not in counts or head not in counts:
        return []
    changes = [
        ModelChange(
            stage=stage,
            event=event,
            base=_each(counts[Arm.BASE], stage, event),
            head=_each(counts[head], stage, event),
        )
        for stage in stages
        for event in EXPLAINING
    ]
    found = [change for change in changes if abs(change.head - change.base) >= MODEL_CHANGE]
    return sorted(found, key=lambda change: -abs(change.head - change.base))


def _each(count: ModelCount, stage: str, event: str) -> float:
    return count.stages.get(stage, {}).get(event, 0) / count.packets
