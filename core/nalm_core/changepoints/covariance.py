# SPDX-License-Identifier: Apache-2.0
"""Fits noise as independent noise plus a slow part (AR(1)), from a robust variogram."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints.robust import LEAST_SCALE, MAD_TO_SD, median

Values = NDArray[np.float64]

LAGS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
DECAYS = np.array([0.7, 1.4, 3.0, 6.0, 12.0, 25.0, 50.0, 100.0])
"""Correlation times that are tried, in commits."""
CLIP = 2.5
CLIPPED_VARIANCE = 0.95
"""Share of a normal variance that remains after clipping."""
LEAST_SHARE = 1e-6
"""Least difference at a lag, as a share of the largest: repeating values (a, b, a, b) have none."""
RIDGE = 1e-6
BETTER = 1e-9
"""Share of the error by which a longer correlation time must fit better."""


def variogram(x: Values) -> tuple[Values, Values]:
    """(lags, half the mean squared difference at each), differences clipped."""
    lags = [k for k in LAGS if k <= max(1, len(x) // 4)]
    found = []
    for k in lags:
        d = np.abs(x[k:] - x[:-k])
        spread = MAD_TO_SD * median(d) or float(d.sum()) / len(d) or 1e-12
        np.minimum(d, CLIP * spread, out=d)
        found.append(float(d @ d) / len(d) / 2 / CLIPPED_VARIANCE)
    least = max(LEAST_SHARE * max(found), LEAST_SCALE**2)
    return np.array(lags, np.float64), np.maximum(found, least)


def fitted(x: Values) -> tuple[float, float, float]:
    """(variance of the independent part, of the slow part, its correlation time), by least squares with
    non-negative variances."""
    lags, half_squares = variogram(x)
    weight = np.sqrt(len(x) / lags) / half_squares
    target = weight * half_squares
    rise = weight * (1 - np.exp(-lags / DECAYS[:, None]))
    ww, wr, rr = weight @ weight, rise @ weight, (rise * rise).sum(axis=1)
    wt, rt = weight @ target, rise @ target
    determinant = ww * rr - wr * wr
    free = determinant > 1e-12 * ww * rr
    divisor = np.where(free, determinant, 1.0)
    white, slow = (rr * wt - wr * rt) / divisor, (ww * rt - wr * wt) / divisor
    only_slow = free & (white < 0)
    only_white = ~only_slow & ~(free & (slow >= 0))
    slow = np.where(only_slow, np.maximum(0, rt / rr), np.where(only_white, 0, slow))
    white = np.where(only_slow, 0, np.where(only_white, wt / ww, white))
    error = ((white[:, None] * weight + slow[:, None] * rise - target) ** 2).sum(axis=1)
    best = int(np.flatnonzero(error <= error.min() * (1 + BETTER))[0])
    return float(white[best]), float(slow[best]), float(DECAYS[best])
