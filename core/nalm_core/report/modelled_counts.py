# SPDX-License-Identifier: Apache-2.0
"""What a model of caches and branch prediction makes of an arm's data path, with this host's caches.

The model is cachegrind's. It explains; it is not the processor: no prefetching, no out-of-order execution, no
cache between the first level and the last, a simple branch predictor. The same binary and packets give the
same counts.
"""

from __future__ import annotations

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
"""What is modelled, by name."""


class ModelledCache(Model):
    """A cache as the model had it: bytes, ways, bytes."""

    size_bytes: int = Field(gt=0)
    ways: int = Field(gt=0)
    line_bytes: int = Field(gt=0)


class ModelCount(Model):
    """Modelled events of one arm over a fixed number of packets of the same trace. Raw counts."""

    arm: Arm
    packets: int = Field(gt=0)
    """Packets that left or were dropped by policy: CPP's denominator."""
    caches: dict[Name, ModelledCache]
    """I1, D1, LL: what was used, which may differ from the host's where the model allows no such cache."""
    stages: dict[Name, dict[Name, Count]]
    """Events per stage, apart stages included under their names."""
    unattributed: dict[Name, Count]
    """Of the data path outside every stage."""
    notes: list[str] = Field(default_factory=list)
    """In what the modelled caches differ from the host's."""
