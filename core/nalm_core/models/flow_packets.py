# SPDX-License-Identifier: Apache-2.0
"""First packets of flows told from later ones, by regression over their share.

If a share s of packets are the first of their flows, the mean cost of a packet is
`(1 - s) * later + s * first`. Each launch has a line of its own through its trials, because its memory layout
moves all of them; intervals are Student's t over launches. Nothing is assumed of trials within a launch but
that their errors have mean 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from nalm_core.models.quantity import Estimate, ModelInputError, Values, ratio_estimate
from nalm_core.stats.quantiles import t_quantile

LEVEL = 0.95
"""Level of all intervals."""
LEAST_SPAN = 1e-6
"""Shares that differ by less are the same."""
BEND = 0.02
"""Relative distance from the line from which a share is named, if its interval excludes 0."""


@dataclass(frozen=True, slots=True)
class FlowTrial:
    launch: int
    share: float
    """First packets / packets, as sent."""
    cost: float
    """Mean of a packet, such as cycles."""


@dataclass(frozen=True, slots=True)
class FlowLine:
    """Cost of a flow's first packet and of each later one."""

    first: Estimate
    later: Estimate
    launches: int
    means: Values
    """Of first and later."""
    covariance: Values
    """Of the means; 0 with one launch."""

    def at(self, share: float) -> float:
        """Mean cost of a packet where that share of packets are first ones."""
        return float(self.means @ np.array([share, 1 - share]))


def fit_flows(trials: Sequence[FlowTrial]) -> FlowLine:
    """Raises ModelInputError if no launch has trials at two distinct shares."""
    lines = np.array(
        [line for own in _by_launch(trials) if (line := _line_of(own)) is not None], dtype=np.float64
    )
    if not len(lines):
        raise ModelInputError(
            "shares", "no launch has valid trials at 2 distinct shares of new flows, which a line needs"
        )
    means, count = lines.mean(axis=0), len(lines)
    covariance = np.zeros((2, 2)) if count == 1 else np.cov(lines.T) / count
    estimates = [_estimate(means[place], covariance[place, place], count) for place in range(2)]
    return FlowLine(estimates[0], estimates[1], count, means, covariance)


def bends(trials: Sequence[FlowTrial], requested: Sequence[float], line: FlowLine) -> dict[float, float]:
    """Shares whose costs are off the line by more than BEND and by more than launches vary, relatively.

    requested: the requested share of each trial. All shares together err in 1 - LEVEL of cases.
    """
    shares = sorted(set(requested))
    if len(shares) < 3 or line.launches < 2:
        return {}
    found = {}
    for share in shares:
        own = [trial for trial, one in zip(trials, requested, strict=True) if one == share]
        off = [
            float(np.mean([one.cost / line.at(one.share) - 1 for one in each])) for each in _by_launch(own)
        ]
        if len(off) < 2:
            continue
        centre, error = float(np.mean(off)), float(np.std(off, ddof=1)) / sqrt(len(off))
        half = error * t_quantile(len(off) - 1, 1 - (1 - LEVEL) / 2 / len(shares))
        if abs(centre) > max(BEND, half):
            found[share] = centre
    return found


def break_even_length(with_cache: FlowLine, without: FlowLine) -> Estimate:
    """Length from which a flow costs less with the cache: its first packet pays for what later ones save.

    `1 + (first_with - first_without) / (later_without - later_with)`, which is models.cost.break_even where
    all packets cost the same without the cache. Fieller's interval, with the degrees of freedom of the fewer
    launches. Raises ModelInputError if later packets are not cheaper with the cache.
    """
    if not with_cache.later.value < without.later.value:
        raise ModelInputError(
            "cycles later",
            f"{with_cache.later.value:g} with the cache are not below {without.later.value:g} without: "
            "it never pays",
        )
    parameters = np.concatenate([with_cache.means, without.means])
    covariance = np.zeros((4, 4))
    covariance[:2, :2], covariance[2:, 2:] = with_cache.covariance, without.covariance
    fewest = min(with_cache.launches, without.launches)
    quantile = None if fewest == 1 else t_quantile(fewest - 1, (1 + LEVEL) / 2)
    top, below = np.array([1.0, -1.0, -1.0, 1.0]), np.array([0.0, -1.0, 0.0, 1.0])
    return ratio_estimate(top, below, parameters, covariance, quantile)


def _by_launch(trials: Sequence[FlowTrial]) -> list[list[FlowTrial]]:
    launches = sorted({one.launch for one in trials})
    return [[one for one in trials if one.launch == launch] for launch in launches]


def _line_of(trials: Sequence[FlowTrial]) -> Values | None:
    """(first, later) of one launch by least squares; None with fewer than two distinct shares."""
    shares = np.array([one.share for one in trials])
    if np.ptp(shares) < LEAST_SPAN:
        return None
    costs = np.array([one.cost for one in trials])
    found, *_ = np.linalg.lstsq(np.column_stack([shares, 1 - shares]), costs, rcond=None)
    return np.asarray(found, dtype=np.float64)


def _estimate(mean: float, variance: float, launches: int) -> Estimate:
    if launches == 1:
        return Estimate(float(mean))
    half = t_quantile(launches - 1, (1 + LEVEL) / 2) * sqrt(variance)
    return Estimate(float(mean), float(mean - half), float(mean + half))
