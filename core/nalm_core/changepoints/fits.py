# SPDX-License-Identifier: Apache-2.0
"""Fits levels and slopes to a history by generalised least squares, under all noises at once.

The first fit has all candidates. Removing a change is a rank-one update of the inverse (a sweep), so that a
path through many subsets costs little more than its first fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints.noises import BLOCK, noises

Values = NDArray[np.float64]
Move = tuple[int, int]
"""(first, last) value of a change: equal for a step; a drift rises from one to the other by equal parts."""

LEAST_SQUARES = 1e-200
"""Least sum of squares, so that histories without noise have a likelihood, too."""


@dataclass(frozen=True)
class Fit:
    """By noise: the inverse of the normal matrix, the coefficients (first level, then each change's size),
    the sum of squared whitened residuals, and the logarithm of the whitening's determinant."""

    inverse: Values
    sizes: Values
    squares: Values
    logs: Values
    length: int

    def log_likelihood(self) -> Values:
        """By noise, the greatest log likelihood over levels and variance, up to a constant."""
        return np.asarray(self.logs - self.length / 2 * np.log(self.squares / self.length))

    def spread(self) -> Values:
        """By noise, its standard deviation."""
        return np.sqrt(self.squares / self.length)

    def z(self) -> Values:
        """By noise and change: size over standard error."""
        free = max(1, self.length - self.sizes.shape[1])
        error = np.sqrt(self.squares[:, None] / free * np.diagonal(self.inverse, axis1=1, axis2=2))
        return np.asarray((self.sizes / error)[:, 1:])

    def without(self, change: int) -> Fit:
        """The fit without one change, given by its place."""
        i = change + 1
        column, size = self.inverse[:, :, i], self.sizes[:, i]
        pivot = column[:, i]
        left = np.flatnonzero(np.arange(self.sizes.shape[1]) != i)
        inverse = self.inverse - column[:, :, None] * (column / pivot[:, None])[:, None, :]
        sizes = self.sizes - column * (size / pivot)[:, None]
        squares = self.squares + size * size / pivot
        return Fit(inverse[:, left[:, None], left], sizes[:, left], squares, self.logs, self.length)


def fitted(x: Values, at: list[Move]) -> Fit:
    """Fits all these changes, in order. x: centred and scaled to its noise, to limit rounding errors."""
    known = noises()
    normal = np.zeros((len(known.logs), len(at) + 2, len(at) + 2))
    logs = np.zeros(len(known.logs))
    for start in range(0, len(x), BLOCK):
        part = x[start : start + BLOCK]
        rows = _whitened(part, [(first - start, last - start) for first, last in at])
        normal += rows @ rows.transpose(0, 2, 1)
        logs += known.logs[:, len(part)]
    inverse = np.asarray(np.linalg.inv(normal[:, :-1, :-1]), np.float64)
    side = normal[:, :-1, -1]
    sizes = (inverse @ side[:, :, None])[:, :, 0]
    squares = np.maximum(normal[:, -1, -1] - (sizes * side).sum(axis=1), LEAST_SQUARES)
    return Fit(inverse, sizes, squares, logs, len(x))


def _whitened(part: Values, at: list[Move]) -> Values:
    """By noise, whitened: the first level, each change from its place on, the values."""
    known, size = noises(), len(part)
    out = np.zeros((len(at) + 2, len(known.logs), size))
    out[0] = known.steps[0, :, :size]
    for row, (first, last) in enumerate(at, 1):
        if first == last < size:
            out[row] = known.steps[max(0, first), :, :size]
        elif first < size and first != last:
            out[row] = _slope(first, last, size)
    out[-1] = known.whiteners[:, :size, :size] @ part
    return out.transpose(1, 0, 2)


def _slope(first: int, last: int, size: int) -> Values:
    """By noise, a whitened slope: the mean of steps from `first` to `last`; those before the block are at its
    begin, those after it are not in it."""
    known = noises()
    before = max(0, min(last + 1, 0) - min(first, 0))
    total = before * known.steps[0, :, :size]
    if last >= 0:
        begin, end = max(first, 0), min(last, size - 1)
        total = total + known.sums[end, :, :size]
        if begin > 0:
            total = total - known.sums[begin - 1, :, :size]
    return np.asarray(total / (last - first + 1))
