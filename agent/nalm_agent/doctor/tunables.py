# SPDX-License-Identifier: Apache-2.0
"""Settings that `--tune` may change: target value, reason, and how each file is read and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nalm_agent.doctor.clock import SLOW_WAKE_US
from nalm_agent.doctor.isolation import WATCHDOG
from nalm_agent.doctor.memory import NUMA_BALANCING
from nalm_agent.host.facts import BOOST, CPU, NO_TURBO, THP, chosen
from nalm_agent.host.fingerprint import HUGE_PAGE_BYTES_NEEDED
from nalm_agent.host.kernel_files import System, as_cpu_list, cpu_list

NMI_WATCHDOG = "/proc/sys/kernel/nmi_watchdog"
HUGE_PAGES = "/proc/sys/vm/nr_hugepages"
HUGE_PAGES_SHARE = 2
"""Huge pages are reserved only if they take at most 1 / HUGE_PAGES_SHARE of the available memory."""

OURS = re.compile(
    rf"{CPU}/cpu\d+/cpufreq/scaling_governor|{NO_TURBO}|{BOOST}|{CPU}/cpu\d+/cpuidle/state\d+/disable"
    rf"|/proc/irq/\d+/smp_affinity_list|{THP}|{NUMA_BALANCING}|{HUGE_PAGES}|{NMI_WATCHDOG}|{WATCHDOG}"
)
"""Paths that may be written. A path of a state file that does not match is never written."""
VALUE = re.compile(r"[a-z0-9_,\-]{1,4096}")


@dataclass(frozen=True)
class Change:
    """One setting to change."""

    path: str
    before: str
    target: str
    why: str


def read(system: System, path: str) -> str | None:
    """The value of a setting in the form in which it is written; None if it does not exist."""
    text = system.text(path)
    return chosen(text) if path == THP else text


def changes_for(system: System, measuring: tuple[int, ...], others: tuple[int, ...]) -> list[Change]:
    """The settings of this host that are unsuitable for measuring, in the order in which to change them.

    others: CPUs that may handle interrupts instead.
    """
    kinds: tuple[Callable[[], Iterator[Change]], ...] = (
        lambda: _governor(system, measuring),
        lambda: _turbo(system),
        lambda: _idle_states(system, measuring),
        lambda: _interrupts(system, measuring, others),
        lambda: _thp(system),
        lambda: _numa_balancing(system),
        lambda: _huge_pages(system),
        lambda: _watchdogs(system),
    )
    return [change for kind in kinds for change in kind()]


def _set(system: System, path: str, value: str, why: str) -> Iterator[Change]:
    before = read(system, path)
    if before is not None and before != value:
        yield Change(path, before, value, why)


def _governor(system: System, measuring: tuple[int, ...]) -> Iterator[Change]:
    for cpu in measuring:
        folder = f"{CPU}/cpu{cpu}/cpufreq"
        if "performance" in (system.text(f"{folder}/scaling_available_governors") or "").split():
            yield from _set(
                system, f"{folder}/scaling_governor", "performance", "a clock that does not depend on load"
            )


def _turbo(system: System) -> Iterator[Change]:
    yield from _set(system, NO_TURBO, "1", "a clock that does not depend on temperature")
    yield from _set(system, BOOST, "0", "a clock that does not depend on temperature")


def _idle_states(system: System, measuring: tuple[int, ...]) -> Iterator[Change]:
    for cpu in measuring:
        for state in system.names(f"{CPU}/cpu{cpu}/cpuidle/state[0-9]*"):
            latency = system.text(f"{state}/latency") or ""
            if latency.isdigit() and int(latency) > SLOW_WAKE_US:
                yield from _set(
                    system, f"{state}/disable", "1", f"no idle state with a wake-up latency of {latency} us"
                )


def _interrupts(system: System, measuring: tuple[int, ...], others: tuple[int, ...]) -> Iterator[Change]:
    for path in system.names("/proc/irq/[0-9]*/smp_affinity_list"):
        before = cpu_list(system.text(path) or "")
        # Only CPUs that are already allowed, so that a device's queue stays near its node.
        left = [cpu for cpu in before if cpu not in measuring] or list(others)
        if set(before) & set(measuring) and left:
            yield from _set(system, path, as_cpu_list(left), "device interrupts away from the measuring CPUs")


def _thp(system: System) -> Iterator[Change]:
    if read(system, THP) == "always":
        yield from _set(system, THP, "madvise", "huge pages only where a program asks for them")


def _numa_balancing(system: System) -> Iterator[Change]:
    yield from _set(system, NUMA_BALANCING, "0", "no page moves while an NF runs")


def _huge_pages(system: System) -> Iterator[Change]:
    fields = dict(re.findall(r"^(\w+):\s+(\d+)", system.text("/proc/meminfo") or "", re.MULTILINE))
    page = int(fields.get("Hugepagesize", 0)) << 10
    now = read(system, HUGE_PAGES)
    if not page or now is None or not now.isdigit():
        return
    pages = -(-HUGE_PAGE_BYTES_NEEDED // page)
    missing = (pages - int(now)) * page
    if 0 < missing <= (int(fields.get("MemAvailable", 0)) << 10) // HUGE_PAGES_SHARE:
        yield from _set(system, HUGE_PAGES, str(pages), "huge pages for every arm (another host class)")


def _watchdogs(system: System) -> Iterator[Change]:
    # WATCHDOG also switches NMI_WATCHDOG. Reverting in reverse order restores both values.
    yield from _set(system, NMI_WATCHDOG, "0", "one more free PMU counter")
    yield from _set(system, WATCHDOG, "0", "no watchdog that wakes on every CPU")
