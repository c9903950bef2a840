# SPDX-License-Identifier: Apache-2.0
"""Noise of runs that follow each other on a host: independent parts, and one that fades slowly, an AR(1).

Each host has its own: a quiet one does not hide another's drift. The slow part is one of each group, or
common to all groups of a host; the likelier one counts. Its share and its memory have the largest restricted
likelihood (Patterson & Thompson, Biometrika 58 (1971)), so that means and effects that are estimated from the
same runs do not hide it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Places = NDArray[np.intp]

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
MEMORIES = (0.5, 0.8, 0.9, 0.96, 0.99)
"""Shares of the variance and correlations from run to run among which the slow part is chosen."""
CANDIDATES = ((0.0, 0.0), *((share, memory) for memory in MEMORIES for share in SHARES))
MOST_RUNS = 1500
"""Newest runs from which the noise is estimated."""
LEAST_RUNS = 40
"""Hosts with fewer runs have one noise together."""
LEAST_DEVIATION = 0.01
"""Least standard deviation of a host's runs, in those of all: runs that repeat exactly count for no more."""
SMALL = 1e-7
"""Singular values below this share of the largest are rounding errors."""
MOST_MEANS = 0.5
"""Largest number of means and effects that are estimated beside the noise, for each run."""
LEAST_EFFECTIVE = 3.0
ROUNDING = 1e-16
"""Share of a sum of squares that is a rounding error."""


@dataclass(frozen=True)
class Noise:
    """lanes: places of runs that follow each other, by time. share: of the slow part. memory: its correlation
    from one run to the next. deviation: of a run, standard."""

    lanes: Sequence[Places]
    share: float
    memory: float
    deviation: float = 1.0

    def whitened(self, columns: Values) -> Values:
        """The columns as they would be with independent noise of variance 1: each run less what those before
        it in its lane predict. columns: (runs, columns)."""
        order = np.concatenate(self.lanes)
        out = np.empty_like(columns)
        out[order] = _Columns(columns[order], self.lanes).whitened(self) / self.deviation
        return out

    def gains(self, length: int) -> tuple[Values, Values]:
        """(gain, variance of a run given those before it) by place within a lane: a Kalman filter's."""
        return _gains(self.share, self.memory, length)

    def effective(self) -> float:
        """Number of independent runs that would tell as much about a mean."""
        lengths = [len(one) for one in self.lanes]
        apart = np.arange(1, max(lengths, default=1))
        alike = self.share * self.memory**apart
        sums = [one + 2 * float((one - apart[: one - 1]) @ alike[: one - 1]) for one in lengths]
        return max(sum(lengths) ** 2 / sum(sums), LEAST_EFFECTIVE) if lengths else 0.0


@dataclass(frozen=True)
class HostNoises:
    """(places of runs, their noise), of each host, and of all with few runs."""

    of: Sequence[tuple[Places, Noise]]

    def whitened(self, columns: Values) -> Values:
        """As of a `Noise`."""
        out = np.empty_like(columns)
        for places, noise in self.of:
            out[places] = noise.whitened(columns[places])
        return out

    def effective(self) -> float:
        """As of a `Noise`."""
        return sum(noise.effective() for _, noise in self.of)


def fitted(
    y: Values, effects: Sequence[Values], hosts: Sequence[Hashable], groups: Sequence[Hashable]
) -> list[HostNoises]:
    """The likeliest noise of runs in order of time, beside each effect alone. effects: (runs, columns) of
    what y may have beside the mean of each host and group."""
    by_host = _lanes(hosts)
    few = [one for one in by_host if len(one) < LEAST_RUNS]
    parts = [one for one in by_host if len(one) >= LEAST_RUNS]
    if few:
        parts.append(np.sort(np.concatenate(few)))
    least = LEAST_DEVIATION * float(y.std())
    found: list[list[tuple[Places, Noise]]] = [[] for _ in effects]
    for places in parts:
        own = [hosts[n] for n in places], [groups[n] for n in places]
        noises = _likeliest(y[places], [one[places] for one in effects], *own)
        for one, noise in zip(found, noises, strict=True):
            one.append((places, replace(noise, deviation=max(noise.deviation, least))))
    return [HostNoises(one) for one in found]


