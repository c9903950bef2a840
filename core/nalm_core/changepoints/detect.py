# SPDX-License-Identifier: Apache-2.0
"""Change points of histories.

    values -> log of a robust value per commit -> windows -> likeliest path of levels (twice: first with a
    normal density, then with that of the residuals) -> excursions out -> evidence against slow noise
    -> ramps -> positions

The window in whose middle a change lies reports it. So, once its window is full, the result for a commit
depends on the same values whether they arrived one by one or all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import bands, density, excursions, position, ramps, robust, states
from nalm_core.changepoints import constants as c
from nalm_core.changepoints.evidence import clipped, segments, select
from nalm_core.changepoints.path import Lane, changes, level_grid

Values = NDArray[np.float64]
Commit = float | Sequence[float] | None
"""One commit's value, or its samples; None: not measured."""

MOST_TEMPER = 2.0
"""Largest divisor of the evidence of correlated values in the search for candidates."""
MOST = 1e100
"""Values beyond it, or nearer to zero than its inverse, are not distinguished."""
MOST_UNITS = 1e6
"""The bound for histories with zeros or signs, in units of their usual size."""


@dataclass(frozen=True)
class ChangePoint:
    """index: first commit of the new level, likely between low and high; of a drift its middle, low its begin
    and high its end. size: relative change. probability: that the change is there, by its evidence."""

    index: int
    low: int
    high: int
    size: float
    probability: float


@dataclass(frozen=True)
class _Window:
    start: int
    keep_from: int
    keep_to: int
    y: Values
    scale: float


def detect(series: Sequence[Commit], since: int = 0) -> list[ChangePoint]:
    """Change points of one history. `since`: only those of windows with values from this index on; earlier
    results do not change."""
    return detect_many([series], since=since)[0]


def detect_many(histories: Sequence[Sequence[Commit]], since: int = 0) -> list[list[ChangePoint]]:
    """Change points of several independent histories, faster than one by one."""
    prepared = [_prepared(one) for one in histories]
    windows = [
        (n, window)
        for n, (y, index, _) in enumerate(prepared)
        for window in _windows(y, int(np.searchsorted(index, since)))
    ]
    candidates = _candidates([w for _, w in windows])
    found: list[list[ChangePoint]] = [[] for _ in histories]
    for (n, window), at in zip(windows, candidates, strict=True):
        _, index, in_logs = prepared[n]
        for one in _judged(window, at):
            if window.keep_from <= one.index + window.start < window.keep_to:
                found[n].append(_placed(one, window.start, index, in_logs))
    return [_without_twins(one) for one in found]


def _prepared(series: Sequence[Commit]) -> tuple[Values, NDArray[np.intp], bool]:
    """(values, their indices, whether they are logarithms), without missing ones."""
    values = _values(series)
    index = np.flatnonzero(np.isfinite(values))
    values = np.clip(values[index], -MOST, MOST)
    if len(values) and values.min() > 0:
        return np.log(np.maximum(values, 1 / MOST)), index, True
    sizes = np.abs(values[values != 0])
    unit = max(float(np.median(sizes)), 1 / MOST) if len(sizes) else 1.0
    return np.clip(values / unit, -MOST_UNITS, MOST_UNITS), index, False


def _values(series: Sequence[Commit]) -> Values:
    try:
        values = np.array(series, np.float64)
    except (TypeError, ValueError):
        values = np.empty((0, 0))
    return values if values.ndim == 1 else np.array([_value(one) for one in series], np.float64)


def _value(one: Commit) -> float:
    if one is None:
        return float("nan")
    if isinstance(one, (int, float)):
        return float(one)
    finite = [v for v in one if v is not None and np.isfinite(v)]
    return float(np.median(finite)) if finite else float("nan")


