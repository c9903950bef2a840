# SPDX-License-Identifier: Apache-2.0
"""The 5G user plane with the whole service model of Wu et al., Table V: forwarding, and content charging.

Of each: cycles per packet by stage while 167 sessions a second end and as many begin; the forwarding rate at
which the worker is busy for 85 % of the time (their Fig. 12), the traffic on an lcore of its own; seconds and
memory until it forwards.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace

from host import print_result
from nalm_agent.host.cores import choose
from nalm_agent.nf.launch import RunningNf
from nalm_agent.nf.probe import counted_packets, lcore_counters, stage_counters
from nalm_agent.nf.traffic_file import VARIABLE, Load, TrafficFile
from nalm_agent.store.home import Home, WorkDir
from nalm_core.report.counters import lcore_idle_share, working_lcores
from nalm_core.report.run_report import Round
from variants import READY_SECONDS, Variant, describe, measure, median_of_launches

LAUNCHES = 4
BUSY, BUSY_WIDTH = 0.85, 0.01
"""CUR at which the rate is told, and how far from it a trial may be."""
SEARCH_TRIALS = 16
TRIAL_MS = 500.0
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


def busy_share(nf: RunningNf, traffic: TrafficFile, trial: int, pps: int) -> tuple[float, float]:
    """CUR of the worker at this load, and the packets per second that it forwarded."""
    traffic.ask(trial, Load.OPEN, rate_pps=pps)
    before = nf.snapshot()
    nf.turn(milliseconds=TRIAL_MS)
    after = nf.snapshot()
    lcores = lcore_counters(before, after)
    counters = stage_counters(nf.probe.stages, before, after)
    idle = [lcore_idle_share(lcore) for lcore in working_lcores(Round.model_construct(lcores=lcores))]
    packets = counted_packets(nf.probe.stages, counters)
    return 1 - (idle[0] or 0.0), packets / (max(lcore.turn_wall_ns for lcore in lcores) / 1e9)


def rate_at_busy(variant: Variant, work: WorkDir) -> dict[str, float] | None:
    """The rate with CUR within BUSY_WIDTH of BUSY, by halving. None: it was not found."""
    path = work.fresh("traffic") / "traffic"
    variant = replace(variant, lcores=2)
    sets = ["--set", "traffic.rate_pps=100000", "--set", "traffic.late_after_us=5000"]
    command = [*variant.command(choose(2)), *sets]
    low, high = 0.0, 0.0
    with RunningNf(
        command, work, lcores=2, seed=0, ready_seconds=READY_SECONDS, environment={VARIABLE: str(path)}
    ) as nf:
        nf.wait_ready()
        traffic = TrafficFile(path)
        pps = 200_000
        for trial in range(1, SEARCH_TRIALS + 1):
            busy, forwarded = busy_share(nf, traffic, trial, pps)
            print(f"{variant.name}: {pps} pps: CUR {busy:.3f}, {forwarded:.0f} forwarded", file=sys.stderr)
            if abs(busy - BUSY) <= BUSY_WIDTH:
                break
            low, high = (pps, high) if busy < BUSY else (low, pps)
            pps = round((low + high) / 2 if high else pps * 2)
        traffic.close()
        nf.finish()
    return {"cur": round(busy, 3), "pps": round(forwarded)} if abs(busy - BUSY) <= BUSY_WIDTH else None


def main() -> int:
    with Home.default().work() as work:
        both = variants(work)
        for variant in both:
            start(variant)  # compiles patterns, where there are some
        started = {variant.name: start(variant) for variant in both}
        at_busy = {variant.name: rate_at_busy(variant, work) for variant in both}
        turns = measure(both, launches=LAUNCHES)
    for variant in both:
        cpp = median_of_launches(turns[variant.name], "cpp")
        seconds, gigabytes = started[variant.name]
        print_result(
            variant.name,
            round(statistics.median(cpp), 1),
            "cycles per packet",
            "lower",
            standard_error=round(statistics.stdev(cpp) / len(cpp) ** 0.5, 2),
            at_85_percent=at_busy[variant.name],
            start_seconds=round(seconds, 2),
            start_gigabytes=round(gigabytes, 2),
            start_of_bar=round(max(seconds / START_SECONDS, gigabytes / START_GIGABYTES), 3),
            **describe(variant, turns[variant.name], counted=False),
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
