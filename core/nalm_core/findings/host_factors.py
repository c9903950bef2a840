# SPDX-License-Identifier: Apache-2.0
"""Which properties of a host move its measurements: analysis of variance over recorded runs.

The response is ln CPP as measured less the level of its commit, so what the code costs is not in it. Factors
of real hosts go together (a kernel came with a microcode), so each gets the mean of what it adds to R^2 over
all orders of adding them (LMG; Lindeman, Merenda & Gold, Introduction to Bivariate and Multivariate Analysis,
1980; Groemping, J. Stat. Software 17 (2006) 1), less what as many random columns would add.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

MIN_RUNS = 30
"""Fewer runs show no factor."""
LEAST_OF_VALUE = 5
"""Runs with a value of a property; rarer values are taken together."""
MOST_VALUES = 12
"""Values of a property that are told apart, the most frequent ones."""
ORDERS = 64
"""Random orders, and their reverses, over which shares are averaged."""
TOGETHER = 0.98
"""Two properties cannot be told apart if each explains this share of the other."""
FACTOR_ALPHA = 0.01
"""Chance that a property without an effect is called significant, over all properties (Holm 1979)."""
OTHER, UNKNOWN = "other", "unknown"
Fact = str | float | None


@dataclass(frozen=True)
class RecordedRun:
    """One run. group: runs whose mean may differ for other reasons, such as its scenario. response: ln CPP
    less its level. place: order in time. facts: by property; strings are categories, numbers quantities."""

    group: str
    response: float
    place: float
    facts: Mapping[str, Fact]


@dataclass(frozen=True)
class Effect:
    """Relative difference of runs with a value from those with the most frequent one, and its standard error.
    Of a quantity: of its 90th percentile from its 10th."""

    value: str
    runs: int
    change: float
    error: float


@dataclass(frozen=True)
class Factor:
    """share: of the variance. together: properties that cannot be told apart from it."""

    name: str
    share: float
    p_value: float
    significant: bool
    effects: list[Effect]
    together: list[str]


@dataclass(frozen=True)
class Factors:
    """spread: standard deviation of ln CPP between runs of equal code. explained: share of its variance by
    all factors. factors: the largest share first."""

    runs: int
    spread: float
    explained: float
    factors: list[Factor]


@dataclass(frozen=True)
class _Columns:
    name: str
    columns: Values
    labels: list[str]
    """Of the categories; empty for a quantity."""
    of: list[str]
    """The category of each run."""
    span: float
    """Of a quantity: from its 10th percentile to its 90th, in standard deviations."""
    shown: str


def factors(observations: Sequence[RecordedRun]) -> Factors:
    """Fewer than MIN_RUNS, or runs without any scatter, show no factor."""
    ordered = sorted(observations, key=lambda one: one.place)
    groups = [one.group for one in ordered]
    y = _within(np.array([[one.response] for one in ordered]).reshape(-1, 1), groups)[:, 0]
    spread = float(np.sqrt(y @ y / max(1, len(y) - len(set(groups))))) if len(y) else 0.0
    if len(ordered) < MIN_RUNS or spread == 0:
        return Factors(len(ordered), spread, 0.0, [])
    y = np.clip(y, *np.quantile(y, (0.005, 0.995)))  # a broken run decides nothing
    every = [one for name in _names(ordered) if (one := _columns(name, ordered, groups)) is not None]
    if not every:
        return Factors(len(ordered), spread, 0.0, [])
    shares, whole = _shares(y, every, _effective(y, groups))
    p_values = [_p_value(y, one.columns, _effective(y, groups)) for one in every]
    significant = _holm(p_values)
    found = [
        Factor(one.name, shares[n], p_values[n], significant[n], _effects(y, one), _together(one, every))
        for n, one in enumerate(every)
    ]
    return Factors(len(ordered), spread, whole, sorted(found, key=lambda one: -one.share))


def _names(ordered: Sequence[RecordedRun]) -> list[str]:
    return list(dict.fromkeys(name for one in ordered for name in one.facts))


def _columns(name: str, ordered: Sequence[RecordedRun], groups: list[str]) -> _Columns | None:
    """None: the property has one value, or is not known of enough runs."""
    facts = [one.facts.get(name) for one in ordered]
    known = [fact for fact in facts if fact is not None]
    if len(known) < MIN_RUNS:
        return None
    if all(isinstance(fact, (int, float)) and not isinstance(fact, bool) for fact in known):
        return _quantity(name, facts, groups)
    return _category(name, [UNKNOWN if fact is None else str(fact) for fact in facts], groups)


def _quantity(name: str, facts: Sequence[Any], groups: list[str]) -> _Columns | None:
    known = np.array([fact for fact in facts if fact is not None], np.float64)
    low, high = (float(one) for one in np.quantile(known, (0.1, 0.9)))
    scale = float(known.std())
    if scale == 0 or high == low:
        return None
    filled = np.array([known.mean() if fact is None else fact for fact in facts], np.float64)
    column = _within(((filled - known.mean()) / scale)[:, None], groups)
    if column.std() < 1e-9:
        return None
    return _Columns(name, column, [], [], (high - low) / scale, f"{_short(low)} to {_short(high)}")


def _category(name: str, of: list[str], groups: list[str]) -> _Columns | None:
    counts = Counter(of)
    kept = {value for value, runs in counts.most_common(MOST_VALUES) if runs >= LEAST_OF_VALUE}
    of = [value if value in kept else OTHER for value in of]
    labels = [value for value, _ in Counter(of).most_common()]
    if len(labels) < 2:
        return None
    columns = np.array([[float(value == label) for label in labels[1:]] for value in of])
    columns = _within(columns, groups)
    if not (columns.std(axis=0) > 1e-9).any():
        return None
    return _Columns(name, columns, labels, of, 0.0, "")


def _short(value: float) -> str:
    """Three digits, and all before the point."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _within(columns: Values, groups: list[str]) -> Values:
    """Less the mean of each group."""
    names, number = np.unique(groups, return_inverse=True)
    counts = np.bincount(number, minlength=len(names))
    out = np.array(columns, np.float64)
    for n in range(out.shape[1]):
        out[:, n] -= (np.bincount(number, out[:, n], len(names)) / counts)[number]
    return out


