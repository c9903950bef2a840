# SPDX-License-Identifier: Apache-2.0
"""Long calls of the stages of a running NF by their length, from its probe's marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from nalm_core.report.run_report import StageInfo
from nalm_core.report.trials.long_calls import CallCounts

from nalm_agent.nf.probe import ProbeFile

Lengths = npt.NDArray[np.uint64]
"""Cumulative, shape (2, stages, lengths): number and cycles, of all lcores."""


def length_snapshot(probe: ProbeFile) -> Lengths | None:
    """The counts now; None from a probe that does not have them."""
    if not probe.counts_lengths:
        return None
    lcores = [probe.lengths(lcore) for lcore in range(len(probe.states()))]
    return np.stack([sum((one[name] for one in lcores), _nothing(lcores)) for name in ("count", "cycles")])


def _nothing(lcores: Sequence[npt.NDArray[Any]]) -> Lengths:
    return np.zeros(lcores[0].shape if lcores else (0, 0), np.uint64)


def calls_between(
    stages: Sequence[StageInfo], before: Lengths | None, after: Lengths | None
) -> dict[str, CallCounts] | None:
    """Long calls meanwhile of each stage that is not apart and had one. None: the probe does not count
    them."""
    if before is None or after is None:
        return None
    counts, cycles = (after - before).astype(np.int64)
    return {
        stage.name: {int(at): (int(counts[index, at]), int(cycles[index, at])) for at in found}
        for index, stage in enumerate(stages)
        if not stage.apart and (found := np.flatnonzero(counts[index])).size
    }
