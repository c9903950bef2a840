# SPDX-License-Identifier: Apache-2.0
"""Settings that `--tune` may change and `nalm experiment platform` varies: target value, reason, and how each
file is read and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from nalm_agent.host.facts import BOOST, CPU, NO_TURBO, THP, chosen
from nalm_agent.host.fingerprint import HUGE_PAGE_BYTES_NEEDED
from nalm_agent.host.kernel_files import System, as_cpu_list, cpu_list

GOVERNOR = f"{CPU}/cpu[0-9]*/cpufreq/scaling_governor"
IDLE_STATES = f"{CPU}/cpu[0-9]*/cpuidle/state[0-9]*/disable"
INTERRUPTS = "/proc/irq/[0-9]*/smp_affinity_list"
NUMA_BALANCING = "/proc/sys/kernel/numa_balancing"
WATCHDOG = "/proc/sys/kernel/watchdog"
NMI_WATCHDOG = "/proc/sys/kernel/nmi_watchdog"
HUGE_PAGES = "/proc/sys/vm/nr_hugepages"
HUGE_PAGES_SHARE = 2
"""Huge pages are reserved only if they take at most 1 / HUGE_PAGES_SHARE of the available memory."""
SLOW_WAKE_US = 10
"""Wake-up latency above which an idle state counts as deep: clock and caches change in it."""

OURS = re.compile(
    rf"{CPU}/cpu\d+/cpufreq/scaling_governor|{NO_TURBO}|{BOOST}|{CPU}/cpu\d+/cpuidle/state\d+/disable"
    rf"|/proc/irq/\d+/smp_affinity_list|{THP}|{NUMA_BALANCING}|{HUGE_PAGES}|{NMI_WATCHDOG}|{WATCHDOG}"
)
"""Paths that may be written. A path of a state file that does not match is never written."""
VALUE = re.compile(r"[a-z0-9_,\-]{1,4096}")


@dataclass(frozen=True)
class Change:
    """One file to change."""

    path: str
    before: str
    target: str
    why: str


@dataclass(frozen=True)
class Setting:
    """One setting of this host: the files that it consists of."""

    name: str
    changes: list[Change]
    unavailable: str | None
    """Why there is nothing to change; None if there is."""


@dataclass(frozen=True)
class _Host:
    system: System
    measuring: tuple[int, ...]
    others: tuple[int, ...]
    """CPUs that may handle interrupts instead."""


def read(system: System, path: str) -> str | None:
    """The value of a setting in the form in which it is written; None if it does not exist."""
    text = system.text(path)
    return chosen(text) if path == THP else text


def settings_of(system: System, measuring: tuple[int, ...], others: tuple[int, ...]) -> list[Setting]:
    """All settings, in the order in which to change them, each with what is unsuitable for measuring.

    others: CPUs that may handle interrupts instead.
    """
    host = _Host(system, measuring, others)
    return [kind.of(host) for kind in _KINDS]


def changes_for(system: System, measuring: tuple[int, ...], others: tuple[int, ...]) -> list[Change]:
    """The files of all settings that are unsuitable for measuring, in the order in which to change them."""
    return [change for one in settings_of(system, measuring, others) for change in one.changes]


@dataclass(frozen=True)
class _Kind:
    name: str
    proposals: Callable[[_Host], Iterator[Change]]
    """Files that there are, also those that have their target already."""
    shown_by: Sequence[str]
    """Patterns of the kernel's files that show the setting."""
    otherwise: str
    """Why there is no proposal although the kernel shows the setting."""

    def of(self, host: _Host) -> Setting:
        proposals = list(self.proposals(host))
        changes = [change for change in proposals if change.before != change.target]
        return Setting(self.name, changes, None if changes else self._unavailable(host.system, proposals))

    def _unavailable(self, system: System, proposals: Sequence[Change]) -> str:
        if proposals:
            one = proposals[0]
            return f"it is so already: {one.path} is {one.before}"
        if any(system.names(pattern) for pattern in self.shown_by):
            return self.otherwise
        return system.why(self.shown_by[0])


def _proposal(system: System, path: str, value: str, why: str) -> Iterator[Change]:
    before = read(system, path)
    if before is not None:
        yield Change(path, before, value, why)


