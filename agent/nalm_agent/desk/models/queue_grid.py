# SPDX-License-Identifier: Apache-2.0
"""The queue model beside a measured grid."""

from __future__ import annotations

from nalm_core.rates.experiments.load_experiments import ASSUMES, grid_answer
from nalm_core.rates.experiments.queue_comparison import (
    CLOSE_DIVERGENCE,
    CLOSE_SHARE,
    NEAR_PACKETS,
    NEAR_SHARE,
    ComparedLoad,
)
from nalm_core.text.amounts import pps_text
from nalm_core.text.percents import share_percent

from nalm_agent.desk.models.answer import ShownAnswer, columns
from nalm_agent.rates.queue_grid import GridMeasured, cell_text
from nalm_agent.report.stage_table import MISSING


def answer_grid(found: GridMeasured, arrivals: str) -> ShownAnswer:
    """Each load, and how many are as near as the paper's."""
    document = grid_answer(arrivals, found.compared, found.left_out, found.notes)
    near, close, total = document.near, document.close, len(found.compared)
    lines = [f"{arrivals} gaps"]
    for cell in dict.fromkeys(one.cell for one in found.compared):
        lines += [cell_text(cell), *_table([one for one in found.compared if one.cell == cell])]
    if total:
        lines += [
            f"mean batch within {NEAR_PACKETS:g} packets: {near} of {total} loads, "
            f"{share_percent(near / total, 0)} (Geissler et al.: {share_percent(NEAR_SHARE, 0)})",
            f"JSD below {CLOSE_DIVERGENCE:g}: {close} of {total} loads, {share_percent(close / total, 0)} "
            f"(Geissler et al.: {share_percent(CLOSE_SHARE, 0)})",
            f"note: {ASSUMES}",
            *(f"note: {one}" for one in found.notes),
        ]
    return ShownAnswer(document, [*lines, *(f"left out: {one}" for one in found.left_out)])


def _table(loads: list[ComparedLoad]) -> list[str]:
    header = ("load", "share", "trials", "batch", "model", "JSD", "lost", "model", "latency", "delay")
    return columns(
        header,
        [
            (
                pps_text(one.pps),
                MISSING if one.share is None else share_percent(one.share, 0),
                f"{one.trials} of {one.trials + one.left_out}",
                f"{one.measured_batch:.2f}",
                f"{one.predicted_batch:.2f}",
                f"{one.divergence:.4f}",
                share_percent(one.measured_loss, 2),
                share_percent(one.predicted_loss, 2),
                MISSING if one.measured_latency_us is None else f"{one.measured_latency_us:.2f} us",
                f"{one.predicted_delay_us:.2f} us",
            )
            for one in loads
        ],
    )
