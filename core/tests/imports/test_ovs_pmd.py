# SPDX-License-Identifier: Apache-2.0
"""Open vSwitch's own figures of its PMD threads, read into the catalogue's."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from nalm_core.imports.figures import Given, ImportFailedError
from nalm_core.imports.ovs_pmd import read

# One thread under load, in the format of Open vSwitch's lib/dpif-netdev-perf.c; the figures are those that
# openstack-network-exporter (Apache-2.0, collectors/pmd_perf) names as its examples.
SHOWN = """Time: 09:00:00.000
Measurement duration: 434940.000 s

pmd thread numa_id 0 core_id 39:

  Iterations:         184304299142  (2.35 us/it)
  - Used TSC cycles:  997990776491190  ( 99.8 % of total cycles)
  - idle iterations:  157612371830  (  7.3 % of used cycles)
  - busy iterations:   26691927312  ( 92.7 % of used cycles)
  - sleep iterations:            0  (  0.0 % of iterations)
  Sleep time (us):               0  (  0 us/iteration avg.)
  Rx packets:         1553492231479  (3572 Kpps, 595 cycles/pkt)
  Datapath passes:    1553492231479  (1.00 passes/pkt)
  - EMC hits:         1548027394828  ( 99.6 %)
  - Megaflow hits:      5464836649  (  0.4 %, 1.00 subtbl lookups/hit)
  - Upcalls:                     2  (  0.0 %, 0.0 us/upcall)
  - Lost upcalls:                0  (  0.0 %)
  Tx packets:         1553492699287  (3572 Kpps)
  Tx batches:          50017523886  (31.06 pkts/batch)
"""
IDLE = """
pmd thread numa_id 0 core_id 3:

  Iterations:              1000  (1.00 us/it)
  - Used TSC cycles:    2000000  ( 99.8 % of total cycles)
  - idle iterations:       1000  (100.0 % of used cycles)
  - busy iterations:          0  (  0.0 % of used cycles)
"""
GIVEN = Given(commit="a" * 40, scenario="ovs", time=datetime(2026, 11, 21, tzinfo=UTC))


def figures(text: str) -> dict[str, float]:
    (run,) = read(text, GIVEN)
    return {one.metric: one.value for one in run.values}


def test_cycles_per_packet_are_those_it_prints() -> None:
    found = figures(SHOWN)
    assert found["cpp"] == pytest.approx(595, abs=1)
    assert found["cur"] == pytest.approx(0.927)


def test_a_thread_that_polls_in_vain_adds_nothing() -> None:
    assert figures(SHOWN + IDLE) == pytest.approx(figures(SHOWN))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("nothing", "dpif-netdev/pmd-perf-show"),
        (IDLE, "no packet was received"),
        (SHOWN.replace("997990776491190", "many"), "line 7"),
    ],
)
def test_a_mistake_is_named(text: str, named: str) -> None:
    with pytest.raises(ImportFailedError, match=named):
        read(text, GIVEN)
