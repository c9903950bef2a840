# SPDX-License-Identifier: Apache-2.0
"""solve(): batch sizes, loss, queue and delays of one lcore under a load (Geissler et al., Eq. 1 to 9).

Assumptions: gaps are independent and of one distribution, and the phase of the arrivals is forgotten from one
batch to the next; a full queue loses what arrives; a batch takes all that waits, up to the largest batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from nalm_core.models.quantity import ModelInputError, Values
from nalm_core.models.queue.chain import Arriving, arriving, stationary
from nalm_core.models.queue.gaps import Gaps
from nalm_core.models.queue.service import BatchTimes

MOST_OVERLOAD = 10.0
"""Greatest load that is solved, by the rate of full batches: far above it only the loss changes."""


@dataclass(frozen=True, slots=True)
class QueueSolution:
    """The queue in its steady state. Times in steps; pmfs by number of packets or steps, from 0."""

    queue: int
    gaps: Gaps
    times: BatchTimes
    waiting: Values
    """q: packets waiting when a batch begins, shape (queue + 1,)."""
    batches: Values
    """v: sizes of batches, shape (batch + 1,) (Eq. 2)."""
    seen: Values
    """q_A: packets that an arrival finds, shape (queue + 1,) (Eq. 4)."""
    loss: float
    """Share of arrivals that are lost (Eq. 3)."""
    arriving: Arriving

    @property
    def mean_batch(self) -> float:
        """E[V]."""
        return mean(self.batches)

    @property
    def spread_of_batch(self) -> float:
        """Standard deviation of V."""
        sizes = np.arange(len(self.batches))
        return sqrt(max(float(self.batches @ sizes**2) - self.mean_batch**2, 0.0))

    @property
    def mean_service(self) -> float:
        """E[S]: mean time of a batch."""
        return float(self.batches @ self.times.means)

    @property
    def mean_residual(self) -> float:
        """E[R_S]: mean time until the batch under way ends."""
        return (float(self.batches @ self.times.squares) - self.mean_service) / (2 * self.mean_service)

    @property
    def mean_wait(self) -> float:
        """E[W] (Eq. 5): from arrival until the packet's own batch begins."""
        before = np.arange(len(self.seen)) // self.times.batch
        return self.mean_residual + float(self.seen @ before) * float(self.times.means[-1])

    @property
    def mean_delay(self) -> float:
        """E[D] (Eq. 6): from arrival until the packet's batch ends."""
        return self.mean_wait + self.mean_service

    def over_time(self, *, weighted: bool) -> Values:
        """q-bar (Eq. 8, 9): packets in the queue at any moment, shape (queue + 1,).

        weighted: each batch counts by its mean length, so that Little's law E[q-bar] = E[W] E[V] / E[S] holds
        without loss; otherwise all batches count alike, as in the paper.
        """
        weight = np.ones_like(self.times.means)
        if weighted:
            weight = self.times.means / self.mean_service
        return self._spread(_levels(self.arriving, self.gaps) * weight[:, np.newaxis])

    def wait_pmf(self) -> Values:
        """P(W = t): the rest of the batch under way, and as many full batches as lie before the packet."""
        before = np.arange(len(self.seen)) // self.times.batch
        waiting = self.times.full_batches(np.bincount(before, weights=self.seen).astype(float))
        return _trimmed(_sum_of(waiting, self._residual_pmf()))

    def delay_pmf(self) -> Values:
        """P(D = t)."""
        return _trimmed(_sum_of(self.wait_pmf(), self._service_pmf()))

    def _service_pmf(self) -> Values:
        """s: time of a batch, shape (steps,)."""
        return np.asarray(self.batches @ self.times.pmf(np.arange(len(self.batches))))

    def _residual_pmf(self) -> Values:
        service = self._service_pmf()
        longer = np.maximum(service[::-1].cumsum()[::-1] - service, 0.0)
        return np.asarray(longer / longer.sum())

    def _spread(self, levels: Values) -> Values:
        """Sums over all states: levels, shape (batch + 1, n), are above the base of a batch of that size."""
        batch = self.times.batch
        empty = self.waiting[:batch] @ levels[:batch]
        found = np.convolve(self.waiting[batch:], levels[batch])
        found[: len(empty)] += empty[: len(found)]
        return lumped(found, self.queue)


