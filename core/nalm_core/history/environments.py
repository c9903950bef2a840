# SPDX-License-Identifier: Apache-2.0
"""What hosts, kernels and compilers add to a figure, and the unit of a linked history.

A run's absolute value is the level of its commit plus the offset of its environment plus drift, in
logarithms. With the levels known from links, the difference shows the environment alone: its median over runs
is the offset, and its scatter the error, widened for runs that follow each other and drift together. Too few
runs show no scatter of their own: they have that of all runs within an environment. Either is widened for its
uncertainty.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from nalm_core.history import constants as c
from nalm_core.history.reduction import Floats
from nalm_core.report.defaults import CONFIDENCE
from nalm_core.stats.quantiles import normal_quantile, t_quantile

MEDIAN_ERROR = 1.2533
"""Standard error of a median of normal values, in standard errors of their mean."""
MAD = 1.4826
MAD_EFFICIENCY = 0.37
"""A robust scale is as uncertain as a standard deviation of this share of its values."""
MOST_CORRELATION = 0.9
FEW_RUNS = 4
"""Fewer runs do not show how they follow each other."""
ROBUST_FROM = 10
"""Runs of an environment, and degrees of freedom over all, from which on their robust scale is used: that of
fewer is often much too small by chance."""


@dataclass(frozen=True)
class Step:
    """From the run `at` on another environment measures: ln of its offset to the one before, and its error;
    None: too few runs show one."""

    at: int
    before: int
    """The last run of the environment before."""
    ln_ratio: float
    error: float | None


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


def steps(apart: Floats, environments: Sequence[Hashable], *, exact: bool = False) -> list[Step]:
    """Where an environment measures for the first time, except the first of all. The environment before is
    that of the run before; the offsets of both come from their runs near it. exact: of counts that repeat,
    whose steps have no error."""
    found = []
    common = None if exact else _common(_by_environment(apart, environments))
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
                step = _step(at, apart[old], apart[new], common)
                found.append(replace(step, error=0.0) if exact else step)
        seen[environment] = None
    return found


def between(
    own: Floats, other: Floats, environments: Sequence[Hashable]
) -> tuple[float, float | None] | None:
    """(ln of the shift from the other part's scale to one's own, its error; None: too few runs show one),
    from the newest environment that measured both parts; None without one. own, other: apart, by run, NaN for
    runs of no part."""
    common = _common([*_by_environment(own, environments), *_by_environment(other, environments)])
    for environment in reversed(list(dict.fromkeys(environments))):
        here = np.array([one == environment for one in environments])
        ours, theirs = (one[here & np.isfinite(one)] for one in (own, other))
        if len(ours) and len(theirs):
            step = _step(0, theirs[: c.STEP_RUNS], ours[-c.STEP_RUNS :], common)
            return step.ln_ratio, step.error
    return None


@dataclass(frozen=True)
class _Common:
    """What runs of one environment have in common, over all environments. scatter: standard deviation of a
    run, widened for its degrees of freedom. inflation: as of `_inflation`."""

    scatter: float
    inflation: float


def _by_environment(apart: Floats, environments: Sequence[Hashable]) -> list[Floats]:
    places: dict[Hashable, list[int]] = {}
    for place, environment in enumerate(environments):
        if np.isfinite(apart[place]):
            places.setdefault(environment, []).append(place)
    return [apart[own] for own in places.values()]


def _common(groups: Sequence[Floats]) -> _Common | None:
    """None: no two runs of an environment differ."""
    several = [one for one in groups if len(one) > 1]
    free = sum(len(one) - 1 for one in several)
    if not free:
        return None
    scatter = sqrt(sum(float(np.sum((one - one.mean()) ** 2)) for one in several) / free)
    shown = free
    if free >= ROBUST_FROM:
        left = np.abs(np.concatenate([one - np.median(one) for one in several]))
        robust = MAD * float(np.median(left)) * sqrt(len(left) / free)
        scatter, shown = (robust, int(MAD_EFFICIENCY * free)) if robust > 0 else (scatter, free)
    if scatter == 0:
        return None
    return _Common(scatter * _widened(shown), _inflation(max(several, key=len)))


def _widened(free: int) -> float:
    """Factor of a standard deviation with so many degrees of freedom: of Student's interval to the normal."""
    level = (1 + CONFIDENCE) / 2
    return t_quantile(free, level) / normal_quantile(level)


def _step(at: int, old: Floats, new: Floats, common: _Common | None) -> Step:
    errors = _error(old, common), _error(new, common)
    error = None if errors[0] is None or errors[1] is None else sqrt(errors[0] ** 2 + errors[1] ** 2)
    return Step(at, at - 1, float(np.median(new) - np.median(old)), error)


def _error(own: Floats, common: _Common | None) -> float | None:
    """Standard error of the median. Of few runs, or of equal ones, from what environments have in common."""
    if len(own) >= ROBUST_FROM:
        free = len(own) - 1
        scatter = MAD * float(np.median(np.abs(own - np.median(own)))) * sqrt(len(own) / free)
        if scatter > 0:
            return MEDIAN_ERROR * scatter * _widened(free) * sqrt(_inflation(own) / len(own))
    if common is None:
        return None
    return (
        (MEDIAN_ERROR if len(own) > 2 else 1.0) * common.scatter * sqrt(min(common.inflation / len(own), 1.0))
    )


def _inflation(own: Floats) -> float:
    """Factor of the variance of a mean for values that follow an AR(1) process."""
    left = own - own.mean()
    whole = float(left @ left)
    if len(own) < FEW_RUNS or whole <= 0:
        return 1.0
    rho = min(max(float(left[1:] @ left[:-1]) / whole, 0.0), MOST_CORRELATION)
    return (1 + rho) / (1 - rho)
