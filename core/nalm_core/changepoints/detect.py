# SPDX-License-Identifier: Apache-2.0
"""Change points of histories.

    values -> log of a robust value per commit -> windows -> likeliest path of levels (twice: first with a
    normal density, then with that of the residuals) -> excursions out -> evidence against slow noise
    -> positions -> certainty

The window in whose middle a change lies reports it. So, once its window is full, the result for a commit
depends on the same values whether they arrived one by one or all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import expm1
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import bands, density, excursions, position, ramps, robust, states
from nalm_core.changepoints import constants as c
from nalm_core.changepoints.certainty import Evidence, certainties
from nalm_core.changepoints.evidence import Kept, clipped, segments, select
from nalm_core.changepoints.path import Lane, changes, level_grid
from nalm_core.changepoints.results import ChangePoint, Detection, Kind, Visit

Values = NDArray[np.float64]
Commit = float | Sequence[float] | None
"""One commit's value, or its samples; None: not measured."""

MOST_TEMPER = 2.0
"""Largest divisor of the evidence of correlated values in the search for candidates."""
LEAST_UNIT = 1e-300
"""Least usual size of a history with zeros or signs, so that the bound in units of it is a number."""
NEWEST = 6
"""Newest values among which a change is looked for, whatever the path of levels is ..."""
NEWEST_Z = 4.0
"""... if it is so many standard errors."""
MOST_UNITS = 1e6
"""The bound for histories with zeros or signs, in units of their usual size."""
MOST_LN = 700.0
"""Largest logarithm of a ratio that is a number. Values of floating point are up to 1454 apart."""


@dataclass(frozen=True)
class _Paths:
    """First values of new levels along the likeliest path: with a normal density, and with a learned one, to
    which a short level that was there before is noise."""

    normal: list[int]
    learned: list[int]


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
    return [one.changes for one in detections(histories, since)]


def detections(histories: Sequence[Sequence[Commit]], since: int = 0) -> list[Detection]:
    """Changes, suspicions and states of the machine in several independent histories."""
    prepared = [_prepared(one) for one in histories]
    windows = [
        (n, window)
        for n, (y, index, _) in enumerate(prepared)
        for window in _windows(y, int(np.searchsorted(index, since)))
    ]
    paths = _candidates([w for _, w in windows])
    points: list[list[ChangePoint]] = [[] for _ in histories]
    visits: list[list[Visit]] = [[] for _ in histories]
    for (n, window), path in zip(windows, paths, strict=True):
        _, index, unit = prepared[n]
        found, machine = _judged(window, path)
        points[n] += [
            _placed(one, before, window.start, index, unit)
            for one, before in found
            if window.keep_from <= one.index + window.start < window.keep_to
        ]
        visits[n] += [
            _visit(one, machine.y, window.start, index, unit)
            for one in machine.visits
            if window.keep_from <= one.first + window.start < window.keep_to
        ]
    return [_detection(_without_twins(p), v) for p, v in zip(points, visits, strict=True)]


def _detection(points: list[ChangePoint], visits: list[Visit]) -> Detection:
    changes = [one for one in points if one.probability >= c.SUSPECTED]
    return Detection(changes, [one for one in points if one.probability < c.SUSPECTED], visits)


def _visit(
    one: states.Visit, around: Values, start: int, index: NDArray[np.intp], unit: float | None
) -> Visit:
    """around: the values of the window, moved back to the level around each visit."""
    first, last = int(index[one.first + start]), int(index[one.end - 1 + start])
    size, relative = _size(one.offset, robust.median(around[one.first : one.end]), unit)
    return Visit(first, last, size, one.open, relative)


def _size(change: float, before: float, unit: float | None) -> tuple[float, bool]:
    """(size, whether it is relative to the level before) of a change of prepared values. unit: as of
    `_prepared`. Between levels above 0 a size is relative, otherwise it has the unit of the values."""
    if unit is None:
        return relative_size(change), True
    if before > 0 and before + change > 0:
        return change / before, True
    return float(np.clip(change * unit, -float_info.max, float_info.max)), False


def relative_size(ln_ratio: float) -> float:
    """after / before - 1, a number whatever the two are."""
    return expm1(min(ln_ratio, MOST_LN))


def candidates(y: Values) -> list[int]:
    """First indices of new levels along the likeliest path: more than there are changes. y: finite."""
    return _candidates([_Window(0, 0, len(y), y, robust.noise_scale(y))])[0].learned


def _prepared(series: Sequence[Commit]) -> tuple[Values, NDArray[np.intp], float | None]:
    """(values, their indices, their unit; None: they are logarithms), without missing ones."""
    values = by_commit(series)
    index = np.flatnonzero(np.isfinite(values))
    values = values[index]
    if len(values) and values.min() > 0:
        return np.log(values), index, None
    sizes = np.abs(values[values != 0])
    unit = max(robust.median(sizes), LEAST_UNIT) if len(sizes) else 1.0
    bound = min(MOST_UNITS * unit, float_info.max)
    return np.clip(values, -bound, bound) / unit, index, unit


