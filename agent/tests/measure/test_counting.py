# SPDX-License-Identifier: Apache-2.0
"""A count is made once; another run of the same code on the same packets takes it from the store."""

from __future__ import annotations

import pytest
from nalm_agent.measure.counting import kept
from nalm_agent.store.home import Home
from nalm_core.report.modelled_counts import ModelCount
from nalm_core.report.run_report import Arm, InstructionCount, Source

COUNTS = [
    InstructionCount(arm=Arm.BASE, source=Source.SIMULATED, packets=10, stages={"nat": 70}, unattributed=0),
    ModelCount(arm=Arm.BASE, packets=10, caches={}, stages={"nat": {"l1d_misses": 3}}, unattributed={}),
]


@pytest.mark.parametrize("count", COUNTS, ids=["instructions", "model"])
def test_a_kept_count_serves_any_arm(home: Home, count: InstructionCount | ModelCount) -> None:
    made = list[Arm]()

    def make() -> InstructionCount | ModelCount:
        made.append(count.arm)
        return count

    store, key = home.store(), f"address of {type(count).__name__}"
    assert kept(store, key, type(count), Arm.BASE, make) == count
    assert kept(store, key, type(count), Arm.HEAD, make) == count.model_copy(update={"arm": Arm.HEAD})
    assert made == [Arm.BASE]
