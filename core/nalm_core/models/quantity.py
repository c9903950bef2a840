# SPDX-License-Identifier: Apache-2.0
"""What models take and return: estimates with intervals, and inputs that a model cannot carry."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


class ModelInputError(ValueError):
    """An input that the model cannot carry. `name` is the input, the message says what is expected of it."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its interval; None on a side that the data do not bound."""

    value: float
    low: float | None = None
    high: float | None = None


def require_positive(name: str, value: float, unit: str = "") -> None:
    """Raises ModelInputError unless the value is finite and above 0."""
    if not (isfinite(value) and value > 0):
        expected = f"expected a number above 0{f' {unit}' if unit else ''}"
        raise ModelInputError(name, f"{expected}, not {value:g}")


def require_share(name: str, value: float) -> None:
    """Raises ModelInputError unless the value is in 0..1."""
    if not 0 <= value <= 1:
        raise ModelInputError(name, f"expected a share from 0 to 1, not {value:g}")


def ratio_estimate(
    top: Values, below: Values, parameters: Values, covariance: Values, quantile: float | None
) -> Estimate:
    """(top @ parameters) / (below @ parameters), with Fieller's interval (J. R. Stat. Soc. B 16 (1954)).

    top, below, parameters: shape (k,); covariance: (k, k). quantile: of t at the interval's level; None: no
    interval. The interval is exact for normal errors; it is unbounded if the denominator may be 0.
    """
    upper, lower = float(top @ parameters), float(below @ parameters)
    value = upper / lower
    if quantile is None:
        return Estimate(value)
    square = quantile**2
    a = lower**2 - square * float(below @ covariance @ below)
    b = upper * lower - square * float(top @ covariance @ below)
    c = upper**2 - square * float(top @ covariance @ top)
    inside = b * b - a * c
    if a <= 0:
        return Estimate(value)
    half = sqrt(max(inside, 0.0))
    return Estimate(value, (b - half) / a, (b + half) / a)
