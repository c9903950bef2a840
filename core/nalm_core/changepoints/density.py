# SPDX-License-Identifier: Apache-2.0
"""The noise's density: first a normal one with wide tails, then the density of the residuals.

A learned density makes outliers, a second band and skew part of the noise instead of changes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

STEP = 0.125
HALF = 14.0
"""Standard deviations beyond which residuals cost the same."""
WIDE_SHARE = 0.04
WIDE_SCALE = 6.0
PRIOR_VALUES = 40.0
"""Weight of the first density against the residuals, in values."""
KERNEL = 0.35
"""Bandwidth, standard deviations."""
FIRST_CAP = 8.0
"""Highest cost of one value in nats while the density is unknown."""

_X = np.arange(-HALF, HALF + STEP / 2, STEP)
_PRIOR = (1 - WIDE_SHARE) * np.exp(-_X * _X / 2) / np.sqrt(2 * np.pi) + WIDE_SHARE / (
    np.pi * WIDE_SCALE * (1 + (_X / WIDE_SCALE) ** 2)
)
_kernel = np.exp(-0.5 * (np.arange(-24, 25) * STEP / KERNEL) ** 2)
_KERNEL = _kernel / _kernel.sum()


def _cost(density: Values) -> Values:
    cost = -np.log(density)
    return np.asarray(cost - cost.min())


FIRST_COST: Values = np.minimum(_cost(_PRIOR), FIRST_CAP)
"""Negative log likelihood by cell of the residual, least 0, nats."""


def cells(residuals: Values) -> NDArray[np.intp]:
    """The cell of each standardised residual."""
    return np.asarray(np.rint((np.clip(residuals, -HALF, HALF) + HALF) / STEP).astype(np.intp))


def counts(residuals: Values) -> Values:
    """The number of standardised residuals in each cell."""
    return np.bincount(cells(residuals), minlength=len(_X)).astype(np.float64)


def learned_from(counted: Values) -> Values:
    """Negative log likelihood by cell, from counts."""
    smooth = np.convolve(counted, _KERNEL, "same") / STEP
    return _cost((smooth + PRIOR_VALUES * _PRIOR) / (counted.sum() + PRIOR_VALUES))


def learned_cost(residuals: Values) -> Values:
    """Negative log likelihood by cell, from standardised residuals."""
    return learned_from(counts(residuals))
