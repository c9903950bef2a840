# SPDX-License-Identifier: Apache-2.0
"""All examinations, in the order in which a measurement needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nalm_agent.doctor import clock, disturbance, escapes, isolation, memory, processor, supply, tools
from nalm_agent.doctor.finding import Finding
from nalm_agent.doctor.look import Look

LOOKS: Sequence[Callable[[Look], Finding]] = (
    processor.cores,
    processor.virtualisation,
    processor.smt,
    processor.numa,
    processor.caches,
    processor.latencies,
    processor.transfer,
    supply.cache_lines,
    supply.supply,
    supply.power,
    processor.sharing,
    processor.microcode,
    processor.mitigations,
    clock.tsc,
    clock.core_clock,
    clock.governor,
    clock.turbo,
    clock.idle_states,
    isolation.isolation,
    isolation.cpuset,
    isolation.interrupts,
    isolation.watchdog,
    memory.huge_pages,
    memory.transparent_huge_pages,
    memory.numa_balancing,
    memory.layout,
    memory.memory,
    memory.disk,
    disturbance.steal,
    disturbance.load,
)


def examine(look: Look) -> list[Finding]:
    """Findings about the host, the tools, each source of counters, and escapes from builds."""
    return [one(look) for one in LOOKS] + tools.findings() + escapes.findings(look.home)
