# SPDX-License-Identifier: Apache-2.0
"""An OpenFlow router at 64 B: generated code beside the interpreter and beside DPDK's own table pipeline
(rte_swx) with the same tables, and how fast flow entries change while packets pass.

A packet's cycles go from ring to ring: taking it, parsing, tables, actions, handing it on. rte_swx is built
from its interface, as Debian's DPDK allows: turning a pipeline into C code needs headers that are not
installed. Its wildcard tables take too long with a full routing table, so it is compared with a small one.

Arguments: the parts to run (PARTS), default all.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from host import print_result
from nalm_agent.host.cores import choose
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.nf.run_plan import eal_options
from variants import Variant, describe, instructions, measure, median_of_launches, ratio

ROOT = Path(__file__).resolve().parents[3]
NF = ROOT / "reference-nf"
LAUNCHES = 5
MEMORY_MB = 1024
FLOWS = 4096
SMALL, FULL = 4096, 410_454
"""Prefixes."""
BAR_CYCLES = 172
"""Of Pongrácz: 9 Gbit/s of 64 B on a core of 2.3 GHz."""
BAR_RATIO = 2
START_SECONDS, START_MEGABYTES = 3, 600
SIZES = (64, 128, 256, 512, 1024, 1518)
"""Of frames, with check sequence."""
SIZE_LAUNCHES = 3
GAP_BYTES = 20
"""Of Ethernet between two frames: preamble and gap."""
WORKERS, OF_A_BATCH = (1, 2, 4, 8, 10), 16
"""Lcores that receive, each so many packets at once."""
BAR_SCALING = 0.889
"""Of Pongrácz's ten cores: 80 Gbit/s, where one has 9."""


