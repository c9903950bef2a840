# SPDX-License-Identifier: Apache-2.0
"""Measures what this host delivers per second, and the cost of a cache line that another CPU had
(native/host_supply.c)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from nalm_core.report.host_supply import HostSupply, LineState

from nalm_agent.host.bench import run_bench
from nalm_agent.host.facts import node_of, siblings
from nalm_agent.host.kernel_files import System
from nalm_agent.host.latency import MEMORY, available_bytes, sizes
from nalm_agent.native.library import program
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.home import Home

INSTRUCTIONS = "instructions"
WATTS = "watts"
PACKAGES = "/sys/class/powercap/intel-rapl:?"
"""Packages of the processor; their parts have a second number. AMD's are there, too."""
POWER_SECONDS = 0.5
MOST_CPUS = 256
ONE_CPU = "one CPU: nothing to measure between"
ONE_NODE = "one node"


@dataclass(frozen=True)
class Energy:
    """One reading of a package's counter."""

    microjoules: int
    range: int
    """The counter's value after which it begins at 0 again."""


def measure(
    home: Home, system: System, cpu: int, cpus: Sequence[int], *, caches: dict[str, int], core_hz: float
) -> HostSupply:
    """Measures `cpu` alone and all `cpus` together, in about two seconds. What fails is `missing`.

    Raises HostError if nothing can be measured.
    """
    binary, missing = program(home, "host_supply"), dict[str, str]()
    together = list(cpus)[:MOST_CPUS]

    def tried(name: str, figure: str, *arguments: object) -> float | None:
        try:
            return float(run_bench(binary, *arguments)[figure])
        except HostError as error:
            missing[name] = error.message
            return None

    one, every, lines = dict[str, float](), dict[str, float](), dict[LineState, float]()
    for used, found in (([cpu], one), (together, every)):
        per_s = tried(INSTRUCTIONS, "per_s", INSTRUCTIONS, *used)
        if per_s is not None:
            found[INSTRUCTIONS] = per_s
        for level, size in supply_sizes(caches, available_bytes(), len(used)).items():
            per_s = tried(level, "per_s", "lines", size, *used)
            if per_s is not None:
                found[level] = per_s
    for state, producer in producers(system, cpu, cpus).items():
        if isinstance(producer, str):
            missing[state] = producer
        elif (ns := tried(state, "ns", "line", state.removesuffix("_other_node"), producer, cpu)) is not None:
            lines[state] = ns
    watts = _watts(system, lambda: run_bench(binary, INSTRUCTIONS, *together))
    if isinstance(watts, str):
        missing[WATTS] = watts
    return HostSupply(
        one=one,
        together=every,
        cpus=len(together),
        core_hz=core_hz,
        watts=None if isinstance(watts, str) else watts,
        line_ns=lines,
        missing=missing,
    )


def supply_sizes(caches: dict[str, int], available: int, cpus: int) -> dict[str, int]:
    """Bytes that each CPU walks through: caches of its own as for latencies, of shared ones and of memory its
    part, but well outside of its own caches."""
    found, private = sizes(caches, available), 2 * caches.get("L2", caches.get("L1d", 0))
    shared = {
        level: max(found[level] // cpus, min(private, found[level]))
        for level in ("L3", MEMORY)
        if level in found
    }
    return {**found, **shared}


def producers(system: System, cpu: int, cpus: Sequence[int]) -> dict[LineState, int | str]:
    """By state of the line, the CPU that had it: of another core if there is one. Text: why none can."""
    beside = siblings(system, cpu) or []
    others = sorted((one for one in cpus if one != cpu), key=lambda one: one in beside)
    node = node_of(system, cpu)
    near = next((one for one in others if node_of(system, one) == node), ONE_CPU)
    far = next((one for one in others if node_of(system, one) != node), ONE_NODE)
    return {"clean": near, "dirty": near, "dirty_other_node": far, "memory": near, "memory_other_node": far}


def power(before: Mapping[str, Energy], after: Mapping[str, Energy], seconds: float) -> float | None:
    """Watts of all packages; None if a counter did not move."""
    used = [(after[name].microjoules - one.microjoules) % one.range for name, one in before.items()]
    return sum(used) / 1e6 / seconds if used and all(used) else None


def _watts(system: System, work: Callable[[], object]) -> float | str:
    """Power while all CPUs work, or why it is not known."""
    before = _energy(system)
    if isinstance(before, str):
        return before
    begin = time.monotonic()
    while time.monotonic() - begin < POWER_SECONDS:
        try:
            work()
        except HostError as error:
            return error.message
    after = _energy(system)
    if isinstance(after, str):
        return after
    return power(before, after, time.monotonic() - begin) or "the energy counter does not move"


def _energy(system: System) -> dict[str, Energy] | str:
    packages = system.names(PACKAGES)
    if not packages:
        return f"the kernel shows no {PACKAGES} here"
    found = {}
    for package in packages:
        values = []
        for name in ("energy_uj", "max_energy_range_uj"):
            text = system.text(f"{package}/{name}")
            if text is None or not text.isdigit():
                return system.why(f"{package}/{name}")
            values.append(int(text))
        found[package] = Energy(values[0], values[1] + 1)
    return found
