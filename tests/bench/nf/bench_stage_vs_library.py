# SPDX-License-Identifier: Apache-2.0
"""The cost of each stage compared with its bare library call, at 64 B, with few and many flows.

A stage does more than its library call: it reads the frame, rewrites addresses, ports, TTL and checksums,
keeps flows in order of age, gives each packet an outcome. With few flows all data is in the caches and that
work dominates; with many the library's misses dominate. With few flows, callgrind counts the instructions.
Arguments: the stages to measure, default all.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from host import print_result
from nalm_agent.host.cores import choose
from nalm_agent.nf.run_plan import eal_options

ROOT = Path(__file__).resolve().parents[3]
NF = ROOT / "reference-nf"
LAUNCHES = 5
MEMORY_MB = 3000
BARS = {"nat": 1.5, "lb": 1.5, "l3fwd": 1.5, "dpi": 1.3, "acl": 1.3}
"""Most cycles, as a multiple of the library call's."""
COUNTED = "4k"
COUNTED_ROUNDS = (1, 3)
"""Their difference excludes the start and the packets that open flows."""
FLOWS = {"4k": 4096, "1m": 1_000_000}
LARGE_NAT = ["nat.entries=1048576", "nat.pool=203.0.113.0/24"]
ROUTES = ["l3fwd.routes_generated=400000"]
CASES = {
    "nat": ("sfc_a", LARGE_NAT, FLOWS),
    "dpi": ("sfc_a", [], {"4k": 4096}),
    "l3fwd": ("sfc_a", ROUTES, FLOWS),
    "acl": ("sfc_b", ["acl.default=permit", "acl.rules_generated=10000"], {"4k": 4096}),
    "lb": ("sfc_b", ["lb.entries=1048576"], FLOWS),
}
"""Per stage: its configuration, replaced values, and numbers of flows. dpi and acl keep none."""


def main() -> int:
    chosen = sys.argv[1:] or list(CASES)
    if unknown := [stage for stage in chosen if stage not in CASES]:
        print(f"{', '.join(unknown)}: expected any of {', '.join(CASES)}", file=sys.stderr)
        return 2
    subprocess.run(["ninja", "-C", str(NF / "build"), "stage_bench"], check=True, stdout=subprocess.DEVNULL)
    for stage in chosen:
        config, replaced, sizes = CASES[stage]
        for size, flows in sizes.items():
            runs = [run(stage, flows, config, replaced) for _ in range(LAUNCHES)]
            counted = count(stage, flows, config, replaced) if size == COUNTED else {}
            print_case(stage, size, runs, counted)
            print(f"{stage} {size}", file=sys.stderr)
    return 0


def command(stage: str, flows: int, rounds: int, config: str, replaced: list[str]) -> list[str]:
    """rounds: 0 for as many as medians need."""
    eal = eal_options(choose(1), huge_pages=False, memory_mb=MEMORY_MB)
    sets = [argument for assignment in replaced for argument in ("--set", assignment)]
    program = [str(NF / "build" / "stage_bench"), stage, str(flows), str(rounds)]
    return [*program, *eal, "--", "--config", str(NF / "conf" / f"{config}.conf"), *sets]


def run(stage: str, flows: int, config: str, replaced: list[str]) -> dict[str, Any]:
    """One launch: medians over its rounds."""
    done = subprocess.run(
        command(stage, flows, 0, config, replaced),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def count(stage: str, flows: int, config: str, replaced: list[str]) -> dict[str, float]:
    """Instructions per packet of both sides, and the stage's over the library's."""
    # Another chain's stages would be set up under valgrind, too.
    alone = [*replaced, f"chain.stages={stage}"]
    per_packet = {}
    for side in ("stage", "library"):
        few, many = (
            instructions(command(stage, flows, rounds, config, alone), f"call_{side}")
            for rounds in COUNTED_ROUNDS
        )
        packets = (COUNTED_ROUNDS[1] - COUNTED_ROUNDS[0]) * flows
        per_packet[f"{side}_instructions"] = round((many - few) / packets, 1)
    by_count = per_packet["stage_instructions"] / per_packet["library_instructions"]
    return {**per_packet, "instruction_ratio": round(by_count, 2)}


def instructions(program: list[str], function: str) -> int:
    """What one function of the program executes, with all that it calls."""
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory) / "callgrind.out"
        tool = ["valgrind", "-q", "--tool=callgrind", f"--toggle-collect={function}"]
        subprocess.run(
            [*tool, f"--callgrind-out-file={out}", *program],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        for line in out.read_text().splitlines():
            if line.startswith("summary:"):
                return int(line.split()[1])
    raise ValueError(f"callgrind wrote no summary of {function}: run {' '.join(program)} by hand")


def print_case(stage: str, size: str, runs: list[dict[str, Any]], counted: dict[str, float]) -> None:
    def median(key: str) -> float:
        return round(statistics.median(run[key] for run in runs), 2)

    print_result(
        f"stage_vs_library_{stage}_{size}",
        median("ratio"),
        "x cycles",
        "lower",
        bar=BARS[stage],
        library=runs[0]["library"],
        stage_cycles=median("stage_cycles"),
        library_cycles=median("library_cycles"),
        spread=[min(run["ratio"] for run in runs), max(run["ratio"] for run in runs)],
        launches=LAUNCHES,
        **counted,
    )


if __name__ == "__main__":
    sys.exit(main())
