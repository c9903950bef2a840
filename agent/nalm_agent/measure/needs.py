# SPDX-License-Identifier: Apache-2.0
"""Needs of scenarios (`[scenarios.NAME.needs]`), capabilities of this host, and what it lacks."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace

from nalm_core.rates.generators import INSIDE

from nalm_agent.build.sandbox import available as no_isolation
from nalm_agent.config.nalm_toml import RatesConfig, ScenarioConfig
from nalm_agent.host.facts import isolated_cpus
from nalm_agent.host.fingerprint import cpu_model, huge_page_bytes
from nalm_agent.host.kernel_files import System
from nalm_agent.host.pmu import kernel_reason as no_pmu

GENERATORS = "NALM_GENERATORS"
"""Environment variable: the generators of nalm.toml that this host reaches, with commas; unset: all."""
NETWORK = "0x02"
"""PCI class of network controllers: its first two digits."""
FREE_DRIVERS = frozenset({"vfio-pci", "igb_uio", "uio_pci_generic", "mlx4_core", "mlx5_core"})
"""Drivers with which DPDK can use a NIC."""
UNITS = {
    "lcores": "lcores",
    "nics": "NICs",
    "hugepages_mb": "MiB in huge pages",
    "memory_mb": "MiB of memory",
}


@dataclass(frozen=True)
class Needs:
    """What a scenario needs. 0 and False mean no need."""

    lcores: int = 0
    pmu: bool = False
    nics: int = 0
    hugepages_mb: int = 0
    memory_mb: int = 0
    loads: bool = False
    """An agent that measures experiments under load."""
    flows: bool = False
    """An agent that measures experiments on flows."""
    rates: bool = False
    """An agent that measures rates and soaks."""
    parameters: bool = False
    """An agent that takes the parameters of an experiment, and measures experiments on roles."""
    generators: tuple[str, ...] | None = None
    """Generators outside of the NF, by their names in nalm.toml. Needs: None for none. Capabilities: None for
    a host that does not say which ones it reaches: it may take any job."""

    def as_json(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True)
class Capabilities(Needs):
    """What a host offers for measuring, in the terms of needs."""

    loads: bool = True
    flows: bool = True
    rates: bool = True
    configurations: bool = True
    """Whether this agent measures commits by a project's configuration on the server."""
    parameters: bool = True
    experiments: bool = True
    """Whether this agent measures cells of experiments."""
    isolated: bool = False
    """Whether builds are isolated."""
    isolated_cpus: int = 0
    cpu_model: str | None = None


def needs_of(scenario: ScenarioConfig) -> Needs:
    """Needs by nalm.toml, with at least the scenario's own lcores."""
    said = scenario.needs
    return Needs(
        lcores=max(scenario.lcores, said.lcores),
        pmu=said.pmu,
        nics=said.nics,
        hugepages_mb=said.hugepages_mb,
        memory_mb=said.memory_mb,
    )


def under_rates(needs: Needs, rates: RatesConfig) -> Needs:
    """The same for runs under load, which share a generator."""
    outside = None if rates.generator == INSIDE.name else (rates.generator,)
    return replace(needs, rates=True, generators=outside)


def reached_generators() -> tuple[str, ...] | None:
    """The generators that this host reaches, as its operator says; None: nothing is said."""
    given = os.environ.get(GENERATORS)
    return None if given is None else tuple(name for part in given.split(",") if (name := part.strip()))


def capabilities(system: System | None = None) -> Capabilities:
    """The current capabilities of this host."""
    here = system or System()
    return Capabilities(
        lcores=len(os.sched_getaffinity(0)),
        pmu=no_pmu() is None,
        nics=nics(here),
        hugepages_mb=huge_page_bytes("Total") >> 20,
        memory_mb=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20,
        isolated=no_isolation() is None,
        isolated_cpus=len(isolated_cpus(here) or []),
        cpu_model=cpu_model()[:200],
        generators=reached_generators(),
    )


def nics(system: System) -> int:
    """Number of PCI network controllers that DPDK can use."""
    found = 0
    for device in system.names("/sys/bus/pci/devices/*"):
        driver = system.at(f"{device}/driver")
        free = driver.is_symlink() and driver.readlink().name in FREE_DRIVERS
        found += free and (system.text(f"{device}/class") or "").startswith(NETWORK)
    return found


def missing(needs: Needs, has: Needs) -> list[str]:
    """What the host lacks, as text; empty if it can measure the scenario."""
    lacks = [
        f"{getattr(needs, name)} {unit} (there are {getattr(has, name)})"
        for name, unit in UNITS.items()
        if getattr(needs, name) > getattr(has, name)
    ]
    lacks += ["a PMU"] if needs.pmu and not has.pmu else []
    reached = needs.generators if has.generators is None else has.generators
    return lacks + [f"generator {name}" for name in needs.generators or () if name not in (reached or ())]
