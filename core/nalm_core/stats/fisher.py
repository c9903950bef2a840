# SPDX-License-Identifier: Apache-2.0
"""Splits a change of a sum of visits times costs exactly into the cost of visits and their number.

Over stages s with visits a packet v and cycles a visit c, from A to B, a packet's cycles go from sum vA cA to
sum vB cB. Their ratio is P * Q exactly, P being Fisher's index of the costs and Q that of the visits. In
cycles each part is the logarithmic mean of the two sums times the index' logarithm, so the parts add up, are
zero where only the other moved, and change sign when A and B are swapped. Each stage's share is that of the
index' additive form (van IJzeren; Balk, Price and Quantity Index Numbers, 2008, chapter 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, log

Weights = Sequence[float]


@dataclass(frozen=True, slots=True)
class Common:
    """A stage of both sides: visits per packet and cycles per visit, before and after."""

    visits: tuple[float, float]
    costs: tuple[float, float]


@dataclass(frozen=True, slots=True)
class FisherSplit:
    """Cycles per packet of both parts by stage, in the stages' order."""

    efficiency: list[float]
    mix: list[float]
    ln_costs: float | None
    """ln P. None if a sum is 0: the parts then use arithmetic means (Bennet) and are exact, too."""
    ln_visits: float | None
    base_weights: list[float]
    """Weights of the stages' cycles per visit in P, before; the weighted sum is 1. Empty without P."""
    head_weights: list[float]


def fisher_split(stages: Sequence[Common]) -> FisherSplit:
    """Splits the change of the sum of visits times costs; the parts add up to it."""
    old_visits, new_visits = ([one.visits[side] for one in stages] for side in (0, 1))
    old_costs, new_costs = ([one.costs[side] for one in stages] for side in (0, 1))
    before, costs_only = _sum(old_visits, old_costs), _sum(old_visits, new_costs)
    oftener, after = _sum(new_visits, old_costs), _sum(new_visits, new_costs)
    if min(before, costs_only, oftener, after) <= 0:
        return _bennet(stages)
    ln_costs = (log(costs_only / before) + log(after / oftener)) / 2
    ln_visits = (log(oftener / before) + log(after / costs_only)) / 2
    mean = logarithmic_mean(before, after)
    return FisherSplit(
        efficiency=_shares(mean, ln_costs, _blend(old_visits, new_visits, ln_visits), old_costs, new_costs),
        mix=_shares(mean, ln_visits, _blend(old_costs, new_costs, ln_costs), old_visits, new_visits),
        ln_costs=ln_costs,
        ln_visits=ln_visits,
        base_weights=[
            (old / before + new / oftener) / 2 for old, new in zip(old_visits, new_visits, strict=True)
        ],
        head_weights=[
            (old / costs_only + new / after) / 2 for old, new in zip(old_visits, new_visits, strict=True)
        ],
    )


def logarithmic_mean(first: float, second: float) -> float:
    """(second - first) / ln(second / first); of equal numbers the number. Both are positive."""
    ratio = log(second / first)
    return first if ratio == 0 else first * expm1(ratio) / ratio


def _blend(old: Weights, new: Weights, ln_index: float) -> list[float]:
    return [before + after * exp(-ln_index) for before, after in zip(old, new, strict=True)]


def _shares(mean: float, ln_index: float, weights: Weights, old: Weights, new: Weights) -> list[float]:
    """Parts by stage, which add up to mean * ln_index."""
    slope = 1.0 if ln_index == 0 else ln_index / expm1(ln_index)
    scale = mean * slope / _sum(weights, old)
    return [
        scale * weight * (after - before) for weight, before, after in zip(weights, old, new, strict=True)
    ]


def _bennet(stages: Sequence[Common]) -> FisherSplit:
    efficiency = [sum(one.visits) / 2 * (one.costs[1] - one.costs[0]) for one in stages]
    mix = [sum(one.costs) / 2 * (one.visits[1] - one.visits[0]) for one in stages]
    return FisherSplit(efficiency, mix, None, None, [], [])


def _sum(visits: Weights, costs: Weights) -> float:
    return sum(one * other for one, other in zip(visits, costs, strict=True))
