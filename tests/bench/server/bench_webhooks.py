# SPDX-License-Identifier: Apache-2.0
"""Webhooks accepted per second by one API process on PostgreSQL, their p99 and cost; memory of the processes.

Signed pushes, a delivery and a commit each, from a few clients on the same cores, each on a connection of its
own. First without a worker, which shows the capacity of intake; then with Redis and a worker.
BENCH_DELIVERIES: the number measured each time.
"""

from __future__ import annotations

import http.client
import itertools
import os
import signal
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "faults"))
sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "server" / "tests" / "support"))

from farm import Farm, signed_push
from host import print_result
from nalm_server_waiting import until
from processes import Postgres

CLIENTS = 8
WARM_UP = 100
MEASURED = int(os.environ.get("BENCH_DELIVERIES", "1000"))


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the farm stops
    os.environ["NALM_RATE_HOOKS"] = "0"
    with tempfile.TemporaryDirectory(prefix="nalm-bench-", dir="/tmp") as folder:
        home = Path(folder)
        farm = Farm(home, Postgres(home))
        try:
            _say("starting PostgreSQL, Redis and the API")
            farm.start()
            farm.add_project(home / "nowhere.git")
            load(farm, WARM_UP)
            measure(farm, "alone")
            farm.parts["worker"].start()
            until(lambda: farm.worked_on() > 0, "the worker")
            measure(farm, "with a worker")
            for name in ("server", "worker"):
                resident = psutil.Process(farm.parts[name].pid).memory_info().rss
                print_result(f"memory of {name}", round(resident / 2**20, 1), "MiB", "lower")
        finally:
            farm.stop()
    return 0


def measure(farm: Farm, how: str) -> None:
    _say(f"{MEASURED} deliveries, {how}")
    server = psutil.Process(farm.parts["server"].pid)
    used, began = sum(server.cpu_times()[:2]), time.perf_counter()
    latencies = load(farm, MEASURED)
    seconds, used = time.perf_counter() - began, sum(server.cpu_times()[:2]) - used
    details: dict[str, Any] = {"clients": CLIENTS, "deliveries": MEASURED, "how": how}
    p99 = statistics.quantiles(latencies, n=100)[98]
    print_result("webhooks accepted", round(MEASURED / seconds, 1), "1/s", "higher", **details)
    print_result("webhook p50", round(statistics.median(latencies), 1), "ms", "lower", **details)
    print_result("webhook p99", round(p99, 1), "ms", "lower", **details)
    print_result("processor time of a webhook", round(used / MEASURED * 1000, 2), "ms", "lower", **details)


def load(farm: Farm, number: int) -> list[float]:
    """Milliseconds of each delivery. Deliveries are signed before, so that clients cost little."""
    shas = [os.urandom(20).hex() for _ in range(number + 1)]
    requests = iter([signed_push(farm.project, before, after) for before, after in itertools.pairwise(shas)])
    latencies: list[float] = []
    refused: list[str] = []

    def client() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", farm.ports["server"], timeout=60)
        for body, headers in requests:
            began = time.perf_counter()
            connection.request("POST", "/api/v1/hooks/github", body=body, headers=headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            latencies.append((time.perf_counter() - began) * 1000)
            if answer.status != 202:
                refused.append(text)
        connection.close()

    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not refused and len(latencies) == number, refused[:1]
    return latencies


def _say(what: str) -> None:
    print(what, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
