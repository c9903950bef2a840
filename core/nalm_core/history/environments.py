# SPDX-License-Identifier: Apache-2.0
"""What hosts, kernels and compilers add to a figure, and the unit of a linked history.

A run's absolute value is the level of its commit plus the offset of its environment plus drift, in
logarithms. With the levels known from links, the difference shows the environment alone: its median over runs
is the offset, and its scatter the error, as of runs that follow each other and drift together (drift.py). Too
few runs show no scatter of their own: they have that of all runs within an environment.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from math import hypot

import numpy as np

from nalm_core.history import constants as c
from nalm_core.history.drift import ROBUST_FROM, Drift, drift
from nalm_core.history.reduction import Floats

MEDIAN_ERROR = 1.2533
"""Standard error of a median of normal values, in standard errors of their mean."""


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
    common = None if exact else drift(_by_environment(apart, environments))
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
    common = drift([*_by_environment(own, environments), *_by_environment(other, environments)])
    for environment in reversed(list(dict.fromkeys(environments))):
        here = np.array([one == environment for one in environments])
        ours, theirs = (one[here & np.isfinite(one)] for one in (own, other))
        if len(ours) and len(theirs):
            step = _step(0, theirs[: c.STEP_RUNS], ours[-c.STEP_RUNS :], common)
            return step.ln_ratio, step.error
    return None


def _by_environment(apart: Floats, environments: Sequence[Hashable]) -> list[Floats]:
    places: dict[Hashable, list[int]] = {}
    for place, environment in enumerate(environments):
        if np.isfinite(apart[place]):
            places.setdefault(environment, []).append(place)
    return [apart[own] for own in places.values()]


def _step(at: int, old: Floats, new: Floats, common: Drift | None) -> Step:
    errors = _error(old, common), _error(new, common)
    error = None if errors[0] is None or errors[1] is None else hypot(errors[0], errors[1])
    return Step(at, at - 1, float(np.median(new) - np.median(old)), error)


def _error(own: Floats, common: Drift | None) -> float | None:
    """Standard error of the median. Few runs, or equal ones, hardly show it by themselves."""
    shown = drift([own]) if len(own) >= ROBUST_FROM else None
    if shown is None and common is not None:
        shown = common.beside(own)
    return None if shown is None else (MEDIAN_ERROR if len(own) > 2 else 1.0) * shown.error(len(own))
