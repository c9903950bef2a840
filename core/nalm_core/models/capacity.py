# SPDX-License-Identifier: Apache-2.0
"""The rate that each resource of a chip allows (Pongrácz, Section 3), and the resource that binds.

A bound, not a prediction: it assumes that each resource is used without a gap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from nalm_core.models.quantity import ModelInputError, require_positive


@dataclass(frozen=True, slots=True)
class Chip:
    """What a chip supplies per second, by resource: cycles or instructions of cores, operations of caches,
    transactions of memory. watts: None if unknown. inferred: what the paper does not print."""

    supply: Mapping[str, float]
    watts: float | None = None
    inferred: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Capacity:
    """Rates in packets/s by resource, the least of them, and its resource."""

    bounds: Mapping[str, float]
    bottleneck: str
    unbounded: tuple[str, ...]
    """Resources of which the packet needs something and the chip's supply is unknown, or the reverse."""
    watts: float | None

    @property
    def pps(self) -> float:
        return self.bounds[self.bottleneck]

    @property
    def mpps_per_watt(self) -> float | None:
        return None if self.watts is None else mpps_per_watt(self.pps / 1e6, self.watts)

    def gbits_per_s(self, frame_bytes: float) -> float:
        """Bits of frames only, without the 20 bytes between them, as in the paper."""
        require_positive("frame", frame_bytes, "bytes")
        return self.pps * frame_bytes * 8 / 1e9


@dataclass(frozen=True, slots=True)
class MeasuredHost:
    """Supply per second, by resource, of one CPU and of `cpus` together.

    shared: resources of the whole host, of which more lcores than CPUs would have no more.
    """

    one: Mapping[str, float]
    together: Mapping[str, float]
    cpus: int
    shared: tuple[str, ...] = ()
    watts: float | None = None

    def of_lcores(self, lcores: int) -> Chip:
        """What `lcores` have: up to all CPUs, no more than all have together; of more, in proportion."""
        if lcores < 1:
            raise ModelInputError("lcores", f"expected at least 1, not {lcores}")
        supply = {}
        for name, rate in self.one.items():
            most = self.together.get(name, rate * self.cpus)
            growth = 1.0 if name in self.shared else max(1.0, lcores / self.cpus)
            supply[name] = min(rate * lcores, most * growth)
        return Chip(supply, self.watts if lcores == self.cpus else None)


CORES = "cores"
"""Resource whose supply and demand are instructions, or cycles, of cores."""
ASSUMED_IPC = 4.0
"""Instructions per cycle of a core whose supply was not measured, as the paper takes them of its CPU."""
PBB: Mapping[str, float] = MappingProxyType({"cores": 104.0, "cache": 25.0, "memory": 1.0})
"""Provider backbone bridging, per packet: cycles, operations of L2 or L3, external transactions."""
CHIPS: Mapping[str, Chip] = MappingProxyType(
    {
        "npu": Chip(
            {"cores": 256e9, "cache": 24.0e9, "memory": 2.72e9},
            inferred={"cores": "256 cores of 1 GHz", "cache": "from the published rate"},
        ),
        "cpu": Chip(
            {"cores": 12 * 2.3e9 * 4, "cache": 7.0e9, "memory": 0.68e9},
            inferred={
                "cores": "12 cores of 2.3 GHz, 4 instructions per cycle: 5.5 % above the published rate",
                "cache": "from the published rate",
                "memory": "4 channels of 170 M transactions/s",
            },
        ),
    }
)
"""The chips of the paper. docs/models.md says what was inferred and how near the published rates are."""


def capacity(chip: Chip, demand: Mapping[str, float]) -> Capacity:
    """Bounds of every resource that both know. demand: per packet, by resource, in the units of the supply.

    A demand of 0 does not bind. Raises ModelInputError if no resource is in both.
    """
    for name, amount in chip.supply.items():
        require_positive(f"supply of {name}", amount, "per second")
    for name, amount in demand.items():
        if not amount >= 0:
            raise ModelInputError(f"demand of {name}", f"expected a number from 0, not {amount:g}")
    bounds = {name: chip.supply[name] / demand[name] for name in chip.supply if demand.get(name, 0) > 0}
    if not bounds:
        raise ModelInputError(
            "demand", f"names none of the chip's resources: {', '.join(chip.supply) or 'it has none'}"
        )
    either = dict.fromkeys([*chip.supply, *demand])
    unknown = tuple(name for name in either if (name in chip.supply) != (name in demand))
    return Capacity(bounds, min(bounds, key=lambda name: bounds[name]), unknown, chip.watts)


def mpps_per_watt(mpps: float, watts: float) -> float:
    """Efficiency of a chip."""
    require_positive("watts", watts, "W")
    return mpps / watts


def watts_per_10g(mpps: float, watts: float, frame_bytes: float = 64) -> float:
    """Power for each 10 Gbit/s of line, with 20 bytes between frames."""
    require_positive("rate", mpps, "Mpps")
    return watts / (mpps * (frame_bytes + 20) * 8 / 1e4)
