# SPDX-License-Identifier: Apache-2.0
"""The price of a feature change: head's cost with its own features less its cost with base's."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.report.judged_arm import FeatureSplit
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.verdict.attribution import Comparison, merged_order
from nalm_core.verdict.change import Change, Figure, StageChange


def feature_split(efficiency: Change | None, price: Change) -> FeatureSplit | None:
    """Splits the change from base to head, in cycles per packet, without a remainder.

    efficiency: base to head as base; None in equal code. price: head as base (or base, in equal code) to
    head. Both comparisons share that arm, each with its own pairs, so the price is transferred as a ratio,
    and total = efficiency + features holds for the shown figures. None if a ratio is missing.
    """
    shared = price.base if efficiency is None else efficiency.head
    before = price.base if efficiency is None else efficiency.base
    if shared is None or before is None or price.ratio_cpp is None:
        return None
    part = shared.cpp - before.cpp
    features = shared.cpp * (price.ratio_cpp - 1)
    return FeatureSplit(
        total_cycles=part + features,
        efficiency_cycles=part,
        features_cycles=features,
        features_low=None if price.low is None else shared.cpp * (price.low - 1),
        features_high=None if price.high is None else shared.cpp * (price.high - 1),
        features_level=price.level,
    )


def feature_stages(price: Comparison, at_cpp: float) -> list[StageChange]:
    """Stages that the features added or removed, in cycles per packet of an arm with a CPP of at_cpp."""
    if price.chain.base is None:
        return []
    scale = at_cpp / price.chain.base.cpp
    return [_scaled(stage, scale) for stage in price.stages if stage.kind != "common"]


def in_pass_order(report: RunReport, stages: Sequence[StageChange]) -> list[StageChange]:
    """Stages in head's order; a stage that head lacks follows the stage that it followed in head with base's
    features, or in base."""
    order: list[str] = []
    for arm in (Arm.BASE, Arm.HEAD_AS_BASE, Arm.HEAD):
        order = merged_order(order, [stage.name for stage in report.arms[arm].stages])
    return sorted(stages, key=lambda stage: order.index(stage.stage))


def _scaled(stage: StageChange, scale: float) -> StageChange:
    contribution = stage.contribution_cycles
    return stage.model_copy(
        update={
            "base": _scaled_figure(stage.base, scale),
            "head": _scaled_figure(stage.head, scale),
            "contribution_cycles": None if contribution is None else contribution * scale,
        }
    )


def _scaled_figure(figure: Figure | None, scale: float) -> Figure | None:
    if figure is None:
        return None
    cpp = figure.cpp * scale
    eipc = figure.ipp / cpp if figure.ipp is not None and cpp > 0 else None
    return figure.model_copy(update={"cpp": cpp, "eipc": eipc})
