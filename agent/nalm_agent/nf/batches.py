# SPDX-License-Identifier: Apache-2.0
"""Batches of a running NF by their size, from its probe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from nalm_core.report.batch_sizes import BatchCounts, LcoreBatches

from nalm_agent.nf.probe import ProbeFile


@dataclass(frozen=True)
class BatchSnapshot:
    """Cumulative counts of every lcore; none from a probe that does not have them."""

    lcores: tuple[int, ...] = ()
    counts: npt.NDArray[np.uint64] | None = None
    """Shape (lcores, 2, sizes): number and cycles."""


def batch_snapshot(probe: ProbeFile) -> BatchSnapshot:
    """The counts now."""
    blocks, numbers, counts = probe.snapshot().blocks, [], []
    for index, block in enumerate(blocks):
        found = probe.iterations(index)
        if found is None:
            return BatchSnapshot()
        by_size = np.stack([found[0]["count"], found[0]["cycles"]])
        by_size[:, 0] = block[0]["idle_polls"], block[0]["idle_cycles"]
        numbers.append(int(block[0]["lcore_id"]))
        counts.append(by_size)
    return BatchSnapshot(tuple(numbers), np.stack(counts)) if counts else BatchSnapshot()


def batches_between(before: BatchSnapshot, after: BatchSnapshot) -> list[LcoreBatches]:
    """What each lcore did meanwhile. Empty if the probe does not have it."""
    if before.counts is None or after.counts is None:
        return []
    changes = after.counts - before.counts
    return [
        LcoreBatches(lcore=lcore, sizes=_sizes(change))
        for lcore, change in zip(after.lcores, changes, strict=True)
    ]


def _sizes(change: npt.NDArray[Any]) -> BatchCounts:
    return {int(size): (int(change[0, size]), int(change[1, size])) for size in np.flatnonzero(change[0])}
