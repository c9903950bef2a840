# SPDX-License-Identifier: Apache-2.0
"""The quantities of a signature by name, for rules and evidence.

They are of the stage that pays, unless the words name something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True)
class Quantity:
    name: str
    words: str
    """The quantity's name in texts."""
    unit: str


_MISSES = "misses/packet"
_ALL = (
    Quantity("cpp", "cycles", "cycles/packet"),
    Quantity("ipp", "instructions", "instructions/packet"),
    Quantity("eipc", "instructions per cycle", "instructions/cycle"),
    Quantity("visit_rate", "visits", "visits/packet"),
    Quantity("mean_batch", "mean batch", "packets"),
    Quantity("l1d_misses_per_packet", "first-level data misses", _MISSES),
    Quantity("l1i_misses_per_packet", "first-level instruction misses", _MISSES),
    Quantity("l2_misses_per_packet", "second-level misses", _MISSES),
    Quantity("llc_misses_per_packet", "last-level misses", _MISSES),
    Quantity("branch_misses_per_packet", "branch mispredictions", "mispredictions/packet"),
    Quantity("dtlb_misses_per_packet", "data TLB misses", _MISSES),
    Quantity("data_accesses_per_packet", "data accesses", "accesses/packet"),
    Quantity("waiting_cpp", "cycles in locks, atomics and rings", "cycles/packet"),
    Quantity("serialising_cpp", "cycles at serialising instructions", "cycles/packet"),
    Quantity("atomic_cpp", "cycles at atomic instructions", "cycles/packet"),
    Quantity("blocked_load_cpp", "cycles at wide loads of narrow stores", "cycles/packet"),
    Quantity("division_cpp", "cycles at divisions and square roots", "cycles/packet"),
    Quantity("launch_spread", "spread between launches", "standard deviation of ln CPP"),
    Quantity("function_cpp", "cycles of the function", "cycles/packet"),
    Quantity("function_ipp", "instructions of the function", "instructions/packet"),
    Quantity("function_calls", "calls of the function", "calls/packet"),
    Quantity("function_per_call", "instructions of the function per call", "instructions/call"),
    Quantity("chain_cpp", "cycles of the chain", "cycles/packet"),
    Quantity("chain_ipp", "instructions of the chain", "instructions/packet"),
    Quantity("dearer_stages", "stages whose instructions grew", "stages"),
    Quantity("lcores", "lcores", "lcores"),
    Quantity("numa_nodes", "NUMA nodes of the host", "nodes"),
    Quantity("huge_pages", "huge pages (1: in use)", "1"),
    Quantity("no_huge", "EAL started with --no-huge (1: yes)", "1"),
    Quantity("small_page_mb", "memory on small pages", "MB"),
    Quantity("huge_page_mb", "memory on huge pages", "MB"),
    Quantity("compiler_changed", "compiler or options differ (1: yes)", "1"),
)

QUANTITIES: Final = MappingProxyType({one.name: one for one in _ALL})