def _likeliest(
    y: Values, effects: Sequence[Values], hosts: Sequence[Hashable], groups: Sequence[Hashable]
) -> list[Noise]:
    """Beside each effect."""
    own = _lanes(list(zip(hosts, groups, strict=True)))
    newest = max(0, len(y) - MOST_RUNS)
    means = _means([one[one >= newest] - newest for one in own], len(y) - newest)
    if means.shape[1] > MOST_MEANS * len(means):
        means = _means(_lanes(groups[newest:]), len(means))
    bases = [_basis(one[newest:], means) for one in effects]
    recent = y[newest:] - means @ (means.T @ y[newest:])
    beside = np.column_stack([*bases, recent])
    ends = np.cumsum([one.shape[1] for one in bases])
    places = [np.arange(end - one.shape[1], end) for one, end in zip(bases, ends, strict=True)]
    best = [-np.inf] * len(effects)
    found = [Noise(own, 0.0, 0.0, float(y.std()))] * len(effects)
    for lanes in (own, _lanes(hosts)):
        near = [one[one >= newest] - newest for one in lanes]
        order = np.concatenate(near)
        within, columns = _Means(means[order], near), _Columns(beside[order], near)
        noises = [Noise(near, share, memory) for share, memory in CANDIDATES]
        for n, (likely, deviations) in enumerate(_likelihoods(within, columns, places, noises)):
            at = int(np.argmax(likely))
            if likely[at] > best[n]:
                best[n] = float(likely[at])
                found[n] = replace(noises[at], lanes=lanes, deviation=float(deviations[at]))
        if len(lanes) == len(set(hosts)):
            break
    return found


