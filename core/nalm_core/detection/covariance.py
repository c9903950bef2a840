# SPDX-License-Identifier: Apache-2.0
"""The noise as independent noise plus a slow part (AR(1)), from a robust variogram."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, toeplitz

from nalm_core.detection.robust import LEAST_SCALE, MAD_TO_SD

Values = NDArray[np.float64]

LAGS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
DECAYS = (0.7, 1.4, 3.0, 6.0, 12.0, 25.0, 50.0, 100.0)
"""Correlation times tried, commits."""
CLIP = 2.5
CLIPPED_VARIANCE = 0.95
"""What clipping leaves of a normal variance."""
LEAST_SHARE = 1e-6
"""Of the largest difference: values that repeat at a lag (a, b, a, b) have none there."""
RIDGE = 1e-6


def variogram(x: Values) -> tuple[Values, Values]:
    """(lags, half the mean squared difference at each), differences clipped."""
    lags = [k for k in LAGS if k <= max(1, len(x) // 4)]
    found = []
    for k in lags:
        d = np.abs(x[k:] - x[:-k])
        spread = MAD_TO_SD * float(np.median(d)) or float(d.mean()) or 1e-12
        found.append(float(np.mean(np.minimum(d, CLIP * spread) ** 2)) / 2 / CLIPPED_VARIANCE)
    least = max(LEAST_SHARE * max(found), LEAST_SCALE**2)
    return np.array(lags, np.float64), np.maximum(found, least)


def fitted(x: Values) -> tuple[float, float, float]:
    """(variance of the independent part, of the slow part, its correlation time), by least squares."""
    lags, half_squares = variogram(x)
    weight = np.sqrt(len(x) / lags) / half_squares
    target = weight * half_squares
    best = (np.inf, 0.0, 0.0, DECAYS[0])
    for decay in DECAYS:
        columns = np.stack([weight, weight * (1 - np.exp(-lags / decay))], axis=1)
        white, slow = _not_negative(columns, target)
        error = float(((columns @ np.array([white, slow]) - target) ** 2).sum())
        if error < best[0] - 1e-9:
            best = (error, white, slow, decay)
    return best[1:]


def _not_negative(columns: Values, target: Values) -> tuple[float, float]:
    gram, side = columns.T @ columns, columns.T @ target
    determinant = gram[0, 0] * gram[1, 1] - gram[0, 1] ** 2
    if determinant > 1e-12 * gram[0, 0] * gram[1, 1]:
        white = (gram[1, 1] * side[0] - gram[0, 1] * side[1]) / determinant
        slow = (gram[0, 0] * side[1] - gram[0, 1] * side[0]) / determinant
        if white >= 0 and slow >= 0:
            return float(white), float(slow)
        if white < 0:
            return 0.0, float(max(0.0, side[1] / gram[1, 1]))
    return float(side[0] / gram[0, 0]), 0.0


def factor(white: float, slow: float, decay: float, size: int) -> Values:
    """Lower Cholesky factor of the covariance of `size` successive values; its leading blocks for fewer."""
    row = slow * np.exp(-np.arange(size) / decay)
    row[0] += white + RIDGE * (white + slow)
    return np.asarray(cholesky(toeplitz(row), lower=True, check_finite=False))
