# SPDX-License-Identifier: Apache-2.0
"""Spearman's rank correlation (Spearman 1904)."""

from __future__ import annotations

from collections.abc import Sequence

LEAST_PAIRS = 4
"""With three pairs, one order in six is a perfect one."""


def rank_correlation(x: Sequence[float], y: Sequence[float]) -> float | None:
    """From -1, where y falls whenever x rises, to 1; equal values share the mean of their ranks.

    None with fewer than LEAST_PAIRS pairs, or if all values of one side are equal.
    """
    if len(x) < LEAST_PAIRS or len(set(x)) == 1 or len(set(y)) == 1:
        return None
    from scipy.stats import spearmanr  # its import takes half a second

    return float(spearmanr(x, y).statistic)
