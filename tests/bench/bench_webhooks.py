# SPDX-License-Identifier: Apache-2.0
"""Webhooks accepted per second by one API process on PostgreSQL, their p99, and the memory of API and worker.

Signed pushes, a delivery and a commit each, from a few clients on the same cores, each on a connection of
its own. Redis and worker run beside and take the wakes: the figure is what is left for accepting.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "server" / "tests"))

from farm import Farm, signed_push
from host import print_result
from processes import Postgres

CLIENTS = 8
WARM_UP = 100
MEASURED = 1500


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="nalm-bench-", dir="/tmp") as folder:
        home = Path(folder)
        farm = Farm(home, Postgres(home))
        try:
            farm.start()
            farm.add_project(home / "nowhere.git")
            farm.parts["worker"].start()
            asyncio.run(load(farm, 0, WARM_UP))
            began = time.perf_counter()
            latencies = asyncio.run(load(farm, WARM_UP, MEASURED))
            tell(latencies, time.perf_counter() - began, farm)
        finally:
            farm.stop()
    return 0


async def load(farm: Farm, first: int, number: int) -> list[float]:
    """Milliseconds of each delivery."""
    left = iter(range(first, first + number))
    latencies: list[float] = []

    async def client() -> None:
        async with httpx.AsyncClient(timeout=60) as http:
            for count in left:
                body, headers = signed_push(farm.project, f"{count:040x}", f"{count + 1:040x}")
                began = time.perf_counter()
                answer = await http.post(f"{farm.url}/hooks/github", content=body, headers=headers)
                latencies.append((time.perf_counter() - began) * 1000)
                assert answer.status_code == 202, answer.text

    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return latencies


def tell(latencies: list[float], seconds: float, farm: Farm) -> None:
    p99 = statistics.quantiles(latencies, n=100)[98]
    details: dict[str, Any] = {"clients": CLIENTS, "deliveries": len(latencies)}
    print_result("webhooks accepted", round(len(latencies) / seconds, 1), "1/s", "higher", **details)
    print_result("webhook p99", round(p99, 1), "ms", "lower", **details)
    for name in ("server", "worker"):
        resident = psutil.Process(farm.parts[name].pid).memory_info().rss
        print_result(f"memory of {name}", round(resident / 2**20, 1), "MiB", "lower")


if __name__ == "__main__":
    sys.exit(main())
