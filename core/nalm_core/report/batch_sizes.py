# SPDX-License-Identifier: Apache-2.0
"""Batches of lcores by their size, as the probe counts them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import Field

from nalm_core.report.terms import Count, Model

BatchSize = Annotated[int, Field(ge=0, le=1024)]
BatchCounts = dict[BatchSize, tuple[Count, Count]]
"""Number of batches and their TSC cycles, by size. The largest size includes larger batches."""


class LcoreBatches(Model):
    """Iterations of one lcore by their packets; size 0: polls that found nothing. Without apart stages."""

    lcore: int = Field(ge=0)
    sizes: BatchCounts


def summed(parts: Iterable[BatchCounts]) -> BatchCounts:
    """The counts of all parts together."""
    found: BatchCounts = {}
    for part in parts:
        for size, (count, cycles) in part.items():
            counts, total = found.get(size, (0, 0))
            found[size] = (counts + count, total + cycles)
    return found


def summed_by_lcore(parts: Iterable[LcoreBatches]) -> list[LcoreBatches]:
    """One entry per lcore, by number."""
    by_lcore: dict[int, list[BatchCounts]] = {}
    for part in parts:
        by_lcore.setdefault(part.lcore, []).append(part.sizes)
    return [LcoreBatches(lcore=lcore, sizes=summed(sizes)) for lcore, sizes in sorted(by_lcore.items())]
