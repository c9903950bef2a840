# SPDX-License-Identifier: Apache-2.0
"""Counts of an arm's data path by a model of caches and branch prediction, with this host's caches.

The model is cachegrind's. It explains a change, but differs from the processor: it has no prefetching, no
out-of-order execution, no cache between the first level and the last, and a simple branch predictor. The same
binary and packets give the same counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from pydantic import Field

from nalm_core.report.terms import Arm, Count, Model, Name

EVENTS: Final = {
    "instructions": "instructions executed",
    "data_accesses": "reads and writes of data",
    "l1i_misses": "instruction fetches not in the first-level cache",
    "l1d_misses": "reads and writes of data not in the first-level cache",
    "ll_misses": "fetches, reads and writes not in the last-level cache",
    "branches": "conditional and indirect branches executed",
    "branch_misses": "conditional and indirect branches mispredicted",
}
"""Modelled events by name."""


class ModelledCache(Model):
    """A cache of the model: bytes, ways, bytes."""

    size_bytes: int = Field(gt=0)
    ways: int = Field(gt=0)
    line_bytes: int = Field(gt=0)


class ModelCount(Model):
    """Modelled events of one arm over a fixed number of packets of the same trace. Raw counts."""

    arm: Arm
    packets: int = Field(gt=0)
    """Packets that left or were dropped by policy: CPP's denominator."""
    caches: dict[Name, ModelledCache]
    """I1, D1, LL of the model; they differ from the host's if the model does not support these."""
    stages: dict[Name, dict[Name, Count]]
    """Events per stage, including apart stages under their names."""
    unattributed: dict[Name, Count]
    """Events of the data path outside every stage."""
    notes: list[str] = Field(default_factory=list)
    """Differences between the model's caches and the host's."""


def modelled_events(
    counts: Iterable[ModelCount], arm: Arm, stage: str | None, apart: Collection[str]
) -> tuple[Mapping[str, int], int] | None:
    """Raw events of the arm's stage, of its chain for None, and the packets that they were counted over.
    None: nothing was modelled."""
    count = next((one for one in counts if one.arm is arm), None)
    if count is None or (stage is not None and stage not in count.stages):
        return None
    return (_of_chain(count, apart) if stage is None else count.stages[stage]), count.packets


def _of_chain(count: ModelCount, apart: Collection[str]) -> dict[str, int]:
    """Of the data path: of every stage that is not apart, and outside of stages."""
    total = dict(count.unattributed)
    for name, events in count.stages.items():
        if name not in apart:
            for event, value in events.items():
                total[event] = total.get(event, 0) + value
    return total
