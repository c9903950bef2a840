# SPDX-License-Identifier: Apache-2.0
"""Measures latencies of memory and between CPUs (native/host_latency.c), and keeps the last result."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

from nalm_core.report.host_supply import HostSupply
from pydantic import BaseModel, ConfigDict, ValidationError

from nalm_agent.host.bench import run_bench
from nalm_agent.native.library import program
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.atomic_file import put
from nalm_agent.store.home import Home

FILE = "host-latency.json"
MEMORY = "memory"
MEMORY_TIMES_LAST_CACHE = 4
MEMORY_SHARE = 4
"""The measurement uses at most 1 / MEMORY_SHARE of the available memory."""
MOST_CPUS = 8
"""Most CPUs whose pairs are measured: of more, the first ones and one hardware thread beside the first."""
MOST_SHARERS = 4
"""Most CPUs whose load is tested beside the measuring CPU."""


class Latencies(BaseModel):
    """The latencies of one host."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: str
    host_class: str
    at: datetime
    cpu: int
    ns: dict[str, float]
    """Time of one dependent load by level: L1d, L2, L3, memory."""
    tlb: list[str]
    """Levels whose figures include TLB misses, because no huge pages were available."""
    transfer_ns: dict[str, float]
    """Time from a write until another CPU sees it, by pair of CPUs, "0-1"."""
    ghz: list[float]
    """Core clock of many samples of a fraction of a millisecond, sorted."""
    sharing: dict[str, float] = {}
    """By pair, "1-0": factor by which `cpu` needs longer for the same work while the other CPU is busy."""
    missing: dict[str, str]
    """Why a level or pair has no figure."""
    supply: HostSupply | None = None
    """None: from before it was measured."""

    @property
    def core_ghz(self) -> float:
        """Median core clock."""
        return statistics.median(self.ghz)

    def swing(self) -> float:
        """Core clock from the 5th to the 95th percentile, relative to the median."""
        low, high = (self.ghz[int(share * (len(self.ghz) - 1))] for share in (0.05, 0.95))
        return (high - low) / self.core_ghz


def measure(
    home: Home,
    host: tuple[str, str],
    cpu: int,
    caches: dict[str, int],
    pairs: Sequence[tuple[int, int]],
    *,
    neighbours: Sequence[int] = (),
) -> Latencies:
    """Measures on `cpu`, between pairs, and on `cpu` beside each neighbour, in about two seconds; host: its
    name and class.

    Raises HostError if nothing can be measured.
    """
    binary = program(home, "host_latency")
    ghz = sorted(float(value) for value in run_bench(binary, "speed", cpu)["ghz"])
    ns, transfer, missing, tlb = dict[str, float](), dict[str, float](), dict[str, str](), list[str]()
    for level, size in sizes(caches, available_bytes()).items():
        try:
            found = run_bench(binary, "chase", cpu, size)
        except HostError as error:
            missing[level] = error.message
            continue
        ns[level] = found["ns"]
        if found["huge_bytes"] < found["bytes"]:
            tlb.append(level)
    for one, other in pairs:
        try:
            transfer[f"{one}-{other}"] = run_bench(binary, "transfer", one, other)["ns"]
        except HostError as error:
            missing[f"{one}-{other}"] = error.message
    sharing = dict[str, float]()
    for other in neighbours:
        try:
            sharing[f"{cpu}-{other}"] = run_bench(binary, "sharing", cpu, other)["ratio"]
        except HostError as error:
            missing[f"{cpu} beside {other}"] = error.message
    return Latencies(
        host=host[0],
        host_class=host[1],
        at=datetime.now(UTC),
        cpu=cpu,
        ns=ns,
        tlb=tlb,
        transfer_ns=transfer,
        ghz=ghz,
        sharing=sharing,
        missing=missing,
    )


def sizes(caches: dict[str, int], available: int) -> dict[str, int]:
    """Bytes of the pointer chase for each level: well inside it, and well outside the level before.

    Only a part of a shared last-level cache can be expected to be available. There is no memory level if too
    little memory is free for it.
    """
    found, before = dict[str, int](), 0
    for level in ("L1d", "L2", "L3"):
        if level in caches:
            part = 8 if level == "L3" else 2
            found[level] = min(max(caches[level] // part, 2 * before), caches[level])
            before = caches[level]
    size = max(MEMORY_TIMES_LAST_CACHE * before, 64 << 20)
    if size <= available // MEMORY_SHARE:
        found[MEMORY] = size
    return found


def available_bytes() -> int:
    """Memory that programs can still get (/proc/meminfo)."""
    fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    return int(fields["MemAvailable"].split()[0]) << 10


def pairs_of(cpus: Sequence[int], beside: Sequence[int] = ()) -> list[tuple[int, int]]:
    """Pairs to measure: of up to MOST_CPUS spread over `cpus`, and those in `beside`."""
    step = max(1, len(cpus) // MOST_CPUS)
    chosen = sorted(set(list(cpus)[::step][:MOST_CPUS]) | set(beside))
    return list(combinations(chosen, 2))


def neighbours_of(cpus: Sequence[int], cpu: int, beside: Sequence[int] = ()) -> list[int]:
    """The other CPUs whose load is tested beside `cpu`, at most MOST_SHARERS: those in `beside` first, then
    those that a hidden thread of its core may be: the next numbers, and the one half of all CPUs away."""
    others = sorted((one for one in cpus if one != cpu), key=lambda one: (abs(one - cpu), one))
    ordered, half = list(cpus), len(cpus) // 2
    opposite = ordered[(ordered.index(cpu) + half) % len(ordered)]
    first = [*beside, *others[:1], opposite, *others]
    return [one for one in dict.fromkeys(first) if one != cpu][:MOST_SHARERS]


def remember(home: Home, found: Latencies) -> None:
    """Keeps the latencies for later fingerprints."""
    put(home.folder(".") / FILE, found.model_dump_json().encode() + b"\n", mode=0o644)


def recall(home: Home, host: str, host_class: str) -> Latencies | None:
    """The last latencies of this host; None if there are none, or if the host has changed."""
    try:
        found = Latencies.model_validate_json((home.root / FILE).read_bytes())
    except (OSError, ValidationError):
        return None
    return found if (found.host, found.host_class) == (host, host_class) else None
