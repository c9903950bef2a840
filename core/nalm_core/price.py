# SPDX-License-Identifier: Apache-2.0
"""The price of a feature change: what head costs with its own features beyond what it costs with base's."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.attribution import ArmSeries, Rates, compare_arms, merged_order
from nalm_core.change import Change, Figure, StageChange
from nalm_core.features import FeatureSplit
from nalm_core.report import Arm, RunReport


def feature_split(efficiency: Change | None, before: ArmSeries, head: ArmSeries) -> FeatureSplit | None:
    """Cycles per packet from base to head, with nothing left over.

    efficiency: base to head as base; None in equal code, where it is nothing. before: head as base (or base,
    in equal code), paired with head. Both comparisons share the arm head as base; each has its own pairs, so
    the price is carried over as a ratio, and total = efficiency + features holds on the figures shown.
    """
    price = _price_ratio(before, head)
    if efficiency is None:
        mean = _mean(before)
        return FeatureSplit(
            total_cycles=mean * (price - 1), efficiency_cycles=0.0, features_cycles=mean * (price - 1)
        )
    if efficiency.base is None or efficiency.head is None:
        return None
    part = efficiency.head.cpp - efficiency.base.cpp
    features = efficiency.head.cpp * (price - 1)
    return FeatureSplit(total_cycles=part + features, efficiency_cycles=part, features_cycles=features)


def feature_stages(before: ArmSeries, head: ArmSeries, rates: Rates, at_cpp: float) -> list[StageChange]:
    """Stages that came or went with the features, in cycles per packet of an arm that costs at_cpp."""
    scale = at_cpp / _mean(before)
    return [
        _scaled(stage, scale) for stage in compare_arms(before, head, rates).stages if stage.kind != "common"
    ]


def in_pass_order(report: RunReport, stages: Sequence[StageChange]) -> list[StageChange]:
    """Head's order; what is gone after what it followed in base."""
    names = [[stage.name for stage in report.arms[arm].stages] for arm in (Arm.BASE, Arm.HEAD)]
    order = merged_order(*names)
    return sorted(stages, key=lambda stage: order.index(stage.stage))


def _price_ratio(before: ArmSeries, head: ArmSeries) -> float:
    return _mean(head) / _mean(before)


def _mean(arm: ArmSeries) -> float:
    return sum(arm.chain.cpp) / len(arm.chain.cpp)


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
