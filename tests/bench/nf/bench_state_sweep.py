# SPDX-License-Identifier: Apache-2.0
"""Run to completion against a pipeline while the chain's state grows, for both chains (Wu et al., Table IV).

In that table SFC A is cheaper as a pipeline and SFC B run to completion. The authors explain it by what fits
into a core's caches: a stage alone, or all of them. So there should be a number of flows from which the
pipeline is the cheaper one. Each size prints CPP of the pipeline, hand-overs included, over that of run to
completion, and each chain the crossing: the number of flows at which the ratio passes 1, or none. A size
whose ratio is within two standard errors of 1 tells nothing and is passed over. Where there is a PMU, cycles
that stages waited for data, the quantity of that table, are printed as well.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from host import print_result
from nalm_agent.counters import papi
from nalm_agent.counters.events import CYCLES, INSTRUCTIONS, Event, data_stalls
from nalm_agent.host.cores import choose
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.start import NfStart
from nalm_agent.store.home import Home
from nalm_core.report.event_counts import figures
from nalm_core.report.terms import Arm
from variants import (
    APART,
    READY_SECONDS,
    TURN_MS,
    TURNS,
    Variant,
    describe,
    measure,
    median_of_launches,
    ratio,
)

EXPONENTS = range(10, 23, 2)
LAUNCHES = 5
BASE_MB, BYTES_OF_FLOW = 768, 640
"""Memory of an NF: tables that do not grow, and of both stages that keep flows together."""
ERRORS = 2.0
TRAFFIC = {"traffic.profile": "64", "l3fwd.routes_generated": "400000"}


@dataclass(frozen=True)
class Chain:
    """A chain, its two groups, and the settings that depend on the number of flows."""

    config: str
    groups: str
    entries: str
    settings: Mapping[str, str]

    def variants(self, flows: int) -> list[Variant]:
        """Run to completion, and the pipeline, on two lcores."""
        room = {"traffic.flows": str(flows), self.entries: str(max(65536, flows * 5 // 4))}
        common: dict[str, Any] = {"config": self.config, "lcores": 2, "memory_mb": memory_mb(flows)}
        settings = {**TRAFFIC, **self.settings, **room}
        pipeline = {"model.model": "pipeline", "model.groups": self.groups}
        return [
            Variant("rtc", settings=settings, **common),
            Variant("pipeline", settings=settings | pipeline, **common),
        ]


CHAINS = (
    Chain("sfc_a", "nat | dpi,l3fwd", "nat.entries", {"nat.pool": "203.0.113.0/24"}),
    Chain(
        "sfc_b",
        "acl | lb,l3fwd",
        "lb.entries",
        {"traffic.target": "198.51.100.53:53", "acl.default": "permit"},
    ),
)


@dataclass(frozen=True)
class Point:
    """The ratio at one size."""

    flows: int
    ratio: float
    error: float

    @property
    def side(self) -> int:
        """-1: the pipeline is cheaper; 1: run to completion is; 0: not told apart."""
        return 0 if abs(self.ratio - 1) <= ERRORS * self.error else (1 if self.ratio > 1 else -1)


def main() -> int:
    for chain in CHAINS:
        points = [sweep(chain, 1 << exponent) for exponent in EXPONENTS if fits(1 << exponent)]
        found = crossing(points)
        print_result(
            f"state_sweep_{chain.config}",
            max(point.flows for point in points) if found is None else found,
            "flows, the crossing" if found is not None else "flows, up to which there is no crossing",
            "neither",
            crossing=found,
            points=[[point.flows, point.ratio, point.error] for point in points],
            not_told_apart=[point.flows for point in points if point.side == 0],
            left_out=[1 << exponent for exponent in EXPONENTS if not fits(1 << exponent)],
        )
    return 0


def sweep(chain: Chain, flows: int) -> Point:
    """Measures and prints one size."""
    variants = chain.variants(flows)
    turns = measure(variants, LAUNCHES)
    cpp = {name: median_of_launches(turns[name], "cpp") for name in turns}
    value, error = ratio(cpp["pipeline"], cpp["rtc"])
    event, reason = stall_event()
    details = {
        variant.name: describe(variant, turns[variant.name], counted=False)
        | {"data_stalls": reason if event is None else stalls(variant, event)}
        for variant in variants
    }
    name = f"state_sweep_{chain.config}_{flows}"
    print_result(name, value, "x CPP pipeline / rtc", "lower", standard_error=error, flows=flows, **details)
    return Point(flows, value, error)


def crossing(points: Sequence[Point]) -> int | None:
    """The number of flows at which the ratio is 1, on a line between the logarithms of the two sizes told
    apart from 1 that it lies between. None: it stays on one side."""
    reported = [point for point in points if point.side != 0]
    for low, high in pairwise(reported):
        if low.side != high.side:
            share = (low.ratio - 1) / (low.ratio - high.ratio)
            return round(2 ** (math.log2(low.flows) + share * math.log2(high.flows / low.flows)))
    return None


def memory_mb(flows: int) -> int:
    return BASE_MB + flows * BYTES_OF_FLOW // (1 << 20)


def fits(flows: int) -> bool:
    """Whether this host has the memory for both NFs now, with what the traffic keeps of each flow."""
    available = re.search(r"^MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return available is not None and int(available[1]) // 1024 > 2 * memory_mb(flows) + 512


def stall_event() -> tuple[Event | None, str]:
    """The event, or why it cannot be counted."""
    reason = papi.available()
    event = data_stalls(Path("/proc/cpuinfo").read_text())
    if reason is None and event is not None:
        return event, ""
    return None, reason or "this processor's event is not known"


def stalls(variant: Variant, event: Event) -> Mapping[str, float | str]:
    """Cycles per packet that each stage waited for data; the reason where they were not counted."""
    with Home.default().work() as work:

        def launch(events: Sequence[str]) -> RunningNf:
            command = variant.command(choose(variant.lcores))
            return RunningNf(
                NfStart(command, lcores=variant.lcores, ready_seconds=READY_SECONDS),
                work,
                seed=0,
                events=events,
            )

        counts = papi.count(
            Arm.HEAD, launch, turn_ms=TURN_MS, turns=TURNS, events=(CYCLES, INSTRUCTIONS, event)
        )
    found = figures(counts[-1], apart=APART)
    if event.name in counts[-1].reasons:
        return {"missing": counts[-1].reasons[event.name]}
    return {
        stage or "chain": round(each.per_packet[event.name], 1)
        for stage, each in found.items()
        if event.name in each.per_packet
    }


if __name__ == "__main__":
    sys.exit(main())
