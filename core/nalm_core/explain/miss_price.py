# SPDX-License-Identifier: Apache-2.0
"""Bounds of the cost of events in TSC cycles, from the host's measured latencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

from nalm_core.explain.limits import BRANCH_MISS_HIGH, BRANCH_MISS_LOW
from nalm_core.explain.model import Detail
from nalm_core.explain.signature import Signature
from nalm_core.report.run_report import Host

STATED = {"L1d": 5.0, "L2": 12.0, "L3": 40.0, "memory": 140.0}
"""Latencies in cycles of the general processor of Wu et al., Table III, for hosts without measurements."""
MAX_TSC_HZ, MAX_NS = 10**12, 1e6
"""Largest plausible figures of a host."""
BY_HOST = "this host's measured latencies"
BY_TABLE = "the latencies of a general processor"
BY_BRANCHES = "10 to 25 cycles for each misprediction"


@dataclass(frozen=True, slots=True)
class Priced:
    """Bounds of the cost of grown events of one kind, in cycles per packet: misses may overlap or not."""

    detail: Detail
    low: float
    high: float

    @property
    def middle(self) -> float:
        """Geometric mean of the bounds; 0 if there are fewer events."""
        return sqrt(max(0.0, self.low) * max(0.0, self.high))


def latencies(host: Host) -> tuple[Mapping[str, float], str]:
    """Cycles of a dependent load by level, and their origin."""
    measured = host.latencies_ns
    if measured is None or not set(STATED) <= set(measured) or host.tsc_hz > MAX_TSC_HZ:
        return STATED, BY_TABLE
    if max(measured[level] for level in STATED) > MAX_NS:
        return STATED, BY_TABLE
    each = host.tsc_hz / 1e9
    return {level: measured[level] * each for level in STATED}, BY_HOST


def prices(found: Signature, host: Host, sign: int) -> list[Priced]:
    """Prices of all known kinds of events; negative if there are fewer events."""
    level, _ = latencies(host)
    near, far = (max(0.0, level[name] - level["L1d"]) for name in ("L2", "L3"))
    beyond = max(0.0, level["memory"] - level["L3"])
    misses, last = _more(found, "l1d_misses_per_packet", sign), _more(found, "llc_misses_per_packet", sign)
    bounds: dict[Detail, tuple[float | None, float, float]] = {
        "instruction_cache": (_more(found, "l1i_misses_per_packet", sign), near, far),
        "branches": (_more(found, "branch_misses_per_packet", sign), BRANCH_MISS_LOW, BRANCH_MISS_HIGH),
        "tlb": (_more(found, "dtlb_misses_per_packet", sign), near, level["memory"]),
    }
    priced = [Priced(name, more * low, more * high) for name, (more, low, high) in bounds.items() if more]
    if misses is not None or last is not None:
        deep = (last or 0.0) * beyond
        priced.append(Priced("cache", (misses or 0.0) * near + deep, (misses or 0.0) * far + deep))
    return priced


def _more(found: Signature, name: str, sign: int) -> float | None:
    change = found.change(name)
    return None if change is None else sign * change
