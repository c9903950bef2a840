# SPDX-License-Identifier: Apache-2.0
"""Which properties of a host move its measurements: analysis of variance over recorded runs.

The response is ln CPP as measured less the level of its commit, so what the code costs is not in it. Factors
of real hosts go together (a kernel came with a microcode), so each gets the mean of what it adds to R^2 over
all orders of adding them (LMG; Lindeman, Merenda & Gold, Introduction to Bivariate and Multivariate Analysis,
1980; Groemping, J. Stat. Software 17 (2006) 1), less what as many random columns would add.

Runs of a host follow each other and drift together, so tests and sizes of effects are those of generalised
least squares (slow_noise.py), within groups.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nalm_core.findings.slow_noise import SMALL, fitted, less_means
from nalm_core.stats.discovery import familywise

Values = NDArray[np.float64]
Groups = NDArray[np.intp]
"""Number of the group of each run, from 0."""

MIN_RUNS = 30
"""Fewer runs show no factor."""
LEAST_OF_VALUE = 5
"""Runs with a value of a property; rarer values are taken together."""
MOST_VALUES = 12
"""Values of a property that are told apart, the most frequent ones."""
ORDERS = 64
"""Random orders, and their reverses, over which shares are averaged."""
HOST = "host"
"""The property that names the host: its runs follow each other."""
TOGETHER = 0.98
"""Two properties cannot be told apart if each explains this share of the other."""
FACTOR_ALPHA = 0.01
"""Chance that a property without an effect is called significant, over all properties (Holm 1979)."""
SMALL_SHARE = 1e-6
"""A column is told from the others if they leave all but this share of it."""
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
    """Relative difference of runs with a value from those with the most frequent one within groups, and its
    standard error. Of a quantity: of its 90th percentile from its 10th."""

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
class _FactorColumns:
    name: str
    columns: Values
    labels: list[str]
    """Of the categories, the one that most runs have beside others of their group first; empty for a
    quantity."""
    of: list[str]
    """The category of each run."""
    span: float
    """Of a quantity: from its 10th percentile to its 90th, in standard deviations."""
    shown: str


def factors(observations: Sequence[RecordedRun]) -> Factors:
    """Fewer than MIN_RUNS, or runs without any scatter, show no factor."""
    ordered = sorted(observations, key=lambda one: one.place)
    number = {group: n for n, group in enumerate(dict.fromkeys(one.group for one in ordered))}
    groups = np.array([number[one.group] for one in ordered], np.intp)
    y = _within(np.array([[one.response] for one in ordered]).reshape(-1, 1), groups)[:, 0]
    spread = float(np.sqrt(y @ y / max(1, len(y) - len(number)))) if len(y) else 0.0
    if len(ordered) < MIN_RUNS or spread == 0:
        return Factors(len(ordered), spread, 0.0, [])
    y = np.clip(y, *np.quantile(y, (0.005, 0.995)))  # a broken run decides nothing
    every = [one for name in _names(ordered) if (one := _columns(name, ordered, groups)) is not None]
    if not every:
        return Factors(len(ordered), spread, 0.0, [])
    fits = _fits(y, every, [one.facts.get(HOST) for one in ordered], groups)
    shares, whole = _shares(y, every, np.array([one.runs for one in fits]))
    significant = familywise([one.p_value for one in fits], FACTOR_ALPHA)
    found = [
        Factor(
            one.name,
            shares[n],
            fits[n].p_value,
            significant[n],
            _effects(fits[n], one),
            _together(one, every),
        )
        for n, one in enumerate(every)
    ]
    return Factors(len(ordered), spread, whole, sorted(found, key=lambda one: -one.share))


def _names(ordered: Sequence[RecordedRun]) -> list[str]:
    return list(dict.fromkeys(name for one in ordered for name in one.facts))


def _columns(name: str, ordered: Sequence[RecordedRun], groups: Groups) -> _FactorColumns | None:
    """None: the property has one value, or is not known of enough runs."""
    facts = [one.facts.get(name) for one in ordered]
    known = [fact for fact in facts if fact is not None]
    if len(known) < MIN_RUNS:
        return None
    if all(isinstance(fact, (int, float)) and not isinstance(fact, bool) for fact in known):
        return _quantity(name, facts, groups)
    return _category(name, [UNKNOWN if fact is None else str(fact) for fact in facts], groups)


def _quantity(name: str, facts: Sequence[Any], groups: Groups) -> _FactorColumns | None:
    known = np.array([fact for fact in facts if fact is not None], np.float64)
    low, high = (float(one) for one in np.quantile(known, (0.1, 0.9)))
    scale = float(known.std())
    if scale == 0 or high == low:
        return None
    filled = np.array([known.mean() if fact is None else fact for fact in facts], np.float64)
    column = _within(((filled - known.mean()) / scale)[:, None], groups)
    if column.std() < 1e-9:
        return None
    return _FactorColumns(name, column, [], [], (high - low) / scale, f"{_short(low)} to {_short(high)}")


def _category(name: str, of: list[str], groups: Groups) -> _FactorColumns | None:
    counts = Counter(of)
    kept = {value for value, runs in counts.most_common(MOST_VALUES) if runs >= LEAST_OF_VALUE}
    of = [value if value in kept else OTHER for value in of]
    runs = Counter(zip(groups.tolist(), of, strict=True))
    values = Counter(group for group, _ in runs)
    beside: Counter[str] = Counter()
    for (group, value), several in runs.items():
        beside[value] += several if values[group] > 1 else 0
    labels = sorted(dict.fromkeys(of), key=lambda value: -beside[value])
    if len(labels) < 2:
        return None
    place = {label: n for n, label in enumerate(labels)}
    columns = np.eye(len(labels))[[place[value] for value in of]]
    columns = _within(columns[:, 1:], groups)
    if not (columns.std(axis=0) > 1e-9).any():
        return None
    return _FactorColumns(name, columns, labels, of, 0.0, "")


def _short(value: float) -> str:
    """Three digits, and all before the point."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _within(columns: Values, groups: Groups) -> Values:
    """Less the mean of each group."""
    counts = np.bincount(groups)
    out = np.array(columns, np.float64)
    for n in range(out.shape[1]):
        out[:, n] -= (np.bincount(groups, out[:, n]) / counts)[groups]
    return out


