# SPDX-License-Identifier: Apache-2.0
"""Modelled misses are named for the stages that pay, when they changed enough to matter."""

from nalm_core.report.modelled_counts import ModelCount, ModelledCache
from nalm_core.report.run_report import Arm
from nalm_core.verdict.modelled_change import model_changes
from nalm_synthetic import changed, make_report

CACHES = {"D1": ModelledCache(size_bytes=32768, ways=8, line_bytes=64)}


def modelled(arm: Arm, **l1d_misses: int) -> ModelCount:
    stages = {stage: {"l1d_misses": misses, "ll_misses": 10} for stage, misses in l1d_misses.items()}
    return ModelCount(arm=arm, packets=1000, caches=CACHES, stages=stages, unattributed={})


def test_only_what_changed_in_a_paying_stage_is_named() -> None:
    counts = [modelled(Arm.BASE, nat=500, l3fwd=500), modelled(Arm.HEAD, nat=1500, l3fwd=900)]
    report = make_report(changed(), launches=1).model_copy(update={"model_counts": counts})
    (found,) = model_changes(report, Arm.HEAD, ["nat"])
    assert (found.stage, found.event, found.base, found.head) == ("nat", "l1d_misses", 0.5, 1.5)
    assert [one.stage for one in model_changes(report, Arm.HEAD, ["l3fwd", "nat"])] == ["nat", "l3fwd"]


def test_small_changes_and_unmodelled_arms_say_nothing() -> None:
    counts = [modelled(Arm.BASE, nat=500), modelled(Arm.HEAD, nat=520)]
    report = make_report(changed(), launches=1)
    assert model_changes(report.model_copy(update={"model_counts": counts}), Arm.HEAD, ["nat"]) == []
    assert model_changes(report.model_copy(update={"model_counts": counts[:1]}), Arm.HEAD, ["nat"]) == []