def _windows(y: Values, since: int) -> list[_Window]:
    """Windows with values from `since` on."""
    if len(y) < c.MIN_VALUES:
        return []
    starts = list(range(0, max(1, len(y) - c.WINDOW + c.HOP), c.HOP)) if len(y) > c.WINDOW else [0]
    margin = (c.WINDOW - c.HOP) // 2
    found = []
    for number, start in enumerate(starts):
        part = y[start : start + c.WINDOW]
        if start + len(part) <= since:
            continue
        first, last = number == 0, number == len(starts) - 1
        keep = (0 if first else start + margin, len(y) if last else start + margin + c.HOP)
        found.append(_Window(start, *keep, part, robust.noise_scale(part)))
    return found


def _candidates(windows: list[_Window]) -> list[list[int]]:
    lanes = []
    for window in windows:
        rho = robust.lag_one_correlation(window.y)
        scale = window.scale / np.sqrt(1 - rho)
        local = robust.local_scale(window.y, window.scale) * (scale / window.scale)
        temper = min((1 + rho) / (1 - rho), MOST_TEMPER)
        lanes.append(Lane(window.y, local, level_grid(window.y, scale), temper, density.FIRST_COST))
    first = changes(lanes, c.CHANGE_PENALTY)
    for lane, at in zip(lanes, first, strict=True):
        parts = [lane.y[a:b] - robust.median(lane.y[a:b]) for a, b in segments(at, len(lane.y))]
        lane.cost = density.learned_cost(np.concatenate(parts) / lane.scale)
    return changes(lanes, c.CHANGE_PENALTY)


def _judged(window: _Window, candidates: list[int]) -> list[ChangePoint]:
    scale = window.scale
    machine = states.without(window.y, candidates, scale)
    y, candidates = machine.y, machine.at
    at = bands.without(y, excursions.without(y, candidates, scale), scale)
    if not at:
        return []
    kept = select(y, at, scale)
    x = clipped(y, kept.at, scale)
    levels = [float(x[a:b].mean()) for a, b in segments(kept.at, len(x))]
    found = []
    for group in ramps.groups(x, kept.at, scale):
        i, j = kept.at.index(group[0]), kept.at.index(group[-1])
        bounds = [0, *kept.at, len(x)]
        if len(group) == 1:
            index, low, high = position.placed(x, (bounds[i], group[0], bounds[i + 2]), scale)
        else:
            index, low, high = (group[0] + group[-1]) // 2, group[0], group[-1]
        probability = _probability(min(max(kept.nats[i : j + 1]), _most_nats(bounds, i, j)))
        found.append(ChangePoint(index, low, high, levels[j + 1] - levels[i], probability))
    return found


def _most_nats(bounds: list[int], first: int, last: int) -> float:
    """Most evidence for changes beside the history's first or last level, whose other end is unseen: each of
    its values may be an outlier. bounds: of all levels."""
    begun = bounds[first + 1] if first == 0 else np.inf
    left = bounds[-1] - bounds[last + 1] if last + 3 == len(bounds) else np.inf
    return c.OUTLIER_NATS * float(min(begun, left))


def _probability(nats: float) -> float:
    """Probability by the posterior odds: the likelihood ratio less the least gain of a candidate."""
    return 1 / (1 + exp(-min(nats - c.CHANGE_PENALTY + 2, 50)))


def _placed(one: ChangePoint, start: int, index: NDArray[np.intp], in_logs: bool) -> ChangePoint:
    at, low, high = (int(index[k + start]) for k in (one.index, one.low, one.high))
    return ChangePoint(at, low, high, expm1(one.size) if in_logs else one.size, one.probability)


def _without_twins(found: list[ChangePoint]) -> list[ChangePoint]:
    """Removes duplicates: two windows may see one change on either side of their border."""
    out: list[ChangePoint] = []
    for one in sorted(found, key=lambda change: change.index):
        twin = out and (one.index - out[-1].index <= 3 or one.low <= out[-1].index)
        if twin and (one.size > 0) == (out[-1].size > 0):
            out[-1] = max(out[-1], one, key=lambda change: change.probability)
        else:
            out.append(one)
    return out