@dataclass(frozen=True)
class _Fit:
    """One property alone. runs: number of independent runs that would tell as much. sizes, errors: of its
    columns; NaN where the runs do not show one."""

    runs: float
    p_value: float
    sizes: Values
    errors: Values


def _fits(y: Values, every: Sequence[_FactorColumns], hosts: Sequence[Fact], groups: Groups) -> list[_Fit]:
    """Of each property."""
    several = int(groups.max()) + 1
    noises = fitted(y, [one.columns for one in every], hosts, groups.tolist())
    white = less_means(noises, [np.column_stack([one.columns, y]) for one in every], groups)
    found = []
    for one, noise, left in zip(every, noises, white, strict=True):
        runs = max(noise.effective() - several, 3.0)
        found.append(_fit(left[:, -1], left[:, :-1], one.columns, len(y) - several, runs))
    return found


def _fit(y: Values, columns: Values, plain: Values, free: int, runs: float) -> _Fit:
    """y, columns: whitened, within groups. plain: the columns as they are. free: degrees of freedom of y."""
    from scipy.special import fdtrc

    scale = np.linalg.norm(plain, axis=0)
    varying = scale > SMALL * np.sqrt(len(y))
    sizes, errors = np.full(len(scale), np.nan), np.full(len(scale), np.nan)
    left, singular, right = np.linalg.svd(columns[:, varying] / scale[varying], full_matrices=False)
    kept = singular > SMALL * max(1.0, float(singular.max(initial=0.0)))
    rank = int(kept.sum())
    if rank == 0 or free <= rank:
        return _Fit(runs, 1.0, sizes, errors)
    left, singular, right = left[:, kept], singular[kept], right[kept]
    along = left.T @ y
    rest = max(float(y @ y) - float(along @ along), 0.0) / (free - rank)
    inverse = right.T / singular
    alone = np.abs((right**2).sum(axis=0) - 1) < SMALL_SHARE
    places = np.flatnonzero(varying)[alone]
    sizes[places] = ((inverse @ along) / scale[varying])[alone]
    errors[places] = (np.sqrt(rest * (inverse**2).sum(axis=1)) / scale[varying])[alone]
    independent = runs - 1 - rank
    if independent < 1:
        return _Fit(runs, 1.0, sizes, errors)
    ratio = float(along @ along) / rank / rest if rest > 0 else np.inf
    return _Fit(runs, float(fdtrc(rank, independent, ratio)), sizes, errors)


def _explained(y: Values, columns: Values) -> float:
    """R^2 of these columns."""
    if columns.shape[1] == 0:
        return 0.0
    fitted, *_ = np.linalg.lstsq(columns, y, rcond=1e-9)
    left = y - columns @ fitted
    return max(0.0, 1 - float(left @ left) / float(y @ y))


def _shares(y: Values, every: Sequence[_FactorColumns], runs: Values) -> tuple[list[float], float]:
    """(share of each, of all), less what random columns would explain. runs: as of each `_Fit`."""
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
    by_chance = ranks * (1 - min(whole, 1.0)) / np.maximum(1.0, runs - 1 - ranks.sum())
    shares = np.clip(added - by_chance, 0, 1)
    return [float(one) for one in shares], float(min(shares.sum(), 1.0))


def _products(y: Values, every: Sequence[_FactorColumns]) -> tuple[Values, Values, float, list[list[int]]]:
    """(products of columns, of columns with y, of y, places of each property's columns)."""
    columns = np.concatenate([one.columns for one in every], axis=1)
    at: list[list[int]] = []
    start = 0
    for one in every:
        at.append(list(range(start, start + one.columns.shape[1])))
        start += one.columns.shape[1]
    return columns.T @ columns, columns.T @ y, float(y @ y), at


def _effects(fit: _Fit, one: _FactorColumns) -> list[Effect]:
    """The first label first. Values that no group has beside it, or beside others that one has, are left
    out."""
    if not one.labels:
        size, error = float(fit.sizes[0]), float(fit.errors[0])
        if not np.isfinite(size):
            return []
        return [Effect(one.shown, len(one.columns), float(np.expm1(size * one.span)), error * one.span)]
    runs = Counter(one.of)
    found = [Effect(one.labels[0], runs[one.labels[0]], 0.0, 0.0)]
    for label, size, error in zip(one.labels[1:], fit.sizes, fit.errors, strict=True):
        if np.isfinite(size):
            found.append(Effect(label, runs[label], float(np.expm1(size)), float(error)))
    return found


def _together(one: _FactorColumns, every: Sequence[_FactorColumns]) -> list[str]:
    """Other properties that change with this one, and with nothing else."""
    return [
        other.name
        for other in every
        if other is not one and _spans(one.columns, other.columns) and _spans(other.columns, one.columns)
    ]


def _spans(columns: Values, others: Values) -> bool:
    varying = [n for n in range(others.shape[1]) if others[:, n].std() > 1e-9]
    return bool(varying) and all(_explained(others[:, n], columns) >= TOGETHER for n in varying)
