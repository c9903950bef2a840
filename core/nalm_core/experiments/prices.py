# SPDX-License-Identifier: Apache-2.0
"""The cost of each feature in the reference: in cycles per packet, in packets per second, and by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np

from nalm_core.experiments.result import FeatureFit, FeaturePrice
from nalm_core.features.cost_model import CostModel
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.stats.quantiles import t_quantile


def price_list(
    model: CostModel, fit: FeatureFit, stages: Sequence[Mapping[str, float]]
) -> list[FeaturePrice]:
    """Prices in the order of the reference, then those of features that it lacks. stages: cycles by stage of
    each term except the bare chain."""
    ordered = [*fit.reference, *(name for name in model.varied if name not in fit.reference)]
    return [_price(model, fit, stages, name) for name in ordered if name in model.varied]


def _price(
    model: CostModel, fit: FeatureFit, stages: Sequence[Mapping[str, float]], feature: str
) -> FeaturePrice:
    with_it, without = {*fit.reference, feature}, {*fit.reference} - {feature}
    chosen = [float(_adds(term.features, with_it, without)) for term in model.terms]
    cycles = float(sum(one * term.cycles for one, term in zip(chosen, model.terms, strict=True)))
    half = _half(model, chosen)
    cheap = model.expected(without).value

    def pps(more: float | None) -> float | None:
        """Change of the rate if a packet costs this number of cycles more."""
        if more is None or cheap <= 0 or cheap + more <= 0:
            return None
        return fit.tsc_hz / (cheap + more) - fit.tsc_hz / cheap

    low, high = (None, None) if half is None else (cycles - half, cycles + half)
    return FeaturePrice(
        feature=feature,
        in_reference=feature in fit.reference,
        cycles=cycles,
        low=low,
        high=high,
        pps=pps(cycles) or 0.0,
        pps_low=pps(high),
        pps_high=pps(low),
        stages=_by_stage(chosen[1:], stages),
    )


def _adds(term: Sequence[str], with_it: set[str], without: set[str]) -> bool:
    return with_it.issuperset(term) and not without.issuperset(term)


def _half(model: CostModel, chosen: Sequence[float]) -> float | None:
    if model.covariance is None or model.degrees is None:
        return None
    weights = np.asarray(chosen)
    variance = float(weights @ np.asarray(model.covariance) @ weights)
    return t_quantile(model.degrees, (1 + CONFIDENCE) / 2) * sqrt(max(0.0, variance))


def _by_stage(chosen: Sequence[float], stages: Sequence[Mapping[str, float]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for one, by_stage in zip(chosen, stages, strict=True):
        for stage, cycles in by_stage.items():
            found[stage] = found.get(stage, 0.0) + one * cycles
    return found