def _lanes(names: Sequence[Hashable]) -> list[Places]:
    places: dict[Hashable, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    return [np.array(one, np.intp) for one in places.values()]


def _means(lanes: Sequence[Places], runs: int) -> Values:
    """Orthonormal columns of the mean of each lane that has runs."""
    filled = [one for one in lanes if len(one)]
    found = np.zeros((runs, len(filled)))
    for n, one in enumerate(filled):
        found[one, n] = 1 / np.sqrt(len(one))
    return found


def _basis(columns: Values, means: Values) -> Values:
    """Orthonormal columns of an effect, without the means. Empty for too many: they leave no noise."""
    left, sizes, _ = np.linalg.svd(columns - means @ (means.T @ columns), full_matrices=False)
    found = left[:, sizes > SMALL * max(1.0, float(sizes.max(initial=0.0)))]
    return np.asarray(found if found.shape[1] + means.shape[1] <= MOST_MEANS * len(means) else found[:, :0])


@lru_cache(maxsize=128)
def _gains(share: float, memory: float, length: int) -> tuple[Values, Values]:
    """As of a `Noise`. Hosts have the same ones."""
    gains, variances = np.empty(length), np.empty(length)
    unsure = share
    for t in range(length):
        variances[t] = unsure + 1 - share
        gains[t] = unsure / variances[t]
        before = unsure
        unsure = memory**2 * unsure * (1 - gains[t]) + share * (1 - memory**2)
        if abs(unsure - before) <= ROUNDING * unsure:
            gains[t:], variances[t:] = gains[t], variances[t]
            break
    return gains, variances


class _Columns:
    """Columns in the order of lanes."""

    def __init__(self, columns: Values, lanes: Sequence[Places]) -> None:
        self.columns = np.asfortranarray(columns)
        self.lengths = [len(one) for one in lanes if len(one)]
        self.last = np.cumsum(self.lengths, dtype=np.intp) - 1
        self.differences = 0.0, self.columns

    def whitened(self, noise: Noise) -> Values:
        """As `Noise.whitened`, for a deviation of 1. off[t], the run at place t less what is expected of it,
        solves off[t + 1] - memory * (1 - gain[t]) * off[t] = run[t + 1] - memory * run[t]."""
        from scipy.linalg.lapack import dtbtrs

        if noise.share == 0:
            return self.columns
        by_place = noise.gains(max(self.lengths, default=0))
        gains, variances = (np.concatenate([one[:length] for length in self.lengths]) for one in by_place)
        bands = np.empty((2, len(gains)))
        bands[0] = np.sqrt(variances)
        bands[1] = -noise.memory * (1 - gains) * bands[0]
        bands[1, self.last] = 0.0
        white, _ = dtbtrs(bands, self._less_before(noise.memory), uplo="L")
        return np.asarray(white)

    def _less_before(self, memory: float) -> Values:
        if self.differences[0] != memory:
            found = self.columns.copy(order="F")
            found[1:] -= memory * self.columns[:-1]
            found[self.last[:-1] + 1] = self.columns[self.last[:-1] + 1]
            self.differences = memory, found
        return self.differences[1]


class _Means:
    """Columns of means, which are 0 but for the runs of a group, in the order of lanes. Where no lane has
    runs of two groups, whitened ones have no run in common: one column has them all."""

    def __init__(self, columns: Values, lanes: Sequence[Places]) -> None:
        """columns: (runs, means), one of which each run has."""
        self.size = columns.shape[1]
        self.group = np.argmax(columns != 0, axis=1)
        changes = self.group[1:] != self.group[:-1]
        changes[np.cumsum([len(one) for one in lanes if len(one)])[:-1] - 1] = False
        self.apart = not changes.any()
        one = columns[np.arange(len(columns)), self.group][:, None]
        self.columns = _Columns(one if self.apart else columns, lanes)

    def products(self, noise: Noise, white: Values) -> tuple[Values, Values]:
        """(products of the whitened columns with each other, with others that are white). The former: of each
        with itself, where no two have a run in common."""
        own = self.columns.whitened(noise)
        if not self.apart:
            return own.T @ own, own.T @ white
        alone = own[:, 0]
        squares, *cross = (
            np.asarray(np.bincount(self.group, alone * one, self.size), np.float64)
            for one in (alone, *white.T)
        )
        return squares, np.array(cross).reshape(-1, self.size).T


def _likelihoods(
    means: _Means, columns: _Columns, places: Sequence[Places], noises: Sequence[Noise]
) -> list[tuple[Values, Values]]:
    """By noise, beside each effect: (logarithm of the restricted likelihood but for a constant, standard
    deviation of a run). columns: of the effects at these places, and y as the last."""
    each = [_products(means, columns, noise) for noise in noises]
    products, common = np.array([one for one, _ in each]), np.array([one for _, one in each])
    found = []
    for one in places:
        free = sum(columns.lengths) - means.size - len(one)
        with_y = np.append(one, products.shape[1] - 1)
        pivots = _pivots(products[:, with_y[:, None], with_y])
        with np.errstate(divide="ignore"):
            logs = np.log(pivots)
        likely = np.where(pivots[:, -1] > 0, -free * logs[:, -1] - logs[:, :-1].sum(axis=1) - common, -np.inf)
        found.append((likely, pivots[:, -1] / sqrt(free)))
    return found


def _products(means: _Means, columns: _Columns, noise: Noise) -> tuple[Values, float]:
    """(products of the whitened columns less the likeliest means, logarithm of the root of the determinants
    of the noise and of the means' products)."""
    from scipy.linalg import solve_triangular

    white = columns.whitened(noise)
    own, cross = means.products(noise, white)
    if means.apart:
        diagonal = np.sqrt(own)
        left = cross / diagonal[:, None]
    else:
        lower = np.linalg.cholesky(own)
        diagonal = np.diag(lower)
        left = solve_triangular(lower, cross, lower=True, check_finite=False)
    _, variances = noise.gains(max(columns.lengths))
    sums = np.cumsum(np.log(variances))[np.array(columns.lengths) - 1]
    return white.T @ white - left.T @ left, float(np.log(diagonal).sum()) + float(sums.sum()) / 2


def _pivots(products: Values) -> Values:
    """Diagonals of the Cholesky factors. The last is of y, which may have no noise beside the effect but for
    rounding errors, or none at all."""
    try:
        return np.diagonal(np.linalg.cholesky(products), axis1=1, axis2=2)
    except np.linalg.LinAlgError:
        lower = np.linalg.cholesky(products[:, :-1, :-1])
    whole = np.maximum(products[:, -1, -1], 0.0)
    along = np.linalg.solve(lower, products[:, :-1, -1:])[:, :, 0]
    rest = np.maximum(whole - (along**2).sum(axis=1), ROUNDING * whole)
    return np.column_stack([np.diagonal(lower, axis1=1, axis2=2), np.sqrt(rest)])


def less_means(noises: Sequence[HostNoises], columns: Sequence[Values], group: Places) -> list[Values]:
    """The columns whitened by the noise of each, less the likeliest mean of each group. noises: of one
    `fitted`. group: number of each run's."""
    size = int(group.max()) + 1
    own = [np.zeros((size, size)) for _ in noises]
    cross = [np.zeros((size, one.shape[1])) for one in columns]
    for part in zip(*(one.of for one in noises), strict=True):
        alike: dict[tuple[int, float, float], list[int]] = {}
        for n, (_, noise) in enumerate(part):
            alike.setdefault((id(noise.lanes), noise.share, noise.memory), []).append(n)
        for several in alike.values():
            places, noise = part[several[0]]
            at = places[np.concatenate(noise.lanes)]
            here, number = np.unique(group[at], return_inverse=True)
            indicators = np.zeros((len(at), len(here)), order="F")
            indicators[np.arange(len(at)), number] = 1.0
            white = _Columns(np.column_stack([columns[n][at] for n in several]), noise.lanes).whitened(noise)
            found, beside = _Means(indicators, noise.lanes).products(noise, white)
            found = np.diag(found) if found.ndim == 1 else found
            start = 0
            for n in several:
                end = start + columns[n].shape[1]
                own[n][np.ix_(here, here)] += found / part[n][1].deviation ** 2
                cross[n][here] += beside[:, start:end] / part[n][1].deviation ** 2
                start = end
    return [
        noise.whitened(one - np.linalg.solve(a, b)[group])
        for noise, one, a, b in zip(noises, columns, own, cross, strict=True)
    ]
