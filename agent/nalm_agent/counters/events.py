# SPDX-License-Identifier: Apache-2.0
"""Hardware events: their names in reports, PAPI and perf, their meaning, and how many fit into one run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Event:
    """One hardware event, of user space only."""

    name: str
    papi: str
    """PAPI's preset, or the processor's own event where there is no preset."""
    perf: str | None
    """perf's generic event, which the kernel maps to the processor's; None if there is none."""
    meaning: str
    hardware: bool = True


CYCLES = Event("cycles", "PAPI_TOT_CYC", "cycles:u", "core cycles, at whatever frequency the core runs")
INSTRUCTIONS = Event("instructions", "PAPI_TOT_INS", "instructions:u", "instructions completed")
EVENTS = (
    CYCLES,
    INSTRUCTIONS,
    Event("l1d_misses", "PAPI_L1_DCM", "L1-dcache-load-misses:u", "data not in the first-level cache"),
    Event("l1d_accesses", "PAPI_L1_DCA", "L1-dcache-loads:u", "reads and writes of data"),
    Event("l1d_replacements", "L1D:REPLACEMENT", None, "lines brought into the first-level data cache"),
    Event("l2_misses", "PAPI_L2_DCM", None, "data not in the second-level cache"),
    Event(
        "l3_misses", "PAPI_L3_TCM", "LLC-load-misses:u", "data that had to come from memory or another socket"
    ),
    Event("branches", "PAPI_BR_INS", "branches:u", "branch instructions completed"),
    Event("branch_misses", "PAPI_BR_MSP", "branch-misses:u", "mispredicted branches"),
    Event("dtlb_misses", "PAPI_TLB_DM", "dTLB-load-misses:u", "data addresses not in the TLB"),
)

COUNTERS = 4
"""Assumed number of counters: a thread has so many on Intel's cores with SMT; AMD's cores have six."""


def groups(events: Sequence[Event], counters: int = COUNTERS) -> list[tuple[Event, ...]]:
    """Events by the run that counts them. Each run counts cycles and instructions first, so that runs can be
    compared. Events that do not fit are counted in further runs; nothing is multiplexed.

    Raises ValueError for fewer than three counters if there are other events than cycles and instructions.
    """
    others = [event for event in events if event not in (CYCLES, INSTRUCTIONS)]
    if not others:
        return [(CYCLES, INSTRUCTIONS)]
    room = counters - 2
    if room < 1:
        raise ValueError(f"{counters} counters leave none in addition to cycles and instructions")
    return [(CYCLES, INSTRUCTIONS, *others[at : at + room]) for at in range(0, len(others), room)]


_DATA_STALLS = {
    "GenuineIntel": "CYCLE_ACTIVITY:STALLS_L1D_MISS",
    "AuthenticAMD": "CYCLES_NO_RETIRE:NOT_COMPLETE_MISSING_LOAD",
}


def data_stalls(cpuinfo: str) -> Event | None:
    """Cycles in which nothing was executed (on AMD: completed) because a load waited for its data.

    It has no preset and is no part of EVENTS. cpuinfo: text of /proc/cpuinfo. None: a vendor without one.
    """
    vendor = re.search(r"^vendor_id\s*:\s*(\S+)", cpuinfo, re.MULTILINE)
    name = _DATA_STALLS.get(vendor[1]) if vendor else None
    if name is None:
        return None
    return Event("data_stalls", name, None, "cycles that waited for data of a load")