def solve(queue: int, gaps: Gaps, times: BatchTimes) -> QueueSolution:
    """The steady state of a queue of that many packets.

    Raises ModelInputError if a batch does not fit, or if the load is above MOST_OVERLOAD times the capacity.
    """
    batch = times.batch
    if queue < batch:
        raise ModelInputError("queue", f"{queue} packets are fewer than the largest batch, {batch}")
    load = times.slowest_packet / gaps.mean
    if load > MOST_OVERLOAD:
        raise ModelInputError(
            "rate", f"is {load:.0f} times what full batches carry, expected at most {MOST_OVERLOAD:g} times"
        )
    arrivals = arriving(gaps, times)
    waiting = stationary(arrivals.pmf, queue)
    sizes = np.append(waiting[:batch], waiting[batch:].sum())
    # P(X > m) at base + m: what arrives at that level, in total E[N_arrivals].
    above = arrivals.at_least[:, 1:]
    levels = np.convolve(waiting[batch:], above[batch])
    levels = np.pad(levels, (0, max(0, above.shape[1] - len(levels))))
    levels[: above.shape[1]] += waiting[:batch] @ above[:batch]
    arrived = float(levels.sum())
    return QueueSolution(
        queue=queue,
        gaps=gaps,
        times=times,
        waiting=waiting,
        batches=sizes,
        seen=lumped(levels, queue) / arrived,
        loss=float(levels[queue:].sum()) / arrived,
        arriving=arrivals,
    )


def lumped(levels: Values, queue: int) -> Values:
    """The distribution with all that is above the queue added to it, shape (queue + 1,)."""
    found = np.zeros(queue + 1)
    inside = min(len(levels), queue + 1)
    found[:inside] = levels[:inside]
    found[queue] += levels[inside:].sum()
    return found


def mean(pmf: Values) -> float:
    """Mean of a distribution on 0, 1, ..."""
    return float(pmf @ np.arange(len(pmf)))


def quantile(pmf: Values, share: float) -> int:
    """The least value that is not exceeded with that probability."""
    return int(np.searchsorted(np.cumsum(pmf), share * float(pmf.sum())))


def _levels(arrivals: Arriving, gaps: Gaps) -> Values:
    """Share of a batch's time with 0, 1, ... arrivals so far, shape as the pmf of arrivals (Eq. 8).

    With l arrivals the time is cut into l + 1 parts: E[R_A] before the first and after the last, E[A] between
    others; with none it is one part.
    """
    pmf, first = arrivals.pmf, gaps.residual_mean
    numbers = np.arange(pmf.shape[1], dtype=float)
    total = (numbers - 1) * gaps.mean + 2 * first
    ends, between = np.full_like(total, 0.5), np.zeros_like(total)
    np.divide(first, total, out=ends, where=total > 0)
    np.divide(gaps.mean, total, out=between, where=numbers > 1)
    ends[0] = 0.0
    found = pmf * ends
    found[:, 0] += pmf[:, 0] + (pmf * ends).sum(axis=1)
    after = np.cumsum((pmf * between)[:, ::-1], axis=1)[:, ::-1]
    found[:, 1:-1] += after[:, 2:]
    return np.asarray(found)


def _sum_of(one: Values, other: Values) -> Values:
    """The distribution of the sum of two, by Fourier transforms."""
    length = len(one) + len(other) - 1
    points = 1 << length.bit_length()
    found = np.fft.irfft(np.fft.rfft(one, points) * np.fft.rfft(other, points), points)
    return np.asarray(np.maximum(found[:length], 0.0))


def _trimmed(pmf: Values) -> Values:
    """Without the end whose probability is a rounding error."""
    above = np.cumsum(pmf[::-1])[::-1]
    return np.asarray(pmf[: int(np.count_nonzero(above > 1e-16)) or 1])
