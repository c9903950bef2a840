# SPDX-License-Identifier: Apache-2.0
"""Compute against delay of designs (Wu et al., Eq. 7, Fig. 7), and the flow length at which a cache pays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import floor, inf

from nalm_core.models.quantity import ModelInputError, require_positive, require_share


@dataclass(frozen=True, slots=True)
class Design:
    """A way to process a flow. Cycles r and delays d of its first packet and of each later one, in cycles of
    one clock, so that both add."""

    name: str
    first_cycles: float
    later_cycles: float
    first_delay: float
    later_delay: float

    def __post_init__(self) -> None:
        for name in ("first_cycles", "later_cycles", "first_delay", "later_delay"):
            if not 0 <= getattr(self, name) < inf:
                raise ModelInputError(f"{name} of {self.name}", "expected a number from 0")

    def cycles(self, packets: int) -> float:
        """Sum of r_n over a flow of that many packets."""
        return self.first_cycles + (packets - 1) * self.later_cycles

    def delay(self, packets: int) -> float:
        """Sum of d_n."""
        return self.first_delay + (packets - 1) * self.later_delay


@dataclass(frozen=True, slots=True)
class Crossing:
    """Weight at which two designs cost the same; `below` is the better one at smaller weights."""

    weight: float
    below: str
    above: str


def cost(design: Design, packets: int, weight: float) -> float:
    """w * sum r_n + (1 - w) * sum d_n (Eq. 7). weight: 1 compute only, 0 delay only."""
    require_share("weight", weight)
    _require_packets(packets)
    return weight * design.cycles(packets) + (1 - weight) * design.delay(packets)


def best(designs: Sequence[Design], packets: int, weight: float) -> Design:
    """The design with the least cost; the first of equal ones."""
    _require_designs(designs)
    return min(designs, key=lambda one: cost(one, packets, weight))


def pareto(designs: Sequence[Design], packets: int) -> list[Design]:
    """Designs that no other one beats in compute or delay without being worse in the other."""
    _require_designs(designs)
    _require_packets(packets)
    sums = [(one.cycles(packets), one.delay(packets)) for one in designs]
    return [
        one
        for one, (cycles, delay) in zip(designs, sums, strict=True)
        if not any(c <= cycles and d <= delay and (c < cycles or d < delay) for c, d in sums)
    ]


def crossings(designs: Sequence[Design], packets: int) -> list[Crossing]:
    """Weights strictly between 0 and 1 at which two designs change their order, least first."""
    _require_designs(designs)
    _require_packets(packets)
    found = []
    for one, other in combinations(designs, 2):
        compute = one.cycles(packets) - other.cycles(packets)
        delay = one.delay(packets) - other.delay(packets)
        if compute * delay < 0:
            first, second = (one, other) if delay < 0 else (other, one)
            found.append(Crossing(delay / (delay - compute), first.name, second.name))
    return sorted(found, key=lambda each: each.weight)


def break_even(first_with: float, later_with: float, without: float) -> float:
    """Flow length N* at which a flow cache costs what it saves, in packets.

    first_with, later_with: cycles of a flow's first and later packets with the cache; without: of any packet.
    Raises ModelInputError if the cache does not make later packets cheaper.
    """
    for name, cycles in (("first", first_with), ("later", later_with), ("without", without)):
        require_positive(f"cycles {name}", cycles)
    if not later_with < without:
        raise ModelInputError(
            "cycles later", f"{later_with:g} with the cache are not below {without:g} without: it never pays"
        )
    return (first_with - later_with) / (without - later_with)


def packets_to_gain(length: float) -> int:
    """The least whole flow length above a break-even length, and at least 1."""
    return max(1, floor(length) + 1)


def _require_designs(designs: Sequence[Design]) -> None:
    if not designs:
        raise ModelInputError("designs", "expected at least one")


def _require_packets(packets: int) -> None:
    if packets < 1:
        raise ModelInputError("packets", f"expected at least 1, not {packets}")
