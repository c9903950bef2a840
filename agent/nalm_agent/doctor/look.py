# SPDX-License-Identifier: Apache-2.0
"""The data of findings: the host's state before and after the examination, and measurements in between."""

from __future__ import annotations

import os
import re
import socket
import time
from dataclasses import dataclass

from nalm_agent.host import latency, supply, tsc
from nalm_agent.host.cores import choose, hold
from nalm_agent.host.facts import CPU, siblings
from nalm_agent.host.fingerprint import caches, cpu_model, host_class, uses_huge_pages
from nalm_agent.host.kernel_files import System, cpu_list
from nalm_agent.host.latency import Latencies
from nalm_agent.runtime.errors import HostError
from nalm_agent.store.home import Home

STEAL_FIELD = 7
"""Index of steal time in a line of /proc/stat, after the CPU's name."""


@dataclass(frozen=True)
class Disturbed:
    """Disturbances of CPUs during the examination."""

    seconds: float
    stolen: float | None
    """Share of the CPUs' time that other guests took; None if the kernel does not count it."""
    interrupts: dict[int, float] | None
    """Device interrupts per second, by CPU."""


@dataclass(frozen=True)
class Look:
    """The data that all examinations share."""

    system: System
    home: Home
    allowed: tuple[int, ...]
    """CPUs that nalm may use."""
    measuring: tuple[int, ...]
    """CPUs that a run would measure on."""
    disturbed: Disturbed
    latencies: Latencies | None
    unmeasured: str | None
    """Why latencies were not measured; None if they were."""
    virtual: bool

    @property
    def online(self) -> list[int]:
        """CPUs of the host that are online."""
        return cpu_list(self.system.text(f"{CPU}/online") or "") or list(self.allowed)

    def hidden(self, path: str) -> str:
        """Why a setting cannot be read, and who controls it."""
        who = "; the hypervisor decides" if self.virtual else ""
        return self.system.why(path) + who


def look(home: Home, lcores: int = 1) -> Look:
    """Examines this host for about five seconds. Raises HostError if it has fewer CPUs than lcores."""
    system, allowed = System(), tuple(sorted(os.sched_getaffinity(0)))
    measuring = choose(lcores).cpus
    before = _Counters.read(system)
    latencies, unmeasured = _latencies(system, home, allowed, measuring)
    after = _Counters.read(system)
    return Look(
        system,
        home,
        allowed,
        measuring,
        before.until(after),
        latencies,
        unmeasured,
        virtual=" hypervisor" in (system.text("/proc/cpuinfo") or ""),
    )


def _latencies(
    system: System, home: Home, allowed: tuple[int, ...], measuring: tuple[int, ...]
) -> tuple[Latencies | None, str | None]:
    rate = tsc.frequency_hz()
    if rate is None:
        return None, tsc.available() or "the TSC's rate is not known"
    name = socket.gethostname()
    kind = host_class(cpu_model(), os.cpu_count() or 1, rate, huge_pages=uses_huge_pages())
    cpu = measuring[0]
    beside = [one for one in siblings(system, cpu) or [] if one in allowed and one != cpu]
    pairs = latency.pairs_of(allowed, [cpu, *beside]) if len(allowed) > 1 else []
    neighbours = latency.neighbours_of(allowed, cpu, beside)
    try:
        with hold(choose(len(allowed)), _refuse):
            found = latency.measure(home, (name, kind), cpu, caches(), pairs, neighbours=neighbours)
            delivered = supply.measure(
                home, system, cpu, allowed, caches=caches(), core_hz=found.core_ghz * 1e9
            )
    except HostError as error:
        return None, error.message
    found = found.model_copy(update={"supply": delivered})
    latency.remember(home, found)
    return found, None


def _refuse(message: str) -> None:
    """Raises HostError during a measurement, which an examination would disturb."""
    raise HostError(message.partition(";")[0], hint="run `nalm doctor` again after it has ended")


@dataclass(frozen=True)
class _Counters:
    at: float
    cpu_ticks: dict[str, list[int]]
    devices: dict[int, int] | None

    @staticmethod
    def read(system: System) -> _Counters:
        ticks = {}
        for line in (system.text("/proc/stat") or "").splitlines():
            name, *fields = line.split()
            if re.fullmatch(r"cpu\d+", name):
                ticks[name] = [int(field) for field in fields]
        return _Counters(time.monotonic(), ticks, device_interrupts(system.text("/proc/interrupts")))

    def until(self, later: _Counters) -> Disturbed:
        seconds = max(later.at - self.at, 1e-3)
        stolen = None
        if self.cpu_ticks and all(len(fields) > STEAL_FIELD for fields in self.cpu_ticks.values()):
            both = self.cpu_ticks.keys() & later.cpu_ticks.keys()
            ticks = sum(later.cpu_ticks[cpu][STEAL_FIELD] - self.cpu_ticks[cpu][STEAL_FIELD] for cpu in both)
            stolen = ticks / os.sysconf("SC_CLK_TCK") / seconds / len(self.cpu_ticks)
        rates = None
        if self.devices is not None and later.devices is not None:
            was = self.devices
            rates = {cpu: (count - was.get(cpu, 0)) / seconds for cpu, count in later.devices.items()}
        return Disturbed(seconds, stolen, rates)


def device_interrupts(text: str | None) -> dict[int, int] | None:
    """Device interrupts by CPU from /proc/interrupts, without the processor's own (timer, calls)."""
    if not text:
        return None
    header, *lines = text.splitlines()
    cpus = [int(name.removeprefix("CPU")) for name in header.split()]
    totals = dict.fromkeys(cpus, 0)
    for line in lines:
        name, *fields = line.split()
        if name.rstrip(":").isdigit():
            for cpu, count in zip(cpus, fields, strict=False):
                totals[cpu] += int(count)
    return totals
