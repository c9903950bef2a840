# SPDX-License-Identifier: Apache-2.0
"""Tests candidates against the alternative explanation of slow noise.

Slow noise (a drifting host, autocorrelation) looks like many small changes of level, and a history with
changes looks like slow noise. So both are fitted: each subset of changes on a path from all candidates to
none, the weakest dropped first, with every possible noise, weighted by its likelihood. The subset with the
greatest likelihood, less the least gain of each change, is kept (penalised likelihood as in Yao 1988,
averaged over the unknown correlation of the noise).

Commits that were measured in one batch may share an offset: then a history has many small levels, each of
which ends soon. Where that many are found, all of them have to gain more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import constants as c
from nalm_core.changepoints.fits import Fit, Move, fitted
from nalm_core.changepoints.noises import noises
from nalm_core.changepoints.robust import location
from nalm_core.changepoints.sharpness import gradual

Values = NDArray[np.float64]

CLIP = 3.0
"""Standard deviations at which values are clipped."""
SMALL = 1e6
"""Subtracted from the strength of changes that are too small."""
WIDER_EFFECT = 4 / 3
"""Size, relative to BATCH_EFFECT, from which a change is not small at all."""
AT_ONCE = 3
"""One in this number of uncertain changes is dropped in one step."""


@dataclass(frozen=True)
class Kept:
    """Accepted changes, the nats that each gains (half the square of its z), their sizes, and the score of
    the whole: log likelihood less what the changes have to gain."""

    at: list[Move]
    nats: list[float]
    sizes: list[float]
    score: float


@dataclass(frozen=True)
class _Seen:
    """A fit, averaged over noises: log likelihood in nats; the noise's standard deviation, including its slow
    part; size and |z| of each change."""

    nats: float
    spread: float
    sizes: Values
    z: Values


def segments(at: list[int], length: int) -> list[tuple[int, int]]:
    bounds = [0, *at, length]
    return list(pairwise(bounds))


def clipped(y: Values, at: list[int], scale: float) -> Values:
    """Values clipped to CLIP standard deviations around their levels, the same for every subset."""
    out = y.copy()
    for a, b in segments(at, len(y)):
        level = location(y[a:b], scale)
        out[a:b] = np.clip(y[a:b], level - CLIP * scale, level + CLIP * scale)
    return out


def select(x: Values, candidates: list[Move]) -> Kept:
    """The subset of the candidates that explains the history best. x: in units of one value's noise, clipped
    around its levels."""
    path = list(_path(x, candidates))
    best = _best(x, path, 0.0)
    if _like_batches(best.at, np.array(best.sizes)) > c.BATCH_CHANGES:
        return _best(x, path, c.BATCH_NATS)
    return best


def _path(x: Values, candidates: list[Move]) -> Iterator[tuple[list[Move], _Seen]]:
    """Subsets with their fits, the weakest changes dropped first, until what is left is sure."""
    at = list(candidates)
    fit = fitted(x - x.mean(), at)
    while True:
        seen = _averaged(fit)
        yield list(at), seen
        strength = np.where(_small(seen), seen.z - SMALL, seen.z)
        if not at or strength.min() >= c.SURE_Z:
            return
        for i in np.flatnonzero(_weakest(strength))[::-1]:
            fit = fit.without(int(i))
            del at[i]


def _small(seen: _Seen) -> NDArray[np.bool_]:
    """Which changes are too small to be reported."""
    return np.asarray(np.abs(seen.sizes) < c.MIN_EFFECT * max(1.0, seen.spread))


def _best(x: Values, path: list[tuple[list[Move], _Seen]], batch_nats: float) -> Kept:
    """The best of these subsets. batch_nats: further evidence required of each change that is like those
    between batches."""
    best = Kept([], [], [], -np.inf)
    for at, seen in path:
        score = seen.nats - _required_nats(at, len(x))
        if batch_nats:
            score -= batch_nats * _like_batches(at, seen.sizes / max(1.0, seen.spread))
        if score > best.score and not _small(seen).any() and (seen.z >= c.MIN_Z).all():
            score -= c.GRADUAL_NATS * gradual(x, at, seen.sizes, 1.0)
            if score > best.score:
                best = Kept(at, [float(v) for v in seen.z**2 / 2], list(map(float, seen.sizes)), score)
    return best


def _averaged(fit: Fit) -> _Seen:
    """Averages a fit over the noises, weighted by prior and likelihood."""
    nats = fit.log_likelihood() + noises().log_prior
    weight = np.exp(nats - nats.max())
    total = float(weight.sum())
    weight /= total
    sizes, z = weight @ fit.sizes[:, 1:], weight @ np.abs(fit.z())
    return _Seen(float(nats.max() + np.log(total)), float(weight @ fit.spread()), sizes, z)


def _weakest(strength: Values) -> NDArray[np.bool_]:
    """The weakest change; of many unsure ones, several that are not neighbours."""
    gone = np.zeros(len(strength), bool)
    most = max(1, int((strength < c.SURE_Z).sum()) // AT_ONCE)
    for i in np.argsort(strength)[: 2 * most]:
        if gone.sum() < most and not gone[max(0, i - 1) : i + 2].any():
            gone[i] = True
    return gone


def _like_batches(at: list[Move], sizes: Values) -> float:
    """The number of changes that are small and beside a level that ended soon; those that are nearly so count
    in part. The first and the last level have not ended."""
    if not at:
        return 0.0
    ended = [begin - end for (_, end), (begin, _) in pairwise(at)]
    lasted = np.minimum([np.inf, *ended], [*ended, np.inf])
    brief = np.clip(2 - lasted / c.BATCH_VALUES, 0, 1)
    small = np.clip((WIDER_EFFECT - np.abs(sizes) / c.BATCH_EFFECT) / (WIDER_EFFECT - 1), 0, 1)
    return float(brief @ small)


def _required_nats(at: list[Move], length: int) -> float:
    """Least gain of these changes in nats, if they are sharp: more for old ones and in short histories."""
    begins, ends = [first for first, _ in at] + [length], [0] + [last for _, last in at]
    lengths = np.array(begins) - np.array(ends)
    shorter = np.minimum(lengths[:-1], lengths[1:])
    base = c.NEW_STEP_NATS + c.NATS_PER_VALUE * (shorter - c.NEW_STEP_VALUES)
    short = c.SHORT_NATS * min(1.0, c.SHORT_VALUES / length)
    return float((np.clip(base, c.NEW_STEP_NATS, c.OLD_STEP_NATS) + short).sum())
