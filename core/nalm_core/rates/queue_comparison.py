# SPDX-License-Identifier: Apache-2.0
"""The queue model beside measured loads: batch sizes, loss and delay (Geissler et al., Section 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from nalm_core.models.documents.base import Document
from nalm_core.models.queue.comparison import agreement, histogram
from nalm_core.models.queue.gaps import STEP_NS, Arrivals, Gaps, mean_gap_of_rate
from nalm_core.models.queue.service import measured_times
from nalm_core.models.queue.solution import mean, solve
from nalm_core.rates.latency import figures
from nalm_core.rates.rate_report import Trial
from nalm_core.rates.trial_batches import receiving_batches
from nalm_core.report.batch_sizes import summed
from nalm_core.report.run_report import StageInfo

NEAR_PACKETS = 2.0
"""Error of the mean batch within which the paper calls it right, and its share of cases."""
NEAR_SHARE = 0.9
CLOSE_DIVERGENCE = 0.1
"""JSD below which the paper calls distributions close, and its share of cases."""
CLOSE_SHARE = 0.63


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


def compare_loads(
    cell: Cell,
    trials: Sequence[Trial],
    stages: Sequence[StageInfo],
    tsc_hz: int,
    arrivals: tuple[Arrivals, float | None],
) -> list[ComparedLoad]:
    """Each valid open-loop trial beside its prediction, with one fit of times for all valid trials.

    Raises ModelInputError if they do not determine the times of batches.
    """
    valid = [trial for trial in trials if trial.invalid is None]
    counted = [receiving_batches(trial, stages) for trial in valid]
    times = measured_times({**summed(counted)}, cell.batch, tsc_hz)
    found = []
    for trial, sizes in zip(valid, counted, strict=True):
        if trial.intended_pps is None:
            continue
        sent = trial.traffic.sent
        pps = sent / trial.traffic.sending_ns * 1e9
        solution = solve(cell.queue, Gaps(mean_gap_of_rate(pps), *arrivals), times)
        measured = histogram({size: count for size, (count, _) in sizes.items() if size})
        predicted = np.concatenate(([0.0], solution.batches[1:]))
        predicted /= predicted.sum()
        waits = None if trial.latency is None else figures(trial.latency)
        found.append(
            ComparedLoad(
                **asdict(cell),
                share=trial.share,
                pps=pps,
                measured_batch=mean(measured),
                predicted_batch=mean(predicted),
                divergence=agreement(measured, predicted).divergence,
                measured_loss=trial.traffic.late / (sent + trial.traffic.late),
                predicted_loss=solution.loss,
                measured_latency_us=None if waits is None else waits.mean_ns / 1e3,
                predicted_delay_us=solution.mean_delay * STEP_NS / 1e3,
            )
        )
    return found
