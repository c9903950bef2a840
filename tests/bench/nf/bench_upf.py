# SPDX-License-Identifier: Apache-2.0
"""The 5G user plane with the whole service model of Wu et al., Table V: forwarding, and content charging.

Of each: cycles per packet by stage while 167 sessions a second end and as many begin; the forwarding rate at
which the worker is busy for 85 % of the time (their Fig. 12), the traffic on an lcore of its own; seconds and
memory until it forwards.

An NF that polls finds packets one by one long before it is saturated, so the rate at 85 % is that of small
batches. The closed loop with batches of one packet says by Eq. 6, pps = Freq CUR / CPP, what to expect of it,
also on a host too busy for a rate. Arguments: the chains to measure, default both.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from host import print_result
from nalm_agent.host.cores import choose
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.start import NfStart
from nalm_agent.nf.traffic_file import VARIABLE, Load, TrafficFile
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.counters import lcore_idle_share, working_lcores
from nalm_core.report.run_report import Round
from variants import READY_SECONDS, Variant, count_turn, describe, measure, median_of_launches

LAUNCHES, BATCH_LAUNCHES = 4, 3
BUSY, BUSY_WIDTH = 0.85, 0.01
"""CUR at which the rate is told, and how far from it a trial may be."""
SEARCH_TRIALS = 24
TURN_MS, TURNS = 100.0, 10
"""A look at a load ends with the first turn that other programs did not disturb."""
STOLEN_LIMIT = 0.05
"""Share of a turn that other programs may take from the lcores."""
WHOLE: Mapping[str, str] = {"traffic.scale": "1", "pdr.churn_per_second": "167"}
START_SECONDS, START_GIGABYTES = 10, 2
"""What `upf` with 960,000 bearers may take until it forwards."""


def variants(work: WorkDir) -> list[Variant]:
    """Compiled patterns are kept beside each other: the second launch has them."""
    cache = work.fresh("patterns")
    return [
        Variant("upf", "upf", WHOLE, memory_mb=1024),
        Variant("upf_dpi", "upf_dpi", {**WHOLE, "dpi.cache": str(cache)}, memory_mb=1024),
    ]


def start(variant: Variant) -> tuple[float, float]:
    """Seconds and gigabytes until it has forwarded its first packet and ended."""
    began = time.monotonic()
    command = [*variant.command(choose(1)), "--packets", "1"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - began
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20


@dataclass(frozen=True)
class AtLoad:
    """The worker at one load."""

    pps: float
    """Forwarded."""
    cur: float
    cpp: float
    batch: float
    """Packets of a poll that found any."""
    stolen: float
    """Share of the turn that the lcores did not have their CPUs."""


def at_load(nf: RunningNf, traffic: TrafficFile, trial: int, pps: int) -> AtLoad:
    """The least disturbed turn."""
    traffic.ask(trial, Load.OPEN, rate_pps=pps)
    count_turn(nf, TURN_MS)  # the load before it ends
    looks: list[AtLoad] = []
    while len(looks) < TURNS and (not looks or looks[-1].stolen > STOLEN_LIMIT):
        looks.append(one_turn(nf))
    return min(looks, key=lambda look: look.stolen)


def one_turn(nf: RunningNf) -> AtLoad:
    turn = count_turn(nf, TURN_MS)
    (idle,) = (lcore_idle_share(one) for one in working_lcores(Round.model_construct(lcores=turn.lcores)))
    rx = turn.stages["rx"]
    cycles = sum(turn.stages[stage.name].cycles for stage in nf.probe.stages if not stage.apart)
    return AtLoad(
        pps=turn.packets / turn.seconds,
        cur=1 - (idle or 0.0),
        cpp=cycles * turn.own_share / max(turn.packets, 1),
        batch=rx.packets / max(rx.batches or 0, 1),
        stolen=1 - turn.own_share,
    )


def rate_at_busy(variant: Variant, work: WorkDir) -> AtLoad | None:
    """The load with CUR within BUSY_WIDTH of BUSY, by halving. None: it was not found."""
    path = work.fresh("traffic") / "traffic"
    sets = ["--set", "traffic.rate_pps=100000", "--set", "traffic.late_after_us=5000"]
    command = [*variant.command(choose(variant.lcores)), *sets]
    low, high, pps = 0.0, 0.0, 200_000
    with RunningNf(
        NfStart(
            command, lcores=variant.lcores, ready_seconds=READY_SECONDS, environment={VARIABLE: str(path)}
        ),
        work,
        seed=0,
    ) as nf:
        nf.wait_ready()
        traffic = TrafficFile(path)
        for trial in range(1, SEARCH_TRIALS + 1):
            found = at_load(nf, traffic, trial, pps)
            print(f"{variant.name}: {pps} pps offered: {found}", file=sys.stderr)
            if found.stolen <= STOLEN_LIMIT and abs(found.cur - BUSY) <= BUSY_WIDTH:
                break
            if found.stolen > STOLEN_LIMIT:
                continue
            low, high = (pps, high) if found.cur < BUSY else (low, pps)
            pps = round((low + high) / 2 if high else pps * 2)
        traffic.close()
        nf.finish()
    return found if found.stolen <= STOLEN_LIMIT and abs(found.cur - BUSY) <= BUSY_WIDTH else None


def print_busy(variant: Variant, work: WorkDir) -> None:
    """The rate at BUSY beside what Eq. 6 makes of the closed loop, with single packets and full batches."""
    hz = fingerprint().tsc_hz
    single = replace(
        variant, name=f"{variant.name}_single", settings={**variant.settings, "chain.batch": "1"}
    )
    turns = measure([variant, single], launches=BATCH_LAUNCHES)
    full, alone = (statistics.median(median_of_launches(turns[one.name], "cpp")) for one in (variant, single))
    print_result(
        f"{variant.name}_single_packets",
        round(alone / full, 3),
        "x CPP, batches of 1 to full ones",
        "lower",
        cpp=[round(alone, 1), round(full, 1)],
        eq6_pps_at_85_percent=[round(hz * BUSY / alone), round(hz * BUSY / full)],
        cpp_by_stage=describe(single, turns[single.name], counted=False)["cpp_by_stage"],
    )
    found = rate_at_busy(replace(variant, lcores=2), work)
    if found is None:
        print(f"{variant.name}: no undisturbed turn had a CUR of {BUSY}", file=sys.stderr)
        return
    print_result(
        f"{variant.name}_at_85_percent",
        round(found.pps),
        "packets per second forwarded at a CUR of 85 %",
        "higher",
        cur=round(found.cur, 3),
        cpp=round(found.cpp, 1),
        packets_of_a_poll=round(found.batch, 2),
        of_eq6=round(found.pps * found.cpp / (hz * found.cur), 3),
    )


def print_start(variant: Variant) -> None:
    start(variant)  # compiles patterns, where there are some
    seconds, gigabytes = start(variant)
    print_result(
        f"{variant.name}_start",
        round(max(seconds / START_SECONDS, gigabytes / START_GIGABYTES), 3),
        f"x {START_SECONDS} s or {START_GIGABYTES} GB, whichever is more",
        "lower",
        bar=1,
        seconds=round(seconds, 2),
        gigabytes=round(gigabytes, 2),
    )


def main() -> int:
    with Home.default().work() as work:
        known = {one.name: one for one in variants(work)}
        names = sys.argv[1:] or list(known)
        if unknown := [name for name in names if name not in known]:
            print(f"{', '.join(unknown)}: expected any of {', '.join(known)}", file=sys.stderr)
            return 2
        chosen = [known[name] for name in names]
        for variant in chosen:
            print_start(variant)
            print_busy(variant, work)
        turns = measure(chosen, launches=LAUNCHES)
    for variant in chosen:
        cpp = median_of_launches(turns[variant.name], "cpp")
        print_result(
            variant.name,
            round(statistics.median(cpp), 1),
            "cycles per packet",
            "lower",
            standard_error=round(statistics.stdev(cpp) / len(cpp) ** 0.5, 2),
            **describe(variant, turns[variant.name], counted=False),
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
