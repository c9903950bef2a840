# SPDX-License-Identifier: Apache-2.0
"""Facts about processor and settings from the kernel. None means unknown, which is never assumed to be
fine."""

from __future__ import annotations

import hashlib
import re

from nalm_agent.host.kernel_files import System, cpu_list

CPU = "/sys/devices/system/cpu"
THP = "/sys/kernel/mm/transparent_hugepage/enabled"
NO_TURBO = f"{CPU}/intel_pstate/no_turbo"
BOOST = f"{CPU}/cpufreq/boost"
ISOLATED = f"{CPU}/isolated"
NOHZ_FULL = f"{CPU}/nohz_full"
NODES = "/sys/devices/system/node/node[0-9]*"
VULNERABILITIES = f"{CPU}/vulnerabilities/*"
NOT_AFFECTED = "Not affected"


def siblings(system: System, cpu: int) -> list[int] | None:
    """CPUs that are hardware threads of one core, `cpu` among them."""
    text = system.text(f"{CPU}/cpu{cpu}/topology/thread_siblings_list")
    return cpu_list(text) if text else None


def smt(system: System) -> bool | None:
    """Whether hardware threads share cores."""
    active = system.text(f"{CPU}/smt/active")
    if active in ("0", "1"):
        return active == "1"
    shared = siblings(system, 0)
    return None if shared is None else len(shared) > 1


def numa_nodes(system: System) -> int | None:
    """Number of NUMA nodes."""
    return len(system.names(NODES)) or None


def node_of(system: System, cpu: int) -> int | None:
    """The NUMA node of a CPU."""
    found = system.names(f"{CPU}/cpu{cpu}/node[0-9]*")
    return int(found[0].rpartition("node")[2]) if found else None


def microcodes(system: System) -> list[str]:
    """Distinct revisions of the CPUs' microcode."""
    text = system.text("/proc/cpuinfo") or ""
    return sorted(set(re.findall(r"^microcode\s*:\s*(\S+)$", text, re.MULTILINE)))


def turbo(system: System) -> bool | None:
    """Whether the clock may rise above its nominal rate."""
    for path, means_on in ((NO_TURBO, "0"), (BOOST, "1")):
        text = system.text(path)
        if text in ("0", "1"):
            return text == means_on
    return None


def isolated_cpus(system: System) -> list[int] | None:
    """CPUs on which the scheduler does not place programs by itself."""
    text = system.text(ISOLATED)
    return None if text is None else cpu_list(text)


def mitigations(system: System) -> dict[str, str] | None:
    """The kernel's mitigation of each vulnerability of this processor."""
    states = {path.rpartition("/")[2]: system.text(path) for path in system.names(VULNERABILITIES)}
    known = {name: state for name, state in states.items() if state}
    return {name: state for name, state in known.items() if state != NOT_AFFECTED} if known else None


def chosen(text: str | None) -> str | None:
    """The choice in brackets of a kernel file such as `always [madvise] never`."""
    found = re.search(r"\[(\S+)\]", text or "")
    return found[1] if found else None


def thp(system: System) -> str | None:
    """Transparent huge pages: always, madvise or never."""
    return chosen(system.text(THP))


def cmdline_digest(system: System) -> str | None:
    """Digest of the kernel's command line."""
    text = system.text("/proc/cmdline")
    return hashlib.sha256(text.encode()).hexdigest()[:16] if text else None
