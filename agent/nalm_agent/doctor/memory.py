# SPDX-License-Identifier: Apache-2.0
"""Huge pages, pages that the kernel moves, address randomisation, space in memory and on disk."""

from __future__ import annotations

import shutil

from nalm_agent.doctor.clock import TUNE
from nalm_agent.doctor.finding import Finding, note, ok, unknown
from nalm_agent.doctor.look import Look
from nalm_agent.host.facts import NODES, THP, thp
from nalm_agent.host.fingerprint import HUGE_PAGE_BYTES_NEEDED
from nalm_agent.host.tunables import NUMA_BALANCING

MIN_MEMORY_BYTES = 2 << 30
MIN_DISK_BYTES = 2 << 30
RANDOMIZE = "/proc/sys/kernel/randomize_va_space"


def huge_pages(look: Look) -> Finding:
    fields = meminfo(look)
    if "Hugepagesize" not in fields:
        return unknown(
            "huge pages",
            look.hidden("/proc/meminfo"),
            "the NF runs with --no-huge: more TLB misses, and a host class of its own",
            "use a kernel with huge pages",
        )
    size = fields["Hugepagesize"]
    free, total = (fields.get(f"HugePages_{which}", 0) * size >> 20 for which in ("Free", "Total"))
    required = HUGE_PAGE_BYTES_NEEDED >> 20
    value = f"{free} of {total} MiB free{_by_node(look)}"
    if free >= required:
        return ok("huge pages", value)
    if total >= required:
        return note(
            "huge pages",
            f"{value}, {required} needed",
            "a measurement that starts now cannot allocate them and ends without a result",
            "end the program that holds them",
        )
    return note(
        "huge pages",
        f"{total} MiB reserved, {required} needed",
        "the NF runs with --no-huge: more TLB misses, and a host class of its own",
        f"sysctl -w vm.nr_hugepages={(required << 20) // size}, or nalm doctor --tune",
    )


def meminfo(look: Look) -> dict[str, int]:
    """/proc/meminfo by name: sizes in bytes, counts as they are."""
    found = {}
    for line in (look.system.text("/proc/meminfo") or "").splitlines():
        name, _, rest = line.partition(":")
        fields = rest.split()
        found[name] = int(fields[0]) << (10 if fields[1:] == ["kB"] else 0)
    return found


def transparent_huge_pages(look: Look) -> Finding:
    state = thp(look.system)
    if state is None:
        return unknown(
            "thp",
            look.hidden(THP),
            "the kernel may merge pages during a launch, which changes its cycles by a step",
            "mount /sys",
        )
    if state != "always":
        return ok("thp", state)
    return note(
        "thp",
        state,
        "the kernel merges pages while an NF runs, in some launches and not in others",
        TUNE,
    )


def numa_balancing(look: Look) -> Finding:
    state = look.system.text(NUMA_BALANCING)
    nodes = len(look.system.names(NODES))
    if state is None and nodes > 1:
        return unknown(
            "numa balancing",
            look.hidden(NUMA_BALANCING),
            "the kernel may unmap and move pages while an NF runs",
            "mount /proc of the host",
        )
    if state in (None, "0") or nodes == 1:
        return ok("numa balancing", "off" if state in (None, "0") else "on, without effect on one node")
    return note(
        "numa balancing",
        "on",
        "the kernel unmaps and moves pages while an NF runs, which causes page faults in turns",
        TUNE,
    )


def layout(look: Look) -> Finding:
    """Checks address randomisation, by which launches differ in the layout of code and memory."""
    state = look.system.text(RANDOMIZE)
    if state is None:
        return unknown(
            "layout",
            look.hidden(RANDOMIZE),
            "launches may all have the same memory layout",
            "mount /proc of the host",
        )
    if state == "2":
        return ok("layout", "addresses are random in every launch")
    return note(
        "layout",
        f"{RANDOMIZE} is {state}: addresses are (almost) the same in every launch",
        "the cost of one layout counts as the code's cost: intervals are too narrow",
        "sysctl -w kernel.randomize_va_space=2",
    )


def memory(look: Look) -> Finding:
    available = meminfo(look).get("MemAvailable")
    if available is None:
        return unknown(
            "memory", look.hidden("/proc/meminfo"), "the kernel may kill builds and valgrind", "mount /proc"
        )
    value = f"{available / 2**30:.1f} GiB available"
    if available >= MIN_MEMORY_BYTES:
        return ok("memory", value)
    return note("memory", value, "the kernel may kill builds and valgrind", "free 2 GiB or add memory")


def disk(look: Look) -> Finding:
    free = shutil.disk_usage(look.home.folder(".")).free
    value = f"{free / 2**30:.1f} GiB free at NALM_HOME"
    if free >= MIN_DISK_BYTES:
        return ok("disk", value)
    return note("disk", value, "builds may not fit", "free space, or set NALM_HOME to a larger disk")


def _by_node(look: Look) -> str:
    nodes = look.system.names(NODES)
    if len(nodes) < 2:
        return ""
    parts = []
    for node in nodes:
        pages = sum(
            int(look.system.text(path) or 0)
            for path in look.system.names(f"{node}/hugepages/*/free_hugepages")
        )
        parts.append(f"{node.rpartition('/')[2]}: {pages} pages free")
    return f" ({', '.join(parts)})"
