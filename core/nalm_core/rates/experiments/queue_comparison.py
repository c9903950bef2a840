# SPDX-License-Identifier: Apache-2.0
"""The queue model beside measured loads: batch sizes, loss and delay (Geissler et al., Section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import log

import numpy as np

from nalm_core.models.documents.base import Document
from nalm_core.models.queue.comparison import agreement, histogram
from nalm_core.models.queue.gaps import STEP_NS, Arrivals, Gaps, mean_gap_of_rate
from nalm_core.models.queue.service import measured_times
from nalm_core.models.queue.solution import QueueSolution, mean, solve
from nalm_core.rates.latency import figures, merged
from nalm_core.rates.rate_report import Trial
from nalm_core.rates.trial_batches import receiving_batches
from nalm_core.report.batch_sizes import BatchCounts, summed
from nalm_core.report.run_report import StageInfo

NEAR_PACKETS = 2.0
"""Error of the mean batch within which the paper calls it right, and its share of cases."""
NEAR_SHARE = 0.9
CLOSE_DIVERGENCE = 0.1
"""JSD below which the paper calls distributions close, and its share of cases."""
CLOSE_SHARE = 0.63

SPEED_STEP = 0.02
"""Trials whose speed differs by less are predicted together."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Settings of a queue: packets that it holds, and packets that a batch has at most."""

    queue: int
    batch: int
    frame: int | None = None


class ComparedLoad(Document):
    """One load of a cell, measured and predicted. Batches are those with packets."""

    queue: int
    batch: int
    frame: int | None
    share: float | None
    """The load as a share of the rate at full load."""
    pps: float
    trials: int
    """Valid trials, whose batches are counted together."""
    left_out: int
    """Invalid trials."""
    measured_batch: float
    predicted_batch: float
    divergence: float
    measured_loss: float
    predicted_loss: float
    measured_latency_us: float | None
    """From due to sink, with the fixed delay of generator and sink."""
    predicted_delay_us: float

    @property
    def cell(self) -> Cell:
        return Cell(self.queue, self.batch, self.frame)

    @property
    def near(self) -> bool:
        return abs(self.predicted_batch - self.measured_batch) <= NEAR_PACKETS

    @property
    def close(self) -> bool:
        return self.divergence < CLOSE_DIVERGENCE


@dataclass(frozen=True, slots=True)
class _Counted:
    """A valid trial and the batches of its receiving lcore."""

    trial: Trial
    sizes: BatchCounts


def compare_loads(
    cell: Cell,
    trials: Sequence[Trial],
    stages: Sequence[StageInfo],
    tsc_hz: int,
    arrivals: tuple[Arrivals, float | None],
) -> list[ComparedLoad]:
    """Each load of the open loop that has a valid trial, beside its prediction.

    A host's speed changes between trials, and near saturation a batch's size multiplies that. So trials of a
    load are predicted by their speed, each part with its own times of batches, and the predictions are summed
    as the trials are. Raises ModelInputError if the trials do not determine the times.
    """
    by_load: dict[int, list[Trial]] = {}
    for trial in trials:
        if trial.intended_pps is not None:
            by_load.setdefault(trial.intended_pps, []).append(trial)
    counted = {
        load: [_Counted(one, receiving_batches(one, stages)) for one in of_load if one.invalid is None]
        for load, of_load in by_load.items()
    }
    every = summed(one.sizes for of_load in counted.values() for one in of_load)
    found = []
    for load, own in counted.items():
        if not own:
            continue
        predicted = []
        for part in _by_speed(own, every):
            sizes = summed(one.sizes for one in part)
            times = measured_times(sizes, cell.batch, tsc_hz, all_loads=_slowed(every, sizes))
            gaps = Gaps(mean_gap_of_rate(_pps(part)), *arrivals)
            predicted.append((part, solve(cell.queue, gaps, times)))
        found.append(_compared(cell, own, len(by_load[load]) - len(own), predicted))
    return found


def _by_speed(trials: Sequence[_Counted], every: BatchCounts) -> list[list[_Counted]]:
    """The trials in parts whose speeds differ by SPEED_STEP at most."""
    parts: dict[int, list[_Counted]] = {}
    for one in trials:
        step = round(log(_slowness(one.sizes, every)) / log(1 + SPEED_STEP))
        parts.setdefault(step, []).append(one)
    return list(parts.values())


def _slowness(sizes: BatchCounts, every: BatchCounts) -> float:
    """Cycles of these batches, by what batches of their sizes take on average."""
    usual = sum(count * every[size][1] / every[size][0] for size, (count, _) in sizes.items() if count)
    return sum(cycles for _, cycles in sizes.values()) / usual


def _slowed(every: BatchCounts, sizes: BatchCounts) -> dict[int, tuple[int, float]]:
    """All batches as if they had run at the speed of these."""
    slowness = _slowness(sizes, every)
    return {size: (count, cycles * slowness) for size, (count, cycles) in every.items()}


def _pps(trials: Sequence[_Counted]) -> float:
    sent = sum(one.trial.traffic.sent for one in trials)
    return sent / sum(one.trial.traffic.sending_ns for one in trials) * 1e9


def _compared(
    cell: Cell,
    trials: Sequence[_Counted],
    left_out: int,
    predictions: Sequence[tuple[Sequence[_Counted], QueueSolution]],
) -> ComparedLoad:
    """Predicted batches are weighed by measured batches, loss and delay by packets."""
    sizes = summed(one.sizes for one in trials)
    measured = histogram({size: count for size, (count, _) in sizes.items() if size})
    predicted = np.zeros(cell.batch + 1)
    lost = delayed = 0.0
    sent, late = (sum(getattr(one.trial.traffic, name) for one in trials) for name in ("sent", "late"))
    for part, solution in predictions:
        batches = solution.batches.copy()
        batches[0] = 0.0
        number = sum(count for one in part for size, (count, _) in one.sizes.items() if size)
        predicted += batches / batches.sum() * number
        packets = sum(one.trial.traffic.sent for one in part)
        lost += solution.loss * packets / sent
        delayed += solution.mean_delay * packets / sent
    predicted /= predicted.sum()
    waits = figures(merged([one.trial.latency for one in trials if one.trial.latency is not None]))
    return ComparedLoad(
        **asdict(cell),
        share=trials[0].trial.share,
        pps=_pps(trials),
        trials=len(trials),
        left_out=left_out,
        measured_batch=mean(measured),
        predicted_batch=mean(predicted),
        divergence=agreement(measured, predicted).divergence,
        measured_loss=late / (sent + late),
        predicted_loss=lost,
        measured_latency_us=None if waits is None else waits.mean_ns / 1e3,
        predicted_delay_us=delayed * STEP_NS / 1e3,
    )
