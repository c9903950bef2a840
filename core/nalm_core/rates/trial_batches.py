# SPDX-License-Identifier: Apache-2.0
"""Batches of the lcore that receives packets, from trials: the input of the queue model."""

from __future__ import annotations

from collections.abc import Sequence

from nalm_core.models.quantity import ModelInputError
from nalm_core.rates.rate_report import RateReport, Trial
from nalm_core.rates.trials import shares_core
from nalm_core.report.batch_sizes import BatchCounts, summed
from nalm_core.report.run_report import StageInfo


def receiving_batches(trial: Trial, stages: Sequence[StageInfo]) -> BatchCounts:
    """Batches of the lcore that ran the NF's first own stage, by size.

    Raises ModelInputError if they were not counted, or if a batch's time is not all of the lcore's.
    """
    if not trial.batches:
        raise ModelInputError("batches", "the report has none: measure with this nalm and its nalm_probe.h")
    if shares_core(trial):
        raise ModelInputError(
            "batches", "the generator shares an lcore with the NF: the next batch waits for both"
        )
    first = next((stage.name for stage in stages if not stage.apart), None)
    lcores = {one.lcore for one in trial.stages if first in one.stages and one.stages[first].packets}
    if len(lcores) != 1:
        raise ModelInputError("batches", f"{len(lcores)} lcores received packets, expected one")
    return summed(one.sizes for one in trial.batches if one.lcore in lcores)


def batches_by_rate(report: RateReport) -> dict[int | None, BatchCounts]:
    """Batches of all valid trials by offered rate; None: the closed loop. Raises ModelInputError."""
    found: dict[int | None, list[BatchCounts]] = {}
    for trial in report.trials:
        if trial.invalid is None:
            found.setdefault(trial.intended_pps, []).append(receiving_batches(trial, report.stages))
    if not found:
        raise ModelInputError("rate report", "has no valid trial")
    return {rate: summed(parts) for rate, parts in found.items()}