def by_commit(series: Sequence[Commit]) -> Values:
    """One value for each commit, the median of its samples; NaN if it has none that is finite."""
    try:
        values = np.array(series, np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.empty((0, 0))
    return values if values.ndim == 1 else np.array([_value(one) for one in series], np.float64)


def _value(one: Commit) -> float:
    samples = [one] if one is None or isinstance(one, (int, float)) else one
    finite = [v for v in map(_number, samples) if np.isfinite(v)]
    return float(np.median(finite)) if finite else float("nan")


def _number(value: float | None) -> float:
    """NaN if it is missing or too large for floating point."""
    try:
        return float("nan") if value is None else float(value)
    except OverflowError:
        return float("nan")


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


def _candidates(windows: list[_Window]) -> list[_Paths]:
    lanes = []
    for window in windows:
        rho = robust.lag_one_correlation(window.y)
        scale = window.scale / np.sqrt(1 - rho)
        local = robust.local_scale(window.y, window.scale) * (scale / window.scale)
        temper = min((1 + rho) / (1 - rho), MOST_TEMPER)
        lanes.append(Lane(window.y, local, level_grid(window.y, scale), temper, density.FIRST_COST))
    first = changes(lanes, c.STATE_PENALTY)
    for lane, at in zip(lanes, first, strict=True):
        parts = [lane.y[a:b] - robust.median(lane.y[a:b]) for a, b in segments(at, len(lane.y))]
        lane.cost = density.learned_cost(np.concatenate(parts) / lane.scale)
    return [_Paths(*one) for one in zip(first, changes(lanes, c.CHANGE_PENALTY), strict=True)]


def _judged(window: _Window, path: _Paths) -> tuple[list[tuple[ChangePoint, float]], states.Machine]:
    """((change, level before it), the window's values without recurring states), by these values."""
    scale = window.scale
    machine = states.without(window.y, _with_newest(window.y, path.normal, scale), scale)
    inside = {k for one in machine.visits for k in range(one.first, one.end + 1)}
    steps = {one.step for one in machine.visits if one.step is not None}
    left = sorted(steps | (set(path.learned) - inside))
    machine = states.without(machine.y, left, scale, machine.visits)
    y = machine.y
    at = bands.without(y, excursions.without(y, _with_newest(y, machine.at, scale), scale), scale)
    if not at:
        return [], machine
    x = clipped(y, at, scale)
    kept = _kept(x / scale, at)
    seen: list[Evidence] = []
    placed: list[tuple[tuple[int, int, int, Kind], float]] = []
    begins, ends = [first for first, _ in kept.at] + [len(x)], [0] + [last for _, last in kept.at]
    for number, (first, last) in enumerate(kept.at):
        start, end = ends[number], begins[number + 1]
        if first == last:
            index, low, high = position.placed(x, (start, first, end), scale)
            size = float(x[first:end].mean() - x[start:first].mean())
        else:
            index, low, high = (first + last) // 2, first, last
            size = kept.sizes[number] * scale
        local = robust.scale_beside(y[start:first], y[last:end], scale)
        nats = kept.nats[number] * (scale / local) ** 2
        if local > scale and (nats < c.MIN_Z**2 / 2 or abs(size) < c.MIN_EFFECT * local):
            continue
        kind: Kind = "step" if first == last else "drift"
        placed.append(((index, low, high, kind), float(x[start:first].mean())))
        move = (index, index) if first == last else (first, last)
        seen.append(Evidence(move, max(1, min(end - last, first - start)), size / scale, nats))
    levels = list(zip(ends, begins, strict=True))
    certain = certainties(x / scale, levels, seen, machine.visits)
    found = [
        (ChangePoint(*place[:3], one.size * scale, sure.probability, sure.p_value, place[3]), before)
        for (place, before), one, sure in zip(placed, seen, certain, strict=True)
    ]
    return found, machine


def _with_newest(y: Values, at: list[int], scale: float) -> list[int]:
    """The candidates, with the likeliest change among the newest values: a path of levels takes a few values
    at its end for outliers longer than need be."""
    start = at[-1] if at else 0
    most = min(NEWEST, (len(y) - start) // 2)
    found = [(_newest_z(y[start:], k, scale), k) for k in range(2, most + 1)]
    z, k = max(found, default=(0.0, 0))
    return [*at, len(y) - k] if z >= NEWEST_Z else at


def _newest_z(y: Values, k: int, scale: float) -> float:
    before, after = y[:-k], y[-k:]
    apart = float(after.mean()) - robust.location(before, scale)
    return float(abs(apart) / (scale * np.sqrt(1 / k + 1 / len(before))))


def _kept(x: Values, at: list[int]) -> Kept:
    """What explains the history best: only steps, or drifts beside steps. Steps that are left, and that a
    slope explains as well, are drifts, too."""
    moves = ramps.joined(x, at, 1.0)
    with_drifts = select(x, moves)
    if all(first == last for first, last in moves):
        return with_drifts
    only_steps = select(x, [(one, one) for one in at])
    if with_drifts.score >= only_steps.score + c.DRIFT_NATS:
        return with_drifts
    again = ramps.joined(x, [first for first, _ in only_steps.at], 1.0)
    return only_steps if again == only_steps.at else select(x, again)


def _placed(
    one: ChangePoint, before: float, start: int, index: NDArray[np.intp], unit: float | None
) -> ChangePoint:
    """before: the level before the change."""
    at, high = int(index[one.index + start]), int(index[one.high + start])
    low = (
        int(index[one.low + start - 1]) + 1 if one.low + start > 0 else 0
    )  # commits between were not measured
    size, relative = _size(one.size, before, unit)
    return replace(one, index=at, low=low, high=high, size=size, relative=relative)


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
