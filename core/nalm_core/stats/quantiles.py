# SPDX-License-Identifier: Apache-2.0
"""Distribution functions and quantiles. The first call loads SciPy: commands and servers that judge
nothing do not wait for it."""

from __future__ import annotations

from functools import lru_cache

KEPT = 4096
"""Quantiles that are kept: plans and looks ask for the same ones thousands of times."""


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
