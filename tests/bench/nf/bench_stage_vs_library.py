# SPDX-License-Identifier: Apache-2.0
"""The cost of each stage compared with its bare library call, at 64 B, with few and many flows.

A stage does more than its library call: it reads the frame, rewrites addresses, ports, TTL and checksums,
keeps flows in order of age, gives each packet an outcome. With few flows all data is in the caches and that
work dominates; with many the library's misses dominate.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from host import print_result
from nalm_agent.host.cores import choose
from nalm_agent.nf.run_plan import eal_options

ROOT = Path(__file__).resolve().parents[3]
NF = ROOT / "reference-nf"
LAUNCHES = 5
MEMORY_MB = 3000
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
    subprocess.run(["ninja", "-C", str(NF / "build"), "stage_bench"], check=True, stdout=subprocess.DEVNULL)
    for stage, (config, replaced, sizes) in CASES.items():
        for size, flows in sizes.items():
            print_case(stage, size, [run(stage, flows, config, replaced) for _ in range(LAUNCHES)])
            print(f"{stage} {size}", file=sys.stderr)
    return 0


def run(stage: str, flows: int, config: str, replaced: list[str]) -> dict[str, Any]:
    """One launch: medians over its rounds."""
    eal = eal_options(choose(1), huge_pages=False, memory_mb=MEMORY_MB)
    sets = [argument for assignment in replaced for argument in ("--set", assignment)]
    command = [str(NF / "build" / "stage_bench"), stage, str(flows), *eal, "--"]
    done = subprocess.run(
        [*command, "--config", str(NF / "conf" / f"{config}.conf"), *sets],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def print_case(stage: str, size: str, runs: list[dict[str, Any]]) -> None:
    def median(key: str) -> float:
        return round(statistics.median(run[key] for run in runs), 2)

    print_result(
        f"stage_vs_library_{stage}_{size}",
        median("ratio"),
        "x cycles",
        "lower",
        library=runs[0]["library"],
        stage_cycles=median("stage_cycles"),
        library_cycles=median("library_cycles"),
        spread=[min(run["ratio"] for run in runs), max(run["ratio"] for run in runs)],
        launches=LAUNCHES,
    )


if __name__ == "__main__":
    sys.exit(main())
