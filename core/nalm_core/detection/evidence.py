# SPDX-License-Identifier: Apache-2.0
"""Which candidates stand against the other explanation: noise that is slow.

Slow noise (a drifting host, autocorrelation) looks like many small changes of level, and a history with
changes looks like slow noise. So both are fitted: each subset of changes on a path from all candidates to
none, the weakest dropped first, with the covariance its residuals have; the subset whose likelihood, less
what each change must gain, is greatest is kept (penalised likelihood as in Yao 1988, with correlated noise).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nalm_core.detection import constants as c
from nalm_core.detection import covariance
from nalm_core.detection.robust import location

Values = NDArray[np.float64]

BLOCK = 128
"""Values whose covariance is taken whole; blocks are taken as independent."""
REACH = 64
"""Values on either side that a change is sized by."""
CLIP = 3.0
"""Standard deviations beyond which a value says no more of its level."""
WANTED_Z = 4.0
SHARP_PART = 0.4
"""Share of a level's values looked at for sharpness, at most: of a drift they hold less than SHARP_SHARE."""
SMALL = 1e6
"""Taken off the strength of changes that are too small."""
AT_ONCE = 3
"""One in so many of those that are not sure is dropped at once."""
NEWEST_VALUES = 6
"""At a history's end so many are looked at: there is no more."""


@dataclass(frozen=True)
class Kept:
    """Changes that stand, and of each half the square of its z: the nats it gains."""

    at: list[int]
    nats: list[float]


def segments(at: list[int], length: int) -> list[tuple[int, int]]:
    bounds = [0, *at, length]
    return list(pairwise(bounds))


def clipped(y: Values, at: list[int], scale: float) -> Values:
    """Outliers brought to CLIP standard deviations of their level, once, the same for every subset."""
    out = y.copy()
    for a, b in segments(at, len(y)):
        level = location(y[a:b], scale)
        out[a:b] = np.clip(y[a:b], level - CLIP * scale, level + CLIP * scale)
    return out


def select(y: Values, candidates: list[int], scale: float) -> Kept:
    """The subset of the candidates that explains the history best. scale: of one value's noise."""
    x = clipped(y, candidates, scale)
    at, best, best_score = list(candidates), Kept([], []), -np.inf
    known: dict[tuple[int, int, int], bool] = {}
    while True:
        levels = np.array([x[a:b].mean() for a, b in segments(at, len(x))])
        sizes = np.diff(levels)
        lengths = np.diff([0, *at, len(x)])
        residual = x - np.repeat(levels, lengths)
        lower = covariance.factor(*covariance.fitted(residual), min(len(x), BLOCK))
        z = np.array([_z(x, at, i, lower) * np.sign(sizes[i]) for i in range(len(at))])
        small = np.abs(sizes) < c.MIN_EFFECT * scale
        score = _log_likelihood(residual, lower) - _asked(x, at, _gradual(x, at, sizes, scale, known))
        if score > best_score and not small.any() and (z >= c.MIN_Z).all():
            best, best_score = Kept(list(at), [float(v) for v in z**2 / 2]), score
        if not at:
            break
        strength = np.where(small, z - SMALL, z)
        if strength.min() >= c.SURE_Z:
            break
        at = [one for one, gone in zip(at, _weakest(strength), strict=True) if not gone]
    return best


def _weakest(strength: Values) -> NDArray[np.bool_]:
    """The weakest one; of many that are not sure, several that are not neighbours."""
    gone = np.zeros(len(strength), bool)
    most = max(1, int((strength < c.SURE_Z).sum()) // AT_ONCE)
    for i in np.argsort(strength)[: 2 * most]:
        if gone.sum() < most and not gone[max(0, i - 1) : i + 2].any():
            gone[i] = True
    return gone


def _gradual(
    x: Values, at: list[int], sizes: Values, scale: float, known: dict[tuple[int, int, int], bool]
) -> NDArray[np.bool_]:
    """Which changes are not sharp. known: what was found before."""
    bounds = [0, *at, len(x)]
    for i, size in enumerate(sizes):
        where = (bounds[i], bounds[i + 1], bounds[i + 2])
        if where not in known:
            known[where] = is_sharp(x, at, i, float(size), scale)
    return np.array(
        [not known[where] for where in zip(bounds[:-2], bounds[1:-1], bounds[2:], strict=True)], bool
    )


def _asked(x: Values, at: list[int], gradual: NDArray[np.bool_]) -> float:
    """Nats that these changes must gain: more of old ones, and of gradual ones."""
    lengths = np.diff([0, *at, len(x)])
    shorter = np.minimum(lengths[:-1], lengths[1:])
    base = c.NEW_STEP_NATS + c.NATS_PER_VALUE * (shorter - c.NEW_STEP_VALUES)
    short = c.SHORT_NATS * min(1.0, c.SHORT_VALUES / len(x))
    return float((np.clip(base, c.NEW_STEP_NATS, c.OLD_STEP_NATS) + c.GRADUAL_NATS * gradual + short).sum())


def is_sharp(x: Values, at: list[int], i: int, size: float, scale: float) -> bool:
    """The change happens at once, not little by little over the levels it parts."""
    before, here, after = ([0, *at, len(x)][i + k] for k in range(3))
    if size == 0:
        return False
    wanted = max(3, int(np.ceil(2 * (WANTED_Z * scale / abs(size)) ** 2)))
    least = NEWEST_VALUES if after == len(x) else 3
    left = min(wanted, max(3, int(SHARP_PART * (here - before))), here - before)
    right = min(wanted, max(least, int(SHARP_PART * (after - here))), after - here)
    jump = location(x[here : here + right], scale) - location(x[here - left : here], scale)
    error = 1.1 * scale * np.sqrt(1 / left + 1 / right)
    return bool(jump / size >= c.SHARP_SHARE and abs(jump) / error >= c.SHARP_Z)


def _z(x: Values, at: list[int], i: int, lower: Values) -> float:
    """Size over standard error of one change by generalised least squares on the values around it."""
    before, here, after = ([0, *at, len(x)][i + k] for k in range(3))
    a, b = max(before, here - REACH), min(after, here + REACH)
    columns = np.ones((b - a, 3))
    columns[: here - a, 1] = 0
    columns[:, 2] = x[a:b]
    q = covariance.whitened(lower[: b - a, : b - a], columns)
    gram, side = q[:, :2].T @ q[:, :2], q[:, :2].T @ q[:, 2]
    determinant = gram[0, 0] * gram[1, 1] - gram[0, 1] ** 2
    return float((gram[0, 0] * side[1] - gram[0, 1] * side[0]) / np.sqrt(determinant * gram[0, 0]))


def _log_likelihood(residual: Values, lower: Values) -> float:
    size = len(lower)
    logs = np.log(np.diag(lower))
    x = residual - residual.mean()
    whole = len(x) // size
    blocks = x[: whole * size].reshape(whole, size).T
    q = covariance.whitened(lower, blocks)
    found = -0.5 * float((q * q).sum()) - whole * float(logs.sum())
    rest = x[whole * size :]
    if len(rest):
        q = covariance.whitened(lower[: len(rest), : len(rest)], rest)
        found -= 0.5 * float((q * q).sum()) + float(logs[: len(rest)].sum())
    return found