def _governor(host: _Host) -> Iterator[Change]:
    for cpu in host.measuring:
        folder = f"{CPU}/cpu{cpu}/cpufreq"
        if "performance" in (host.system.text(f"{folder}/scaling_available_governors") or "").split():
            yield from _proposal(
                host.system,
                f"{folder}/scaling_governor",
                "performance",
                "a clock that does not depend on load",
            )


def _turbo(host: _Host) -> Iterator[Change]:
    yield from _proposal(host.system, NO_TURBO, "1", "a clock that does not depend on temperature")
    yield from _proposal(host.system, BOOST, "0", "a clock that does not depend on temperature")


def _idle_states(host: _Host) -> Iterator[Change]:
    for cpu in host.measuring:
        for state in host.system.names(f"{CPU}/cpu{cpu}/cpuidle/state[0-9]*"):
            latency = host.system.text(f"{state}/latency") or ""
            if latency.isdigit() and int(latency) > SLOW_WAKE_US:
                yield from _proposal(
                    host.system,
                    f"{state}/disable",
                    "1",
                    f"no idle state with a wake-up latency of {latency} us",
                )


def _interrupts(host: _Host) -> Iterator[Change]:
    for path in host.system.names(INTERRUPTS):
        before = cpu_list(host.system.text(path) or "")
        # Only CPUs that are already allowed, so that a device's queue stays near its node.
        left = [cpu for cpu in before if cpu not in host.measuring] or list(host.others)
        if set(before) & set(host.measuring) and left:
            why = "device interrupts away from the measuring CPUs"
            yield from _proposal(host.system, path, as_cpu_list(left), why)


def _thp(host: _Host) -> Iterator[Change]:
    before = read(host.system, THP)
    target = "madvise" if before == "always" else before  # `never` suits as well
    if target is not None:
        yield from _proposal(host.system, THP, target, "huge pages only where a program asks for them")


def _numa_balancing(host: _Host) -> Iterator[Change]:
    yield from _proposal(host.system, NUMA_BALANCING, "0", "no page moves while an NF runs")


def _huge_pages(host: _Host) -> Iterator[Change]:
    fields = dict(re.findall(r"^(\w+):\s+(\d+)", host.system.text("/proc/meminfo") or "", re.MULTILINE))
    page = int(fields.get("Hugepagesize", 0)) << 10
    now = read(host.system, HUGE_PAGES)
    if not page or now is None or not now.isdigit():
        return
    pages = -(-HUGE_PAGE_BYTES_NEEDED // page)
    missing = (pages - int(now)) * page
    if 0 < missing <= (int(fields.get("MemAvailable", 0)) << 10) // HUGE_PAGES_SHARE:
        yield from _proposal(
            host.system, HUGE_PAGES, str(pages), "huge pages for every arm (another host class)"
        )


def _watchdogs(host: _Host) -> Iterator[Change]:
    # WATCHDOG also switches NMI_WATCHDOG. Reverting in reverse order restores both values.
    yield from _proposal(host.system, NMI_WATCHDOG, "0", "one more free PMU counter")
    yield from _proposal(host.system, WATCHDOG, "0", "no watchdog that wakes on every CPU")


_KINDS = (
    _Kind("governor", _governor, (GOVERNOR,), "the measuring CPUs have no governor `performance`"),
    _Kind("turbo", _turbo, (NO_TURBO, BOOST), "its file cannot be read"),
    _Kind(
        "idle-states",
        _idle_states,
        (IDLE_STATES,),
        f"no idle state of the measuring CPUs takes longer than {SLOW_WAKE_US} us to leave",
    ),
    _Kind(
        "interrupts",
        _interrupts,
        (INTERRUPTS,),
        "no device interrupt may come to the measuring CPUs, or no other CPU is left for them",
    ),
    _Kind("thp", _thp, (THP,), "its file cannot be read"),
    _Kind("numa-balancing", _numa_balancing, (NUMA_BALANCING,), "its file cannot be read"),
    _Kind(
        "huge-pages",
        _huge_pages,
        (HUGE_PAGES,),
        "enough are reserved already, or they would take too much of the free memory",
    ),
    _Kind("watchdogs", _watchdogs, (WATCHDOG, NMI_WATCHDOG), "their files cannot be read"),
)
SETTINGS = tuple(kind.name for kind in _KINDS)
"""Names of all settings."""
