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
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
Places = NDArray[np.intp]

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
MEMORIES = (0.5, 0.8, 0.9, 0.96, 0.99)
"""Shares of the variance and correlations from run to run among which the slow part is chosen."""
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
        return _whitened(columns, _steps(self.lanes), self) / self.deviation

    def gains(self, length: int) -> tuple[Values, Values]:
        """(gain, variance of a run given those before it) by place within a lane: a Kalman filter's."""
        gains, variances = np.empty(length), np.empty(length)
        unsure = self.share
        for t in range(length):
            variances[t] = unsure + 1 - self.share
            gains[t] = unsure / variances[t]
            unsure = self.memory**2 * unsure * (1 - gains[t]) + self.share * (1 - self.memory**2)
        return gains, variances

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
    whole = np.column_stack([means, *bases, y[newest:]])
    ends = means.shape[1] + np.cumsum([one.shape[1] for one in bases])
    places = [np.arange(end - one.shape[1], end) for one, end in zip(bases, ends, strict=True)]
    best = [-np.inf] * len(effects)
    found = [Noise(own, 0.0, 0.0, float(y.std()))] * len(effects)
    for lanes in (own, _lanes(hosts)):
        near = [one[one >= newest] - newest for one in lanes]
        steps = _steps(near)
        for share, memory in [(0.0, 0.0), *((a, b) for b in MEMORIES for a in SHARES)]:
            likely = _likelihoods(whole, means.shape[1], places, steps, Noise(near, share, memory))
            for n, (value, deviation) in enumerate(likely):
                if value > best[n]:
                    best[n], found[n] = value, Noise(lanes, share, memory, deviation)
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


def _steps(lanes: Sequence[Places]) -> list[Places]:
    """The runs at each place within a lane, those of the longest lanes first."""
    order = sorted(lanes, key=len, reverse=True)
    longest = len(order[0]) if order else 0
    return [np.array([one[t] for one in order if len(one) > t], np.intp) for t in range(longest)]


def _whitened(columns: Values, steps: Sequence[Places], noise: Noise) -> Values:
    if noise.share == 0:
        return columns
    gains, variances = noise.gains(len(steps))
    out = np.empty_like(columns)
    expected = np.zeros((len(steps[0]) if steps else 0, columns.shape[1]))
    for here, gain, deviation in zip(steps, gains, np.sqrt(variances), strict=True):
        expected = expected[: len(here)]
        off = columns[here] - expected
        out[here] = off / deviation
        expected = noise.memory * (expected + gain * off)
    return out


def _likelihoods(
    whole: Values, means: int, places: Sequence[Places], steps: Sequence[Places], noise: Noise
) -> list[tuple[float, float]]:
    """(logarithm of the restricted likelihood but for a constant, standard deviation of a run) beside each
    effect. whole: the columns of means, of the effects at these places, and y as the last."""
    white = _whitened(whole, steps, noise)
    basis, upper = np.linalg.qr(white[:, :means])
    left = white[:, means:] - basis @ (basis.T @ white[:, means:])
    products = left.T @ left
    _, variances = noise.gains(len(steps))
    common = float(np.log(np.abs(np.diag(upper))).sum())
    common += float(np.array([len(here) for here in steps]) @ np.log(variances)) / 2
    found = []
    for one in places:
        with_y = np.append(one - means, products.shape[0] - 1)
        free = len(whole) - means - len(one)
        try:
            diagonal = np.diag(np.linalg.cholesky(products[np.ix_(with_y, with_y)]))
        except np.linalg.LinAlgError:  # y has no noise beside the effect
            found.append((-np.inf, 0.0))
            continue
        logs = np.log(diagonal)
        likely = -free * float(logs[-1]) - float(logs[:-1].sum()) - common
        found.append((likely, float(diagonal[-1]) / sqrt(free)))
    return found
