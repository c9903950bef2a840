# SPDX-License-Identifier: Apache-2.0
"""Kernel files below a directory: a server with all that a virtual machine hides, and a look at it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from nalm_agent.doctor.look import Disturbed, Look
from nalm_agent.host.kernel_files import System
from nalm_agent.host.latency import Latencies
from nalm_agent.store.home import Home
from nalm_core.report.host_supply import HostSupply

CPU = "sys/devices/system/cpu"

LATENCIES = Latencies(
    host="metal",
    host_class="xeon",
    at=datetime(2026, 1, 1, tzinfo=UTC),
    cpu=3,
    ns={"L1d": 1.5, "L2": 5.0, "L3": 20.0, "memory": 90.0},
    tlb=["memory"],
    transfer_ns={"2-3": 12.0, "1-3": 50.0, "0-3": 130.0},
    ghz=[3.0] * 100,
    sharing={"3-2": 1.0},
    missing={},
    supply=HostSupply(
        one={"instructions": 9e9, "L2": 0.6e9, "memory": 60e6},
        together={"instructions": 16e9, "L2": 1.2e9, "memory": 90e6},
        cpus=4,
        core_hz=3e9,
        watts=41.25,
        line_ns={"clean": 20.0, "dirty": 30.0, "memory": 90.0},
        missing={"dirty_other_node": "one node", "memory_other_node": "one node"},
    ),
)


def files(root: Path, contents: dict[str, str]) -> None:
    """Writes files below root, without a leading slash in their names."""
    for name, text in contents.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")


def metal(root: Path) -> System:
    """Four CPUs, two threads a core, two nodes; nothing of it tuned."""
    for cpu in range(4):
        core = f"{CPU}/cpu{cpu}"
        pair = cpu // 2 * 2
        files(
            root,
            {
                f"{core}/topology/thread_siblings_list": f"{pair}-{pair + 1}",
                f"{core}/cpufreq/scaling_governor": "powersave",
                f"{core}/cpufreq/scaling_available_governors": "performance powersave",
                f"{core}/cpuidle/state0/name": "POLL",
                f"{core}/cpuidle/state0/latency": "0",
                f"{core}/cpuidle/state0/disable": "0",
                f"{core}/cpuidle/state2/name": "C6",
                f"{core}/cpuidle/state2/latency": "133",
                f"{core}/cpuidle/state2/disable": "0",
                f"{core}/node{cpu // 2}/x": "",
            },
        )
    for node in range(2):
        files(root, {f"sys/devices/system/node/node{node}/hugepages/hugepages-2048kB/free_hugepages": "7"})
    files(
        root,
        {
            f"{CPU}/online": "0-3",
            f"{CPU}/smt/active": "1",
            f"{CPU}/isolated": "",
            f"{CPU}/nohz_full": "(null)",
            f"{CPU}/intel_pstate/no_turbo": "0",
            f"{CPU}/vulnerabilities/meltdown": "Mitigation: PTI",
            f"{CPU}/vulnerabilities/l1tf": "Not affected",
            "proc/cpuinfo": "\n\n".join(f"processor : {n}\nmicrocode\t: 0x{n // 2}a" for n in range(4)),
            "proc/cmdline": "ro quiet",
            "proc/loadavg": "3.00 1.00 0.50 1/200 4711",
            "proc/meminfo": "MemAvailable:   16777216 kB\nHugePages_Total:       0\n"
            "HugePages_Free:        0\nHugepagesize:       2048 kB",
            "proc/irq/24/smp_affinity_list": "0-3",
            "proc/irq/25/smp_affinity_list": "3",
            "proc/irq/26/smp_affinity_list": "0",
            "proc/sys/kernel/numa_balancing": "1",
            "proc/sys/kernel/randomize_va_space": "0",
            "proc/sys/kernel/watchdog": "1",
            "proc/sys/kernel/nmi_watchdog": "1",
            "proc/sys/kernel/random/boot_id": "boot-1",
            "proc/sys/vm/nr_hugepages": "0",
            "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never",
        },
    )
    return System(root)


def look_at(system: System, home: Home, **values: object) -> Look:
    """A look at a tree; what a test is about is given."""
    quiet = Disturbed(seconds=2.0, stolen=0.0, interrupts=dict.fromkeys(range(4), 0.0))
    found = Look(system, home, (0, 1, 2, 3), (3,), quiet, LATENCIES, None, virtual=False)
    return replace(found, **values)
