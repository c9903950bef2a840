# SPDX-License-Identifier: Apache-2.0
"""Bounds of a proportion, such as that of `0 of 200`.

Model: independent trials with one probability. The bounds are exact (Clopper and Pearson, Biometrika 26,
1934): they hold at least at the level for any number of trials, and are conservative for few.
"""

from __future__ import annotations

from nalm_core.stats.quantiles import beta_quantile


def upper_bound(hits: int, trials: int, level: float) -> float:
    """One-sided upper bound of the rate, 0..1; 1 without trials."""
    if not 0 <= hits <= trials:
        raise ValueError(f"{hits} of {trials}")
    if hits == trials:
        return 1.0
    return beta_quantile(hits + 1, trials - hits, level)


def lower_bound(hits: int, trials: int, level: float) -> float:
    """One-sided lower bound of the rate, 0..1; 0 without trials."""
    return 1.0 - upper_bound(trials - hits, trials, level) if trials else 0.0
