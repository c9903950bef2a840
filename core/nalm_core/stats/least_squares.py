# SPDX-License-Identifier: Apache-2.0
"""A linear model of ratios, each with its own error.

The weight of a ratio is its number of launches, so the estimate is a fixed linear function of the ratios. Its
variance is the weighted sum of their variances, each estimated from its own launches, with Satterthwaite's
degrees of freedom (Biometrics Bulletin 2 (1946)). Estimated weights would make intervals too narrow with the
few launches of a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nalm_core.stats.quantiles import chi_square_tail, f_tail

Matrix = NDArray[np.float64]

SMALL = 1e-9
"""Singular values and entries of a null space below this are rounding errors."""


class NotEstimableError(ValueError):
    """The measured sets do not determine some terms; `places` are their columns."""

    def __init__(self, places: Sequence[int]) -> None:
        super().__init__(f"columns {list(places)} cannot be estimated separately")
        self.places = tuple(places)


@dataclass(frozen=True)
class Linear:
    """operator @ ratios = coefficients. covariance: of the coefficients; degrees: of each."""

    operator: Matrix
    coefficients: Matrix
    covariance: Matrix
    degrees: Matrix
    residuals: Matrix
    chi_squared: float
    free: int
    """Rows beyond the columns."""
    unsure: float
    """Sum over the rows of (share of chi_squared that is expected of the row)^2 / degrees of its error."""

    @property
    def lack_of_fit(self) -> float | None:
        """Probability of residuals as large under the model; None without degrees of freedom.

        With estimated errors, chi_squared over a factor is about F (Johansen, Biometrika 67 (1980) 85).
        """
        free, unsure = self.free, self.unsure
        if not free:
            return None
        if unsure == 0:
            return chi_square_tail(free, self.chi_squared)
        return f_tail(free, free * (free + 2) / (3 * unsure), self.chi_squared / self._factor)

    @property
    def excess(self) -> float:
        """Factor of the variances by which residuals are larger than their errors say, at least 1 (Birge,
        Phys. Rev. 40 (1932) 207)."""
        return max(1.0, self.chi_squared / self._factor) if self.free else 1.0

    @property
    def widened_degrees(self) -> Matrix:
        """Degrees of freedom of the coefficients' variances times `excess`, by Satterthwaite: what is added
        has those of the residuals, which may be few."""
        if not self.free:
            return self.degrees
        added = (self.excess - 1) ** 2 / self.free
        return np.asarray(self.excess**2 / (1 / self.degrees + added))

    @property
    def _factor(self) -> float:
        return self.free + 2 * self.unsure - 6 * self.unsure / (self.free + 2)


def operator(design: Matrix, weights: Matrix) -> Matrix:
    """Weighted least squares, columns x rows. Raises NotEstimableError."""
    require_estimable(design)
    scaled = design * np.sqrt(weights)[:, None]
    return np.asarray(np.linalg.pinv(scaled) * np.sqrt(weights)[None, :])


def require_estimable(design: Matrix) -> None:
    """Raises NotEstimableError naming the columns of which a combination is always 0."""
    columns = design.shape[1]
    _, values, directions = np.linalg.svd(design, full_matrices=True)
    rank = int((values > SMALL * max(1.0, float(values.max(initial=0.0)))).sum())
    if rank < columns:
        mixed = np.abs(directions[rank:]).max(axis=0) > SMALL
        raise NotEstimableError([int(place) for place in np.flatnonzero(mixed)])


def fit(design: Matrix, values: Matrix, errors: Matrix, degrees: Matrix, weights: Matrix) -> Linear:
    """values: with their standard errors and those errors' degrees of freedom. Raises NotEstimableError."""
    apply = operator(design, weights)
    coefficients = apply @ values
    covariance = (apply * errors**2) @ apply.T
    residuals = values - design @ coefficients
    # The fit shrinks residuals: each is compared with its own variance after the fit.
    remaining = np.eye(len(values)) - design @ apply
    spread = remaining @ np.diag(errors**2) @ remaining.T
    inverse = np.linalg.pinv(spread, rcond=SMALL)
    expected = errors**2 * np.diag(remaining.T @ inverse @ remaining)
    return Linear(
        apply,
        coefficients,
        covariance,
        _degrees(apply, errors, degrees),
        residuals,
        chi_squared=float(residuals @ inverse @ residuals),
        free=len(values) - design.shape[1],
        unsure=float((expected**2 / degrees).sum()),
    )


def _degrees(apply: Matrix, errors: Matrix, degrees: Matrix) -> Matrix:
    """Satterthwaite's degrees of freedom of each coefficient."""
    parts = (apply * errors) ** 2
    total, below = parts.sum(axis=1) ** 2, (parts**2 / degrees).sum(axis=1)
    found = np.divide(total, below, out=np.full(len(total), float(degrees.min())), where=below > 0)
    return np.asarray(np.maximum(found, 1.0))
