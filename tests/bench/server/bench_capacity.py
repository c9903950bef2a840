# SPDX-License-Identifier: Apache-2.0
"""More readers than the server can serve: their answers, and the latency of `/health/live` meanwhile.

A real server over HTTP, on SQLite and on PostgreSQL. First READERS_FEW readers: the value is their
median. Then READERS_MANY for a minute. Readers are one process and the watch of `/health/live` is another.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
from host import print_result
from nalm_server.db import migrate
from postgres import cluster

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "server/tests/support"), str(ROOT / "tests")]
from nalm_server_crowd import LiveWatch, Reply, read_for  # noqa: E402
from nalm_server_process import Running, running  # noqa: E402
from nalm_server_reports import body_of, make_report, sha  # noqa: E402

READERS_FEW, SECONDS_FEW = 20, 10.0
READERS_MANY, SECONDS_MANY = 500, 60.0
PATIENCE_SECONDS = 60.0
"""A reader that waits longer counts as unanswered."""
BUSY_SECONDS = 5.0
"""503 must come within this time."""
LIVE_MS = 100.0
COMMITS = 30


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    missed: list[str] = []
    with tempfile.TemporaryDirectory() as home:
        sqlite = f"sqlite:///{home}/nalm.db"
        missed += measure("sqlite", sqlite, Path(home))
    with cluster() as url, tempfile.TemporaryDirectory() as home:
        missed += measure("postgresql", url, Path(home))
    if missed:
        print(f"not as aimed at: {'; '.join(missed)}", file=sys.stderr)
    return 0


def measure(database: str, url: str, home: Path, seconds: float = SECONDS_MANY) -> list[str]:
    """Missed goals."""
    migrate.upgrade(url)
    environment = {"NALM_DATABASE_URL": url, "NALM_RATE_API": "0"}
    served = running(home / "served", "--no-agent", forked=False, **environment)
    with served as server, readers() as pool:
        paths = fill(server)
        few = pool.submit(crowd, server.port, paths, READERS_FEW, SECONDS_FEW).result()
        p50 = statistics.median(one.seconds for one in few) * 1000
        with LiveWatch(server.port, PATIENCE_SECONDS) as live:
            pool.submit(os.nice, 10).result()  # so that they take little time from the server
            many = pool.submit(crowd, server.port, paths, READERS_MANY, seconds).result()
    kinds = Counter("answered" if one.status == 200 else one.name for one in many)
    busy = max((one.seconds for one in many if one.status == 503), default=0.0)
    live_ms = max(live.waits) * 1000
    print_result(
        f"capacity_{database}",
        p50,
        "ms",
        "lower",
        readers=READERS_FEW,
        crowd=READERS_MANY,
        crowd_seconds=seconds,
        answered=kinds.pop("answered", 0),
        busy=kinds.pop("busy", 0),
        other=kinds.total() + len(live.failures),
        worst_seconds=max(one.seconds for one in many),
        worst_busy_seconds=busy,
        live_max_ms=live_ms,
        live_p50_ms=statistics.median(live.waits) * 1000,
    )
    found = [f"{database}: {name} answered {number} times" for name, number in kinds.items()]
    found += [f"{database}: /health/live: {one}" for one in live.failures]
    if busy > BUSY_SECONDS:
        found.append(f"{database}: 503 came after {busy:.1f} s")
    if live_ms > LIVE_MS:
        found.append(f"{database}: /health/live took {live_ms:.0f} ms")
    return found


@contextmanager
def readers() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def crowd(port: int, paths: list[str], number: int, seconds: float) -> list[Reply]:
    return asyncio.run(read_for(port, paths, number, seconds, PATIENCE_SECONDS))


def fill(server: Running) -> list[str]:
    """A public project with some history, and its pages."""
    with httpx.Client(base_url=server.api, headers=server.token(), timeout=60) as client:
        project = {"name": "bench", "repository": "/srv/bench.git", "public": True}
        made = client.post("/projects", json=project).raise_for_status().json()
        upload = {"Authorization": f"Bearer {made['upload_token']}"}
        for number in range(1, COMMITS + 1):
            body = body_of(make_report(number, project="bench"))
            client.post("/reports", content=body, headers=upload).raise_for_status()
    return [
        "/overview",
        "/projects",
        "/projects/bench",
        "/projects/bench/commits",
        "/projects/bench/pull-requests?limit=100",
        "/projects/bench/scenarios/sfc_a/history?metric=cpp",
        f"/projects/bench/commits/{sha(COMMITS)}",
        "/jobs",
        "/health",
    ]


if __name__ == "__main__":
    sys.exit(main())