def main() -> int:
    parts = sys.argv[1:] or list(PARTS)
    if unknown := [part for part in parts if part not in PARTS]:
        print(f"{', '.join(unknown)}: expected any of {', '.join(PARTS)}", file=sys.stderr)
        return 2
    command = ["ninja", "-C", str(NF / "build"), "openflow_bench"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for part in parts:
        PARTS[part]()
    return 0


def print_tables() -> None:
    """From ring to ring, generated code beside the others."""
    small = [run(str(FLOWS), 1, SMALL) for _ in range(LAUNCHES)]
    full = [run(str(FLOWS), 1, FULL) for _ in range(LAUNCHES)]
    for name, runs in (("small", small), ("full", full)):
        print_ratio(f"openflow_interpreted_to_specialised_{name}", runs, "interpreted", BAR_RATIO)
        cycles = [run["specialised_cycles"] for run in runs]
        print_result(
            f"openflow_cycles_64_{name}",
            round(statistics.median(cycles) / BAR_CYCLES, 3),
            f"x {BAR_CYCLES} cycles",
            "lower",
            bar=1,
            cycles=statistics.median(cycles),
            floor_cycles=statistics.median(run["floor_cycles"] for run in runs),
            spread=[min(cycles), max(cycles)],
            prefixes=runs[0]["entries"],
        )
    print_ratio("openflow_swx_to_specialised", small, "swx", 1)
    for name, runs in (("small", small), ("full", full)):
        print_ratio(f"openflow_changeable_to_specialised_{name}", runs, "changeable", None)


def run(what: str, lcores: int, prefixes: int) -> dict[str, Any]:
    """One launch: medians over its rounds."""
    eal = eal_options(choose(lcores), huge_pages=False, memory_mb=MEMORY_MB)
    done = subprocess.run(
        [
            *(str(NF / "build" / "openflow_bench"), what, *eal, "--"),
            *("--config", str(NF / "conf" / "router.conf"), "--set", "traffic.profile=64"),
            *("--set", f"openflow.prefixes_generated={prefixes}"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    print(f"{what}, {prefixes} prefixes", file=sys.stderr)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def print_ratio(name: str, runs: list[dict[str, Any]], other: str, bar: float | None) -> None:
    """Cycles of the other side over those of generated code; also without what both need but for tables."""
    ratios = [run[f"{other}_cycles"] / run["specialised_cycles"] for run in runs]
    alone = [
        (run[f"{other}_cycles"] - run["floor_cycles"]) / (run["specialised_cycles"] - run["floor_cycles"])
        for run in runs
    ]
    print_result(
        name,
        round(statistics.median(ratios), 3),
        "x cycles",
        "higher",
        bar=bar,
        without_floor=round(statistics.median(alone), 3),
        cycles={
            side: statistics.median(run[f"{side}_cycles"] for run in runs) for side in (other, "specialised")
        },
        spread=[round(min(ratios), 3), round(max(ratios), 3)],
        prefixes=runs[0]["entries"],
        launches=LAUNCHES,
    )


def print_chains() -> None:
    """Whole chains, run to completion on one lcore, with their instructions: why generated code is faster."""
    small = {"traffic.profile": "64", "traffic.flows": str(FLOWS), "openflow.prefixes_generated": str(SMALL)}
    settings = {"router": small, "vbng": {"traffic.profile": "64", "traffic.flows": str(FLOWS)}}
    variants = [
        Variant(f"{chain}_{mode}", chain, {**changed, "openflow.mode": mode})
        for chain, changed in settings.items()
        for mode in ("interpreted", "specialised")
    ]
    turns = measure(variants)
    for interpreted, specialised in zip(variants[::2], variants[1::2], strict=True):
        cpps = (median_of_launches(turns[variant.name], "cpp") for variant in (interpreted, specialised))
        value, error = ratio(*cpps)
        print_result(
            f"openflow_chain_{specialised.config}",
            value,
            "x cycles per packet",
            "higher",
            bar=BAR_RATIO,
            standard_error=error,
            interpreted=describe(interpreted, turns[interpreted.name]),
            specialised=describe(specialised, turns[specialised.name]),
        )


def print_sizes() -> None:
    """Frame sizes on one lcore, with the full table: what the line carries (Pongrácz, Fig. 9)."""
    variants = [Variant(str(size), "router", {"traffic.profile": str(size)}) for size in SIZES]
    turns = measure(variants, SIZE_LAUNCHES)
    cpp = {size: statistics.median(median_of_launches(turns[str(size)], "cpp")) for size in SIZES}
    hz = fingerprint().tsc_hz
    gbit = {size: hz / cycles * (size + GAP_BYTES) * 8 / 1e9 for size, cycles in cpp.items()}
    print_result(
        "openflow_sizes",
        round(cpp[SIZES[-1]] / cpp[SIZES[0]], 3),
        f"x cycles per packet, {SIZES[-1]} B to {SIZES[0]} B",
        "lower",
        cpp={size: round(cycles, 1) for size, cycles in cpp.items()},
        gbit_of_an_lcore={size: round(rate, 1) for size, rate in gbit.items()},
    )


def print_scaling() -> None:
    """Lcores with a receive queue each, by instructions: what they share would show as more for each packet
    (Pongrácz, Fig. 10). All in turn on one lcore, each with as many packets at once."""
    ipp: dict[int, float] = {}
    for workers in WORKERS:
        settings = {
            "traffic.profile": "64",
            "traffic.flows": str(FLOWS),
            "openflow.prefixes_generated": str(SMALL),
            "model.workers": str(workers),
            "chain.batch": str(OF_A_BATCH * workers),
        }
        if workers > 1:
            settings["io.offload"] = "rss"
        ipp[workers] = sum(instructions(Variant(f"{workers} lcores", "router", settings)).values())
    most = WORKERS[-1]
    print_result(
        "openflow_scaling",
        round(ipp[1] / ipp[most], 3),
        f"of linear scaling, {most} lcores, by instructions",
        "higher",
        bar=BAR_SCALING,
        ipp={workers: round(value, 1) for workers, value in ipp.items()},
    )


def print_start() -> None:
    """From the call to the end of a run that forwards one packet, the full routing table made in between."""
    eal = eal_options(choose(1), huge_pages=False, memory_mb=256)
    command = [str(NF / "build" / "nalm-nf"), *eal, "--", "--config", str(NF / "conf" / "router.conf")]
    seconds, megabytes = [], []
    for _ in range(LAUNCHES):
        begin = time.monotonic()
        process = subprocess.Popen(
            [*command, "--packets", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit("the router does not start")
        seconds.append(time.monotonic() - begin)
        megabytes.append(usage.ru_maxrss / 1024)
    of_bars = statistics.median(seconds) / START_SECONDS, max(megabytes) / START_MEGABYTES
    print_result(
        "openflow_start_full",
        round(max(of_bars), 3),
        f"x {START_SECONDS} s or {START_MEGABYTES} MB, whichever is more",
        "lower",
        bar=1,
        seconds=round(statistics.median(seconds), 3),
        megabytes=round(max(megabytes)),
    )


def print_mods() -> None:
    """By reloads, each of which reads and builds everything anew, and by flow-mods of single entries."""
    for name, prefixes in (("small", SMALL), ("full", FULL)):
        print_mods_of(name, run("mods", 2, prefixes))


def print_mods_of(name: str, mods: dict[str, Any]) -> None:
    runs = [run for run in mods["runs"] if "bulk" in run]
    print_single_mods(name, mods["entries"], [run for run in mods["runs"] if "entry" in run])
    quiet, *runs = runs
    for run in runs:
        print_result(
            f"openflow_flow_mods_{name}_by_{run['bulk']}",
            run["mods_per_second"],
            "changed entries a second while forwarding",
            "higher",
            entries=mods["entries"],
            slowest_reload_us=run["slowest_reload_us"],
            longest_stall_us=run["longest_batch_us"],
            longest_stall_of_own_time_us=run["longest_batch_cpu_us"],
            without_changes_us=[quiet["longest_batch_us"], quiet["longest_batch_cpu_us"]],
            rate_kept=round(run["packets_per_second"] / quiet["packets_per_second"], 3),
        )


def print_single_mods(name: str, entries: int, runs: list[dict[str, Any]]) -> None:
    """One entry after another: each comes, changes and goes. By what the entry looks at."""
    quiet, *runs = runs
    for run in runs:
        print_result(
            f"openflow_single_flow_mods_{name}_{run['entry']}",
            run["mods_per_second"],
            "flow-mods a second while forwarding",
            "higher",
            entries=entries,
            own_time_us=run["mod_cpu_us"],
            slowest_us=[run["slowest_mod_us"], run["slowest_mod_cpu_us"]],
            longest_stall_us=run["longest_batch_us"],
            longest_stall_of_own_time_us=run["longest_batch_cpu_us"],
            without_changes_us=[quiet["longest_batch_us"], quiet["longest_batch_cpu_us"]],
            rate_kept=round(run["packets_per_second"] / quiet["packets_per_second"], 3),
        )


PARTS: Mapping[str, Callable[[], None]] = {
    "tables": print_tables,
    "chains": print_chains,
    "sizes": print_sizes,
    "scaling": print_scaling,
    "start": print_start,
    "mods": print_mods,
}

if __name__ == "__main__":
    sys.exit(main())
