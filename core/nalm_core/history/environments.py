# SPDX-License-Identifier: Apache-2.0
"""What hosts, kernels and compilers add to a figure, and the unit of a linked history.

A run's absolute value is the level of its commit plus the offset of its environment plus drift, in
logarithms. With the levels known from links, the difference shows the environment alone: its median over runs
is the offset, and its scatter the error, widened for runs that follow each other and drift together.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from nalm_core.history import constants as c
from nalm_core.history.reduction import Floats

MEDIAN_ERROR = 1.2533
"""Standard error of a median of normal values, in standard errors of their mean."""
MAD = 1.4826
MOST_CORRELATION = 0.9


@dataclass(frozen=True)
class Step:
    """From the run `at` on another environment measures: ln of its offset to the one before, and its
    error."""

    at: int
    before: int
    """The last run of the environment before."""
    ln_ratio: float
    error: float


def anchor(apart: Floats, environments: Sequence[Hashable]) -> float | None:
    """ln of the unit: levels plus it are absolute values, as the newest environment measures them.

    apart: ln of each run's value less its level, in order; NaN without a level. None: no run has a level.
    """
    known = np.flatnonzero(np.isfinite(apart))
    if not len(known):
        return None
    newest = environments[int(known[-1])]
    own = [place for place in known if environments[int(place)] == newest]
    return float(np.median(apart[own[-c.ANCHOR_RUNS :]]))


def steps(apart: Floats, environments: Sequence[Hashable]) -> list[Step]:
    """Where an environment measures for the first time, except the first of all. The environment before is
    that of the run before; the offsets of both come from their runs near it."""
    found = []
    seen: dict[Hashable, None] = {}
    for at, environment in enumerate(environments):
        if environment not in seen and seen:
            before = environments[at - 1]
            old = [n for n in range(at) if environments[n] == before and np.isfinite(apart[n])][
                -c.STEP_RUNS :
            ]
            new = [
                n for n in range(at, len(apart)) if environments[n] == environment and np.isfinite(apart[n])
            ][: c.STEP_RUNS]
            if old and new:
                found.append(_step(at, apart[old], apart[new]))
        seen[environment] = None
    return found


def between(own: Floats, other: Floats, environments: Sequence[Hashable]) -> tuple[float, float] | None:
    """(ln of the shift from the other part's scale to one's own, its error), from the newest environment that
    measured both parts; None without one. own, other: apart, by run, NaN for runs of no part."""
    for environment in reversed(list(dict.fromkeys(environments))):
        here = np.array([one == environment for one in environments])
        ours, theirs = (one[here & np.isfinite(one)] for one in (own, other))
        if len(ours) and len(theirs):
            step = _step(0, theirs[: c.STEP_RUNS], ours[-c.STEP_RUNS :])
            return step.ln_ratio, step.error
    return None


def _step(at: int, old: Floats, new: Floats) -> Step:
    error = sqrt(_error(old, new) ** 2 + _error(new, old) ** 2)
    return Step(at, at - 1, float(np.median(new) - np.median(old)), error)


def _error(own: Floats, other: Floats) -> float:
    """Standard error of the median; of few runs by the scatter of the other side, too."""
    left = np.concatenate([own - np.median(own), other - np.median(other)]) if len(own) < 4 else own
    scatter = MAD * float(np.median(np.abs(left - np.median(left))))
    return MEDIAN_ERROR * scatter * sqrt(_inflation(own) / len(own))


def _inflation(own: Floats) -> float:
    """Factor of the variance of a mean for values that follow an AR(1) process."""
    left = own - own.mean()
    whole = float(left @ left)
    if len(own) < 4 or whole <= 0:
        return 1.0
    rho = min(max(float(left[1:] @ left[:-1]) / whole, 0.0), MOST_CORRELATION)
    return (1 + rho) / (1 - rho)
