# SPDX-License-Identifier: Apache-2.0
"""Scale, correlation and location, robust against a few changes, outliers or bands."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

MAD_TO_SD = 1.4826
HUBER = 1.5
LEAST_SCALE = 1e-7
"""Least relative noise of measured figures."""
CLIP = 2.5
"""Standard deviations at which differences are clipped."""
CORRELATION_FROM = 30
"""Least number of values for the estimate of a correlation."""
MOST_CORRELATION = 0.9
REPEATED = 0.4
"""Least share of different values where equal neighbours are one measurement, and no coarse clock."""
LOCAL_WIDTH = 31
LOCAL_FROM = 60
BESIDE = 40
"""Values on one side of a change whose noise counts for it ..."""
BESIDE_FROM = 12
"""... if there are so many ..."""
SCATTER_FROM = 3
SCATTERED = 2.0
"""Fewer values count by their scatter, from so many of them and so many times the scale of the whole on."""
NOISIER = 1.5
"""... and their scale is this many times that of the whole."""


def median(x: Values) -> float:
    """np.median for one dimension, faster for few values."""
    half = len(x) // 2
    if len(x) % 2:
        return float(np.partition(x, half)[half])
    parted = np.partition(x, (half - 1, half))
    return float(parted[half - 1]) / 2 + float(parted[half]) / 2  # a sum may be too large


def noise_scale(y: Values) -> float:
    """Standard deviation of one value from differences of neighbours, which changes of level do not
    affect."""
    d = np.abs(np.diff(y))
    if REPEATED * len(d) < np.count_nonzero(d) < len(d) and len(np.unique(y)) > REPEATED * len(y):
        d = d[d > 0]  # some values were taken over from the commit before
    scale = MAD_TO_SD * median(d) / np.sqrt(2)
    if scale == 0 and (d > 0).any():  # most neighbours are equal: figures rounded, or counted exactly
        moved = d[d > 0]
        scale = median(moved) * len(moved) / len(d)
    return float(max(scale, LEAST_SCALE))


def lag_one_correlation(y: Values) -> float:
    """Correlation of the noise, from differences at lags 1 and 2: for AR(1), V2 / V1 = 1 + rho. The part that
    independent values could have by chance is subtracted."""
    if len(y) < CORRELATION_FROM:
        return 0.0
    first, second = (_mean_square(np.abs(y[k:] - y[:-k])) for k in (1, 2))
    if first <= 0:
        return 0.0
    chance = 1.2 / np.sqrt(len(y))
    return float(np.clip(second / first - 1 - chance, 0, MOST_CORRELATION))


def _mean_square(d: Values) -> float:
    """Mean square, values clipped: less uncertain than the median's square, and hardly moved by outliers."""
    clipped = np.minimum(d, CLIP * MAD_TO_SD * median(d))
    return float(clipped @ clipped) / len(d)


def local_scale(y: Values, scale: float) -> Values:
    """The noise's scale around each value, since noise may vary; not far below the scale of the whole."""
    from scipy.ndimage import median_filter, uniform_filter1d

    if len(y) < LOCAL_FROM:
        return np.full(len(y), scale)
    d = np.abs(np.diff(y))
    d = np.minimum(np.concatenate([d[:1], d]), 6 * scale)
    around = median_filter(d, LOCAL_WIDTH, mode="nearest") * MAD_TO_SD / np.sqrt(2)
    smooth = uniform_filter1d(around, LOCAL_WIDTH, mode="nearest")
    return np.asarray(scale * np.clip(smooth / scale, 0.8, 4.0))


def scale_beside(before: Values, after: Values, scale: float) -> float:
    """The noise's scale on both sides of a change, each counting by its share in the error of the change's
    size; the scale of the whole unless it is much larger."""
    squares = weights = 0.0
    for part in (before[-BESIDE:], after[:BESIDE]):
        own = max(scale, noise_scale(part) if len(part) >= BESIDE_FROM else _scatter(part, scale))
        squares, weights = squares + own * own / len(part), weights + 1 / len(part)
    local = float(np.sqrt(squares / weights))
    return local if local > NOISIER * scale else scale


def _scatter(part: Values, scale: float) -> float:
    """The standard deviation of a few values, if noise of this scale hardly explains it."""
    if len(part) < SCATTER_FROM:
        return scale
    own = float(part.std(ddof=1))
    return own if own > SCATTERED * scale else scale


def location(x: Values, scale: float) -> float:
    """Huber's estimate, three steps from the median."""
    middle, far = median(x), HUBER * scale
    for _ in range(3):
        w = x - middle
        np.abs(w, out=w)
        np.maximum(w, far, out=w)
        np.divide(1, w, out=w)
        middle = float(w @ x) / float(np.add.reduce(w))
    return middle
