# SPDX-License-Identifier: Apache-2.0
"""Movements of a host by its control series: equal code measured beside each commit moves with the host.

The control's levels and the best estimate of its slow part (Wiener) are subtracted in any case. What is left
of it is the host's, too, or the control's own noise: it is subtracted as far as that makes the history
quieter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nalm_core.changepoints import constants as c
from nalm_core.changepoints import covariance, robust
from nalm_core.changepoints.detect import candidates
from nalm_core.changepoints.results import ChangePoint

Values = NDArray[np.float64]

SHARES = (0.0, 0.5, 1.0)
"""Shares of the control's quick part that are tried."""
BLOCKS = (3, 6, 12)
"""Lengths of neighbouring means, whose differences show the noise that changes have to exceed."""
SIDE = 20
"""Values on either side of a change that are divided by the control."""
THERE = 0.6
"""Share of a change that has to be possible in them."""
QUIETER = 0.97
"""Noise, relative to the best so far, below which a larger share is taken."""


def without_movements(y: Values, control: Values) -> Values:
    """The values of one host without its movements. Both are logarithms; NaN: not measured. Where the control
    was not measured, its nearest level counts."""
    known = np.flatnonzero(np.isfinite(control))
    if len(known) < c.MIN_VALUES:
        return y
    smooth, quick = _parts(control[known])
    between = (known[1:] + known[:-1] + 1) // 2
    steady = y - smooth[np.searchsorted(between, np.arange(len(y)), side="right")]
    left = np.zeros(len(y))
    left[known] = quick
    seen = np.isfinite(y)
    best, least = steady, np.inf
    for share in SHARES:
        tried = steady - share * left
        noise = _noise(tried[seen])
        if noise < QUIETER * least:
            best, least = tried, noise
    return best


def confirmed(found: Sequence[ChangePoint], y: Values, control: Values) -> list[ChangePoint]:
    """Without the changes that are not there when the values are divided by the control, where it is exact
    enough to show that. y, control: logarithms, NaN if not measured."""
    both = np.flatnonzero(np.isfinite(y) & np.isfinite(control))
    if len(both) < c.MIN_VALUES:
        return list(found)
    divided = y[both] - control[both]
    scale = robust.noise_scale(divided)
    begins, ends = [one.low for one in found], [one.high for one in found]
    kept = []
    for n, one in enumerate(found):
        first, last = (one.index, one.index) if one.kind == "step" else (one.low, one.high)
        before = divided[(both >= (ends[n - 1] if n else 0)) & (both < first)][-SIDE:]
        after = divided[(both >= last) & (both < (begins[n + 1] if n + 1 < len(found) else len(y)))][:SIDE]
        size = float(np.log1p(one.size)) if one.size > -1 else one.size
        if len(before) >= 2 and len(after) >= 2:
            moved = robust.location(after, scale) - robust.location(before, scale)
            error = scale * np.sqrt(1 / len(before) + 1 / len(after))
            if moved / size + 2 * error / abs(size) < THERE:
                continue
        kept.append(one)
    return kept


def _parts(control: Values) -> tuple[Values, Values]:
    """(levels and slow part, around zero; the rest, without outliers)."""
    scale = robust.noise_scale(control)
    at = _sure(control, candidates(control), scale)
    levels = np.concatenate(
        [np.full(len(part), robust.location(part, scale)) for part in np.split(control, at)]
    )
    left = control - levels
    clipped = np.clip(left, -c.CONTROL_CLIP * scale, c.CONTROL_CLIP * scale)
    white, slow, decay = covariance.fitted(clipped)
    smooth = levels
    if slow > 0:
        from scipy.linalg import solve_toeplitz

        row = slow * np.exp(-np.arange(len(left)) / decay)
        noisy = row.copy()
        noisy[0] += white + covariance.RIDGE * slow
        weights = solve_toeplitz(noisy, clipped)
        smooth = levels + clipped - (noisy[0] - row[0]) * weights
    quick = control - smooth
    quick[np.abs(left) > c.CONTROL_CLIP * scale] = 0.0
    return np.asarray(smooth - robust.median(levels)), quick


def _sure(x: Values, at: list[int], scale: float) -> list[int]:
    """The changes of level that are large against the noise; the weakest is dropped first."""
    at = list(at)
    while at:
        bounds = [0, *at, len(x)]
        levels = [robust.location(x[a:b], scale) for a, b in pairwise(bounds)]
        sizes = np.abs(np.diff(levels))
        lengths = np.diff(bounds)
        z = sizes / (scale * np.sqrt(1 / lengths[:-1] + 1 / lengths[1:]))
        strength = np.minimum(z / c.MIN_Z, sizes / (c.MIN_EFFECT * scale))
        weakest = int(strength.argmin())
        if strength[weakest] >= 1:
            break
        del at[weakest]
    return at


def _noise(x: Values) -> float:
    """Standard deviation of a value's noise, as the means of neighbouring blocks show it: including a slow
    part."""
    total = np.concatenate([[0.0], np.cumsum(x)])
    found = []
    for size in BLOCKS:
        means = (total[size:] - total[:-size]) / size
        difference = np.abs(means[size:] - means[:-size])
        if len(difference):
            found.append(robust.MAD_TO_SD * robust.median(difference) * np.sqrt(size / 2))
    return float(np.mean(found)) if found else 0.0
