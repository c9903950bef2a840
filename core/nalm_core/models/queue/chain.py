# SPDX-License-Identifier: Apache-2.0
"""The queue at the beginnings of batches as a Markov chain (Geissler et al., Eq. 1)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np

from nalm_core.models.quantity import Values
from nalm_core.models.queue.gaps import Gaps
from nalm_core.models.queue.service import REACH, BatchTimes

ROWS = 64
"""Numbers of arrivals that are computed at a time, which bounds memory."""
NEGLIGIBLE = 1e-20
"""Probabilities below this are taken as 0."""
LARGE = 1e200
"""Unnormalised probabilities above this are scaled down."""
PER_GAP = 150
"""Operations for one probability of a sum of gaps."""
PER_STATE = 50_000
"""Operations for one state of the chain, in addition to those of its band."""


@dataclass(frozen=True, slots=True)
class Arriving:
    """Packets that arrive during a batch, by the batch's size i = 0..batch.

    at_least: P(X_i >= k), shape (batch + 1, most + 2), for k = 0..most + 1. pmf: (batch + 1, most + 1).
    """

    at_least: Values
    pmf: Values

    @property
    def means(self) -> Values:
        """E[X_i]; equal to E[B_i] / E[A] but for rounding."""
        return np.asarray(self.at_least[:, 1:].sum(axis=1))


def arriving(gaps: Gaps, times: BatchTimes) -> Arriving:
    """Arrivals during each batch. The first gap has the distribution of Eq. 7.

    An arrival counts if its time is less than the batch's. P(R_A + A_1 + .. + A_(k-1) = u) is
    (F_(k-1)(u) - F_k(u)) / E[A], with F_k the distribution of k gaps.
    """
    longer = _longer(times)
    steps = longer.shape[1]
    most = _most(gaps, steps)
    at_least = np.ones((len(longer), most + 2))
    former = np.ones((1, steps))
    for first in range(1, most + 2, ROWS):
        numbers = np.arange(first, min(first + ROWS, most + 2), dtype=float)
        sums = np.vstack([former, gaps.sums(numbers, steps)])
        former = sums[-1:]
        density = np.maximum(sums[:-1] - sums[1:], 0.0) / gaps.mean
        at_least[:, first : first + len(numbers)] = longer @ density.T
    pmf = np.maximum(at_least[:, :-1] - at_least[:, 1:], 0.0)
    pmf[pmf < NEGLIGIBLE] = 0.0
    kept = int(np.flatnonzero(pmf.any(axis=0))[-1]) + 1
    return Arriving(at_least[:, : kept + 1], pmf[:, :kept])


def effort(queue: int, gaps: Gaps, times: BatchTimes) -> float:
    """Floating-point operations of a solution, roughly: the distributions of gaps, the arrivals during each
    batch, and the elimination in the band."""
    steps = times.steps
    most = _most(gaps, steps)
    return most * steps * (PER_GAP + times.batch) + queue * (PER_STATE + times.batch * most)


def _most(gaps: Gaps, steps: int) -> int:
    """Arrivals in that many steps, at most."""
    expected = steps / gaps.mean
    return ceil(expected + REACH * sqrt(gaps.variance) / gaps.mean * sqrt(expected)) + 40


def _longer(times: BatchTimes) -> Values:
    """P(B_i > t), shape (batch + 1, steps)."""
    pmf = times.pmf(np.arange(times.batch + 1))
    return np.asarray(np.maximum(np.cumsum(pmf[:, ::-1], axis=1)[:, ::-1] - pmf, 0.0))


def stationary(arrivals: Values, queue: int) -> Values:
    """Distribution of packets waiting when a batch begins, shape (queue + 1,).

    arrivals: pmf by size of the batch, shape (batch + 1, most + 1). What finds the queue full is lost.
    Elimination without subtraction (Grassmann, Taksar & Heyman, Operations Research 33 (1985)) in the band of
    the chain: a batch takes at most `batch` packets away. Every probability is relatively exact, and loads
    near saturation cost no more than others.
    """
    batch = len(arrivals) - 1
    last = [int(np.flatnonzero(row)[-1]) for row in arrivals]
    up = max(1, *(most - size for size, most in enumerate(last)))
    states, width = queue + 1, batch + up + 1
    band = np.zeros(states * width + width)
    # Element (i, j) of the chain is at i * (width - 1) + j + batch: rows are shifted by their number.
    chain = np.lib.stride_tricks.as_strided(
        band[batch:], shape=(states, states), strides=((width - 1) * band.itemsize, band.itemsize)
    )
    for state in range(states):
        taken = min(state, batch)
        row, base = arrivals[taken][: last[taken] + 1], state - taken
        inside = min(len(row), queue - base)
        chain[state, base : base + inside] = row[:inside]
        chain[state, queue] += row[inside:].sum() if inside < len(row) else 0.0
    return _solved(chain, batch, up)


def _solved(chain: Values, down: int, up: int) -> Values:
    """The stationary vector; the chain is overwritten. Only elements in the band may be used."""
    states, root = len(chain), 0
    for state in range(states - 1, 0, -1):
        low, lowest = max(0, state - down), max(0, state - up)
        row = chain[state, low:state]
        leaving = row.sum()
        if leaving == 0:  # never below this state: those below it are left for ever
            root = state
            break
        column = chain[lowest:state, state]
        column /= leaving
        chain[lowest:state, low:state] += np.multiply.outer(column, row)
    found = np.zeros(states)
    found[root] = 1.0
    for state in range(root + 1, states):
        lowest = max(root, state - up)
        found[state] = found[lowest:state] @ chain[lowest:state, state]
        if found[state] > LARGE:
            found[: state + 1] /= LARGE
    return np.asarray(found / found.sum())