def _effective(y: Values, groups: list[str]) -> float:
    """Number of runs that would tell as much if they were independent: neighbours in time are alike."""
    if len(y) < 3:
        return float(len(y))
    rho = float(np.clip((y[1:] @ y[:-1]) / (y @ y), 0, 0.95))
    return max(len(y) * (1 - rho) / (1 + rho) - len(set(groups)), 3.0)


def _explained(y: Values, columns: Values) -> float:
    """R^2 of these columns."""
    if columns.shape[1] == 0:
        return 0.0
    fitted, *_ = np.linalg.lstsq(columns, y, rcond=1e-9)
    left = y - columns @ fitted
    return max(0.0, 1 - float(left @ left) / float(y @ y))


def _shares(y: Values, every: Sequence[_Columns], runs: float) -> tuple[list[float], float]:
    """(share of each, of all), less what random columns would explain."""
    gram, side, total, at = _products(y, every)
    rng = np.random.default_rng(1)
    added = np.zeros(len(every))
    orders = [rng.permutation(len(every)) for _ in range(ORDERS)]
    for order in [*orders, *(one[::-1] for one in orders)]:
        taken: list[int] = []
        before = 0.0
        for n in order:
            taken += at[n]
            fitted, *_ = np.linalg.lstsq(gram[np.ix_(taken, taken)], side[taken], rcond=1e-9)
            now = float(side[taken] @ fitted) / total
            added[n] += now - before
            before = now
    added /= 2 * ORDERS
    whole = float(added.sum())
    ranks = np.array([np.linalg.matrix_rank(one.columns, tol=1e-6) for one in every], np.float64)
    by_chance = ranks * (1 - min(whole, 1.0)) / max(1.0, runs - 1 - ranks.sum())
    shares = np.clip(added - by_chance, 0, 1)
    return [float(one) for one in shares], float(min(shares.sum(), 1.0))


def _products(y: Values, every: Sequence[_Columns]) -> tuple[Values, Values, float, list[list[int]]]:
    """(products of columns, of columns with y, of y, places of each property's columns)."""
    columns = np.concatenate([one.columns for one in every], axis=1)
    at: list[list[int]] = []
    start = 0
    for one in every:
        at.append(list(range(start, start + one.columns.shape[1])))
        start += one.columns.shape[1]
    return columns.T @ columns, columns.T @ y, float(y @ y), at


def _p_value(y: Values, columns: Values, runs: float) -> float:
    """Of the F test of one property alone."""
    from scipy.special import fdtrc

    rank = int(np.linalg.matrix_rank(columns, tol=1e-6))
    free = runs - 1 - rank
    explained = _explained(y, columns)
    if rank == 0 or free < 1 or explained >= 1:
        return 1.0 if explained < 1 else 0.0
    return float(fdtrc(rank, free, explained / rank / ((1 - explained) / free)))


def _holm(p_values: Sequence[float]) -> list[bool]:
    found = [False] * len(p_values)
    for turn, n in enumerate(np.argsort(p_values)):
        if p_values[n] > FACTOR_ALPHA / (len(p_values) - turn):
            break
        found[int(n)] = True
    return found


def _effects(y: Values, one: _Columns) -> list[Effect]:
    if not one.labels:
        column = one.columns[:, 0]
        slope = float(column @ y / (column @ column))
        left = y - slope * column
        error = float(np.sqrt((left @ left) / max(1, len(y) - 2) / (column @ column)))
        return [Effect(one.shown, len(y), float(np.expm1(slope * one.span)), error * one.span)]
    of = np.array(one.of)
    first = y[of == one.labels[0]]
    found = []
    for label in one.labels:
        own = y[of == label]
        error = np.sqrt(_mean_error(own) ** 2 + (_mean_error(first) ** 2 if label != one.labels[0] else 0))
        found.append(Effect(label, len(own), float(np.expm1(own.mean() - first.mean())), float(error)))
    return found


def _mean_error(own: Values) -> float:
    return float(own.std(ddof=1) / np.sqrt(len(own))) if len(own) > 1 else float("nan")


def _together(one: _Columns, every: Sequence[_Columns]) -> list[str]:
    """Other properties that change with this one, and with nothing else."""
    return [
        other.name
        for other in every
        if other is not one and _spans(one.columns, other.columns) and _spans(other.columns, one.columns)
    ]


def _spans(columns: Values, others: Values) -> bool:
    varying = [n for n in range(others.shape[1]) if others[:, n].std() > 1e-9]
    return bool(varying) and all(_explained(others[:, n], columns) >= TOGETHER for n in varying)
