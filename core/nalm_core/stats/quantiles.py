# SPDX-License-Identifier: Apache-2.0
"""Distribution functions and quantiles. The first call loads SciPy: commands and servers that judge
nothing do not wait for it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KEPT = 4096
"""Quantiles that are kept: plans and looks ask for the same ones thousands of times."""
BISECTIONS = 24
"""A quantile is found to 2^-24 of the range where it is."""


def normal_quantile(level: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(level))


def t_cdf(degrees: float, statistic: float) -> float:
    """Of Student's t-distribution."""
    from scipy.special import stdtr

    return float(stdtr(degrees, statistic))


@lru_cache(maxsize=KEPT)
def t_quantile(degrees: float, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, level))


def t_mixture_quantile(
    degrees: float, scales: NDArray[np.float64], weights: NDArray[np.float64], level: float
) -> float:
    """Of a mixture of Student's t-distributions, each times its scale. level: above 0.5."""
    from scipy.special import stdtr

    low, high = 0.0, float(scales.max())

    def below(value: float) -> bool:
        return float(weights @ stdtr(degrees, value / scales)) < level

    while below(high):
        low, high = high, 2 * high
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return high


@lru_cache(maxsize=KEPT)
def t_shift(degrees: float, level: float, quantile: float) -> float:
    """The noncentrality at which Student's t is below `quantile` with the probability `level`."""
    from scipy.special import nctdtrinc

    return float(nctdtrinc(degrees, level, quantile))


def chi_square_tail(degrees: float, statistic: float) -> float:
    """Probability of more than `statistic`."""
    from scipy.special import chdtrc

    return float(chdtrc(degrees, statistic))


def chi_square_quantile(degrees: float, upper: float) -> float:
    """What is exceeded with the probability `upper`."""
    from scipy.special import chdtri

    return float(chdtri(degrees, upper))


def beta_quantile(a: float, b: float, level: float) -> float:
    from scipy.special import betaincinv

    return float(betaincinv(a, b, level))


def f_tail(numerator: float, denominator: float, statistic: float) -> float:
    """Probability that F with these degrees of freedom exceeds `statistic`."""
    from scipy.special import fdtrc

    return float(fdtrc(numerator, denominator, statistic))
