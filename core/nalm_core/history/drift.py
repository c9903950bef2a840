# SPDX-License-Identifier: Apache-2.0
"""Errors of the mean of runs that follow each other and drift: independent of each other, or an AR(1).

How strongly each run follows the one before it, rho, is not known, and few runs hardly show it: the plain
estimate is too small by about (1 + 3 rho) / n (Kendall, Biometrika 41 (1954) 403), and so is the scatter.
Hence each rho of RHOS counts as much as the runs make it likely (restricted likelihood; Harville, Biometrika
61 (1974) 383), times 1 - rho: a run hardly knows those before it on most hosts. With one rho, the mean less
the truth has Student's law; the error here is that of the mixture of these laws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nalm_core.history.reduction import Floats
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.stats.quantiles import normal_quantile, t_mixture_quantile

RHOS = np.linspace(0.0, 0.95, 20)
FAR = 3.0
"""Robust standard deviations to which a run is drawn in: one that went wrong is no drift."""
ROBUST_FROM = 10
"""Runs of an environment that show a robust scale: that of fewer is often much too small by chance."""
MAD = 1.4826
OTHERS = 4.0
"""Degrees of freedom for which the noise of all groups counts at most, in that of a group with few runs."""
LEVEL = (1 + CONFIDENCE) / 2


@dataclass(frozen=True)
class Drift:
    """What runs show. weights: of each of RHOS. variances: of a run, with each. free: degrees of freedom of
    the variances."""

    weights: Floats
    variances: Floats
    free: float

    def error(self, runs: int) -> float:
        """Standard error of the mean of so many runs, by the normal quantile at CONFIDENCE."""
        half = t_mixture_quantile(self.free, np.sqrt(self.variances * _of_mean(runs)), self.weights, LEVEL)
        return half / normal_quantile(LEVEL)

    def beside(self, own: Floats) -> Drift:
        """Of few runs of one group, beside what all groups show: a group may have less noise than others, or
        more, so theirs counts for OTHERS degrees of freedom at most (Smyth, Stat. Appl. Genet. Mol. Biol. 3
        (2004), article 3)."""
        others = 1 / (1 / OTHERS + 1 / self.free)
        squares = _group(own - own[0])[0] / (1 - RHOS**2)
        free = others + len(own) - 1
        return Drift(self.weights, (others * self.variances + squares) / free, free)


def drift(groups: Sequence[Floats]) -> Drift | None:
    """By groups of runs, each in their order and with a mean of its own. None: no two runs of a group
    differ."""
    several = [_drawn_in(one) for one in groups if len(one) > 1]
    free = sum(len(one) - 1 for one in several)
    squares, logs = np.zeros(len(RHOS)), np.zeros(len(RHOS))
    for one in several:
        of_group, of_mean = _group(one - one[0])
        squares, logs = squares + of_group, logs + of_mean
    if not free or not (squares > 0).all():
        return None
    likely = logs - free / 2 * np.log(squares)
    weights = (1 - RHOS) * np.exp(likely - likely.max())
    return Drift(weights / weights.sum(), squares / free / (1 - RHOS**2), free)


def _drawn_in(own: Floats) -> Floats:
    if len(own) < ROBUST_FROM:
        return own
    middle = float(np.median(own))
    scale = MAD * float(np.median(np.abs(own - middle)))
    return np.clip(own, middle - FAR * scale, middle + FAR * scale) if scale > 0 else own


def _group(own: Floats) -> tuple[Floats, Floats]:
    """For each of RHOS: (sum of squared innovations about the likeliest mean, logarithm of the likelihood
    but for the scale)."""
    first = 1 - RHOS**2
    later = own[1:, None] - RHOS * own[:-1, None]
    ones = first + (len(own) - 1) * (1 - RHOS) ** 2
    with_ones = first * own[0] + (1 - RHOS) * later.sum(axis=0)
    squares = first * own[0] ** 2 + (later**2).sum(axis=0) - with_ones**2 / ones
    return squares, (np.log(first) - np.log(ones)) / 2


def _of_mean(runs: int) -> Floats:
    """Variance of the mean of so many runs, in that of one, with each of RHOS."""
    apart = np.arange(1, runs)
    return np.asarray((runs + 2 * (RHOS[:, None] ** apart) @ (runs - apart)) / runs**2)
