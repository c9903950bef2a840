# SPDX-License-Identifier: Apache-2.0
"""Movements of a host by its control series: equal code measured beside each commit moves with the host."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import constants as c
from nalm_core.changepoints import covariance, robust
from nalm_core.changepoints.detect import detect

Values = NDArray[np.float64]


def movements(control: Values) -> Values:
    """The host's part of these logarithms: their steps, and the best linear estimate of the slow part of the
    remainder (Wiener)."""
    if len(control) < c.MIN_VALUES:
        return np.zeros(len(control))
    at = [one.index for one in detect([float(v) for v in np.exp(control)])]
    levels = np.concatenate([np.full(len(part), robust.median(part)) for part in np.split(control, at)])
    left = control - levels
    scale = robust.noise_scale(control)
    left = np.clip(left, -c.CONTROL_CLIP * scale, c.CONTROL_CLIP * scale)
    white, slow, decay = covariance.fitted(left)
    if slow > 0:
        from scipy.linalg import solve_toeplitz

        row = slow * np.exp(-np.arange(len(left)) / decay)
        noisy = row.copy()
        noisy[0] += white + covariance.RIDGE * slow
        weights = solve_toeplitz(noisy, left)
        levels = levels + left - (noisy[0] - row[0]) * weights
    return np.asarray(levels - robust.median(levels))
