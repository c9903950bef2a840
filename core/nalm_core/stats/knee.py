# SPDX-License-Identifier: Apache-2.0
"""Where a figure leaves the level that it has at small loads.

Model, in logarithms of load and figure: a level, a straight ramp, another level, where the ramp may reach the
greatest load. All pairs of corners of a grid are fitted by least squares. The knee is the load at which the
fitted figure has left the first level by a given share.

Each launch has its own level, which is removed first. The interval is that of a residual bootstrap (Efron &
Tibshirani, An Introduction to the Bootstrap (1993), 9.4): deviations of trials from the mean of their load
are drawn with replacement and added to the fitted curve. The grid's step is added at both ends. Assumed:
deviations scatter alike at all loads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log1p, sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RANGE_ERRORS = 4.0
"""Standard errors by which means on one level may differ: the range of five in 97 of 100 cases."""
CORNERS = 129
"""Places of a corner, evenly spaced between the logarithms of the least and the greatest load."""
SEED = 1
TOGETHER = 32
"""Curves that are compared with all pairs of corners at a time, so that their scores stay in the processor's
cache."""


class Observation(NamedTuple):
    """A figure of one trial. Load and value are positive."""

    load: float
    value: float
    launch: int


class KneeRule(NamedTuple):
    """What counts as a knee."""

    change: float
    """Relative change from the first level at which the figure has left it."""
    confidence: float
    draws: int
    """Of the bootstrap."""
    least_loads: int


@dataclass(frozen=True, slots=True)
class KneeInterval:
    low: float
    high: float | None
    """None: beyond the greatest load."""


@dataclass(frozen=True, slots=True)
class Knee:
    """The knee of one curve."""

    load: float | None
    """None: there is none; `reason` says why."""
    interval: KneeInterval | None
    """None with a single launch, or without a knee."""
    level: float
    """The fitted figure at the least load."""
    end: float
    """The fitted figure at the greatest load."""
    reason: str | None
    step: float
    """Of the grid, in logarithms of loads."""
    drawn: Floats | None
    """Logarithms of the loads that the bootstrap found; infinite where a draw has no knee."""


@dataclass(frozen=True, slots=True)
class KneeShift:
    """Head's knee over base's."""

    ratio: float
    low: float | None
    high: float | None
    """None: unknown, or without a bound."""


def find_knee(seen: Sequence[Observation], rule: KneeRule) -> Knee | None:
    """The knee; None with fewer loads than the rule needs."""
    loads = np.unique([one.load for one in seen])
    if len(loads) < max(3, rule.least_loads):
        return None
    values, deviations = _without_launches(seen, loads)
    counts = np.array([sum(one.load == load for one in seen) for load in loads], dtype=float)
    curves = _Curves(np.log(loads), counts, log1p(rule.change))
    knees, fitted = curves.fit(values[None, :])
    drawn = _drawn(curves, fitted[0], deviations, counts, rule)
    found, reason = float(knees[0]), None
    if found == inf:
        reason = "it does not change with the load"
    elif found < curves.x[1] or not _is_level(values[curves.x < found], deviations, counts, rule):
        reason = "it changes from the least load on"
    return Knee(
        load=None if reason else exp(found),
        interval=None if reason or drawn is None else _interval(drawn, curves.step, rule.confidence),
        level=exp(fitted[0][0]),
        end=exp(fitted[0][-1]),
        reason=reason,
        step=curves.step,
        drawn=drawn,
    )


def knee_shift(base: Knee, head: Knee, rule: KneeRule) -> KneeShift | None:
    """How far the knee moved; None unless both curves have one."""
    if base.load is None or head.load is None:
        return None
    ratio = head.load / base.load
    if base.drawn is None or head.drawn is None:
        return KneeShift(ratio, None, None)
    with np.errstate(invalid="ignore"):
        moved = head.drawn - base.drawn
    moved = np.sort(np.where(np.isnan(moved), 0.0, moved))
    low, high = (float(moved[at]) for at in _ends(len(moved), rule.confidence))
    step = max(base.step, head.step)
    return KneeShift(ratio, *(exp(end) if abs(end) < inf else None for end in (low - step, high + step)))


def _without_launches(seen: Sequence[Observation], loads: Floats) -> tuple[Floats, Floats | None]:
    """Mean logarithm by load, and the trials' deviations from it; None with one trial a load.

    The deviations are scaled to the variance that the means and the launches' levels took from them.
    """
    y = np.log([one.value for one in seen])
    load = np.searchsorted(loads, [one.load for one in seen])
    names, launch = np.unique([one.launch for one in seen], return_inverse=True)
    level = np.array([(y - _means(y, load)[load])[launch == at].mean() for at in range(len(names))])
    y = y - level[launch]
    means = _means(y, load)
    free = len(y) - len(loads) - (len(names) - 1)
    return means, (y - means[load]) * sqrt(len(y) / free) if free > 0 else None


def _is_level(means: Floats, deviations: Floats | None, counts: Floats, rule: KneeRule) -> bool:
    """Whether the means below a knee differ by no more than the rule's change and their errors."""
    error = 0.0 if deviations is None else float(deviations.std()) / sqrt(float(counts.min()))
    return float(np.ptp(means)) <= log1p(rule.change) + RANGE_ERRORS * error


