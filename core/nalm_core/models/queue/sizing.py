# SPDX-License-Identifier: Apache-2.0
"""The fewest lcores that lose at most a share of the packets at a rate (Geissler et al., Section 7)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from nalm_core.models.quantity import ModelInputError, require_share
from nalm_core.models.queue.gaps import Gaps
from nalm_core.models.queue.service import BatchTimes
from nalm_core.models.queue.solution import QueueSolution, solve

FIVE_NINES = 1e-5
MOST_LCORES = 64


@dataclass(frozen=True, slots=True)
class Sizing:
    """lcores: the fewest. solution: of each of them. fewer: loss with one lcore less; None below one."""

    lcores: int
    solution: QueueSolution
    fewer: float | None


def fewest_lcores(
    queue: int, gaps: Gaps, times: BatchTimes, *, loss: float = FIVE_NINES, most: int = MOST_LCORES
) -> Sizing:
    """gaps: of the whole traffic. Each lcore has a queue of its own and an equal share of the packets.

    The share keeps the family of the gaps, which flatters: a share by the flow's hash is less regular. Raises
    ModelInputError if `most` lcores are too few.
    """
    require_share("loss", loss)
    # With fewer, even full batches are slower than arrivals, and the loss is at least the difference.
    lcores = max(1, ceil(times.slowest_packet / gaps.mean * (1 - loss)))
    fewer: float | None = None
    while lcores <= most:
        found = solve(queue, gaps.scaled(lcores), times)
        if found.loss <= loss:
            if lcores > 1 and fewer is None:
                fewer = solve(queue, gaps.scaled(lcores - 1), times).loss
            return Sizing(lcores, found, fewer)
        fewer = found.loss
        lcores += 1
    raise ModelInputError(
        "rate", f"{most} lcores lose more than {loss:g} of it; one carries at most full batches"
    )
