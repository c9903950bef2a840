# SPDX-License-Identifier: Apache-2.0
"""The fingerprint of this host, and the CPU time that other guests took."""

from __future__ import annotations

import os
import platform
import re
import socket
from collections.abc import Sequence
from pathlib import Path

from nalm_core.report.host_match import HUGE_PAGES
from nalm_core.report.run_report import Host

from nalm_agent.config.nalm_toml import MEMORY_MB
from nalm_agent.host import facts, latency
from nalm_agent.host.cpu_choices import PINNED, SIMD_BITS
from nalm_agent.host.kernel_files import System
from nalm_agent.host.tsc import frequency_hz
from nalm_agent.native.toolchain import toolchain
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.home import Home

MAX_ARMS = 3
HUGE_PAGE_BYTES_NEEDED = MAX_ARMS * MEMORY_MB << 20
_CPU = Path("/sys/devices/system/cpu/cpu0")


def fingerprint(home: Home | None = None) -> Host:
    """The host's fingerprint. Raises HostError without a known TSC rate.

    home: where `nalm doctor` keeps the latencies it measured; the user's own unless another is given.
    """
    tsc_hz = frequency_hz()
    if tsc_hz is None:
        raise HostError("the rate of this processor's TSC is not known", hint="nalm measures on x86-64 hosts")
    model, cores = cpu_model(), os.cpu_count() or 1
    huge, name, system = uses_huge_pages(), socket.gethostname(), System()
    kind = host_class(model, cores, tsc_hz, huge_pages=huge)
    seen = latency.recall(home or Home.default(), name, kind)
    return Host(
        name=name,
        host_class=kind,
        cpu_model=model,
        cores=cores,
        tsc_hz=tsc_hz,
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        kernel=platform.release(),
        os=platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()),
        virtual=is_virtual(),
        huge_pages=huge,
        governor=_read(_CPU / "cpufreq/scaling_governor"),
        caches=caches(),
        pinned=PINNED | {"simd_bits": str(SIMD_BITS)},
        smt=facts.smt(system),
        numa_nodes=facts.numa_nodes(system),
        microcode=", ".join(facts.microcodes(system)) or None,
        turbo=facts.turbo(system),
        isolated_cpus=facts.isolated_cpus(system),
        mitigations=facts.mitigations(system),
        thp=facts.thp(system),
        cmdline_digest=facts.cmdline_digest(system),
        libraries=toolchain().libraries(),
        latencies_ns=seen and seen.ns,
        transfer_ns=seen and seen.transfer_ns,
        latencies_at=seen and seen.at,
        supply=seen and seen.supply,
    )


def host_class(model: str, cores: int, tsc_hz: int, *, huge_pages: bool) -> str:
    """Properties that must match for runs to share a series: processor, cores, TSC rate, huge pages."""
    slug = re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-")
    pages = next(end for end, uses in HUGE_PAGES.items() if uses is huge_pages)
    return f"{slug}-{cores}c-{tsc_hz / 1e9:.1f}ghz{pages}"


def cpu_model() -> str:
    """The kernel's name of the processor, or its architecture if the kernel gives none."""
    found = re.search(r"^model name\s*:\s*(.*)$", _read(Path("/proc/cpuinfo")) or "", re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def is_virtual() -> bool:
    """True if the processor reports a hypervisor."""
    return " hypervisor" in Path("/proc/cpuinfo").read_text()


def huge_page_bytes(which: str) -> int:
    """Bytes in huge pages of the default size: `which` is Total or Free, as /proc/meminfo calls them."""
    fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    pages = int(fields.get(f"HugePages_{which}", "0"))
    return pages * (int(fields.get("Hugepagesize", "0 kB").split()[0]) << 10)


def uses_huge_pages() -> bool:
    """True if this host has reserved enough huge pages for every arm of a run.

    It counts reserved pages, not free ones: the host class must not change while pages are in use.
    """
    return huge_page_bytes("Total") >= HUGE_PAGE_BYTES_NEEDED


def require_huge_pages(memory_mb: int) -> None:
    """For a run whose arms have `memory_mb` each. Raises HostError as require_free_huge_pages."""
    require_free_huge_pages(MAX_ARMS * memory_mb)


def require_free_huge_pages(total_mb: int) -> None:
    """total_mb: of all NFs that live at the same time. Raises HostError if fewer huge pages are free."""
    free = huge_page_bytes("Free") >> 20
    if free < total_mb:
        raise HostError(
            f"only {free} MiB in huge pages are free, but a run of this scenario needs {total_mb}",
            hint="end the program that holds them, or reserve more (vm.nr_hugepages)",
        )


def caches() -> dict[str, int]:
    """Size in bytes by name, L1d, L1i, L2, L3, as one core sees them."""
    sizes = {}
    for index in sorted((_CPU / "cache").glob("index*")):
        level, kind, size = (_read(index / name) for name in ("level", "type", "size"))
        if level and size:
            suffix = {"Data": "d", "Instruction": "i"}.get(kind or "", "")
            sizes[f"L{level}{suffix}"] = int(size.rstrip("KMG")) * _unit(size)
    return sizes


def steal_ns(cpus: Sequence[int]) -> int:
    """Nanoseconds that the hypervisor gave to other guests on these CPUs since boot (/proc/stat, field 8)."""
    ticks = 0
    for line in Path("/proc/stat").read_text().splitlines():
        name, *fields = line.split()
        if name.removeprefix("cpu").isdigit() and int(name[3:]) in cpus:
            ticks += int(fields[7])
    return ticks * (1_000_000_000 // os.sysconf("SC_CLK_TCK"))


def _unit(size: str) -> int:
    return {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(size[-1], 1)


def _read(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except OSError:
        return None