def _means(y: Floats, load: npt.NDArray[np.intp]) -> Floats:
    found: Floats = np.bincount(load, weights=y) / np.bincount(load)
    return found


class _Curves:
    """All pairs of corners for these loads."""

    def __init__(self, x: Floats, counts: Floats, change: float) -> None:
        self.x, self._weight, self._change = x, counts, change
        corners = np.linspace(x[0], x[-1], CORNERS)
        self.step = float(corners[1] - corners[0])
        first, second = np.triu_indices(CORNERS, 1)
        self._first, self._width = corners[first], corners[second] - corners[first]
        self._ramp = np.clip((x[None, :] - self._first[:, None]) / self._width[:, None], 0.0, 1.0)
        centred = self._ramp - (self._ramp @ counts / counts.sum())[:, None]
        self._size = np.sqrt((centred**2) @ counts)
        self._unit = centred * counts / self._size[:, None]

    def fit(self, values: Floats) -> tuple[Floats, Floats]:
        """Knee and fitted values of each row; an infinite knee where the curve stays on its level."""
        best, score = np.empty(len(values), dtype=np.intp), np.empty(len(values))
        for at in range(0, len(values), TOGETHER):
            scores = values[at : at + TOGETHER] @ self._unit.T
            of = np.argmax(scores**2, axis=1)
            best[at : at + TOGETHER], score[at : at + TOGETHER] = of, scores[np.arange(len(of)), of]
        rise = score / self._size[best]
        ramp = self._ramp[best]
        middle = (values - rise[:, None] * ramp) @ self._weight / self._weight.sum()
        fitted = middle[:, None] + rise[:, None] * ramp
        with np.errstate(divide="ignore"):
            part = np.where(np.abs(rise) > self._change, self._change / np.abs(rise), inf)
        return self._first[best] + part * self._width[best], fitted


def _drawn(
    curves: _Curves, fitted: Floats, deviations: Floats | None, counts: Floats, rule: KneeRule
) -> Floats | None:
    if deviations is None:
        return None
    random = np.random.default_rng(SEED)
    noise = [random.choice(deviations, (rule.draws, int(count))).mean(axis=1) for count in counts]
    return curves.fit(fitted + np.stack(noise, axis=1))[0]


def _interval(drawn: Floats, step: float, confidence: float) -> KneeInterval:
    ordered = np.sort(drawn)
    low, high = (float(ordered[at]) for at in _ends(len(ordered), confidence))
    return KneeInterval(exp(low - step), exp(high + step) if high < inf else None)


def _ends(draws: int, confidence: float) -> tuple[int, int]:
    """Places of an interval's ends among sorted draws."""
    out = int(draws * (1 - confidence) / 2)
    return out, draws - 1 - out
