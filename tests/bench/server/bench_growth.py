# SPDX-License-Identifier: Apache-2.0
"""The API over 200,000 commits, 1,000,000 runs, 3,000,000 values: p50 and p95 of requests of pages and
commands.

A real server over HTTP on a PostgreSQL of its own, one caller at a time. For exports the time to the first
byte counts; `whole_p50` is the time to the last. `server_cpu_ms` is the server's processor time, without
PostgreSQL's.

Usage: python tests/bench/run.py growth [--kept DIR] [--calls N] [--only NAME ...]
With --kept the database stays in that directory and is made only once, which takes minutes.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import httpx
import psycopg
from bench_api_store import TOKEN, cpu_ms, rss_mb, server
from host import print_result
from nalm_server.auth.tokens.service import digest_of
from nalm_server.db import migrate
from postgres import cluster

TARGET_MS = 500.0
P = "/projects/grown-1"
METRICS = "/metrics"
LONG_MS = 20_000.0
STREAMED = "export"
"""Answers whose names begin like this are streamed: the time to their first byte counts."""


def sha(position: int) -> str:
    return sha256(f"commit 1 {position}".encode()).hexdigest()


def paths() -> dict[str, str]:
    five = "&".join(f"scenario=scenario-{number}" for number in range(1, 6))
    since = time.strftime("%Y-%m-%dT00:00:00Z", time.gmtime(time.time() - 30 * 86_400))
    return {
        "quality": f"{P}/detection-quality",
        "lines_5_scenarios_10000": f"{P}/lines?{five}&metric=cpp&limit=10000",
        "lines_5_scenarios_10000_chain": f"{P}/lines?{five}&metric=cpp&limit=10000&stage=chain",
        "lines_1000": f"{P}/lines?scenario=scenario-1&metric=cpp&limit=1000",
        "features": f"{P}/features",
        "feature_history": f"{P}/features/nat/history",
        "models": f"{P}/models",
        "export_csv_30_days": f"{P}/export?format=csv&scenario=scenario-1&metric=cpp&since={since}",
        "export_csv_all": f"{P}/export?format=csv&scenario=scenario-1&metric=cpp",
        "export_openmetrics": f"{P}/export?format=openmetrics",
        "host_noise": "/hosts/bench-1/noise",
        "hosts": "/hosts",
        "ncpp": f"{P}/ncpp",
        "ncpp_1000": f"{P}/ncpp?limit=1000",
        "history_10000": f"{P}/scenarios/scenario-1/history?metric=cpp&limit=10000",
        "history_1000_chain": f"{P}/scenarios/scenario-1/history?metric=cpp&limit=1000&stage=chain",
        "scenarios": f"{P}/scenarios",
        "functions": f"{P}/scenarios/scenario-1/functions",
        "commits_500": f"{P}/commits?limit=500",
        "commits": f"{P}/commits",
        "commits_deep": f"{P}/commits?before={sha(1000)}",
        "commit": f"{P}/commits/{sha(10_000)}",
        "compare_all": f"{P}/compare/all?base={sha(15_000)}&head={sha(20_000)}",
        "revisions": f"{P}/revisions",
        "projects": "/projects",
        "project": P,
        "overview": "/overview",
        "feed": f"{P}/feed.atom",
        "jobs": "/jobs",
        "jobs_of_project": "/jobs?project=grown-1&limit=500",
        "alerts": f"{P}/alerts",
        "retention": f"{P}/retention",
        "experiments": f"{P}/experiments",
        "trials": f"{P}/detection-quality/trials",
        "pull_requests": f"{P}/pull-requests?limit=100",
        "audit": "/audit",
        "metrics": METRICS,
    }


def main() -> int:
    requested = argparse.ArgumentParser()
    requested.add_argument("--kept", type=Path)
    requested.add_argument("--calls", type=int, default=7)
    requested.add_argument("--only", nargs="*", default=[])
    options = requested.parse_args()
    with cluster(options.kept) as url, tempfile.TemporaryDirectory() as state:
        fill(url)
        with server(url, Path(state)) as (client, pid):
            expected = {name: path for name, path in paths().items() if name in (options.only or paths())}
            caller = Caller(client, pid, options.calls)
            slow = [name for name, path in expected.items() if caller.measure(name, path) > TARGET_MS]
            print_result("growth_server_memory", rss_mb(pid), "MB", "lower")
    if slow:
        print(f"over the {TARGET_MS:.0f} ms aimed at: {', '.join(slow)}", file=sys.stderr)
    return 0


def fill(url: str) -> None:
    """Keeps what already exists."""
    migrate.upgrade(url)
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        if connection.execute("SELECT count(*) FROM projects").fetchone() != (0,):
            connection.execute("ANALYZE")
            return
        for statements in ("grown.sql", "history_points.sql"):
            connection.execute((Path(__file__).parent / statements).read_bytes())
        for table in ("projects", "hosts", "commits", "scenarios", "series", "jobs", "runs", "alerts"):
            connection.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
            )
        connection.execute("VACUUM ANALYZE")
        connection.execute(
            "INSERT INTO tokens (digest, scope, name, project_id, created_at) "
            "VALUES (%s, 'admin', 'bench', NULL, now())",
            (digest_of(TOKEN),),
        )


@dataclass(frozen=True)
class Caller:
    client: httpx.Client
    pid: int
    calls: int

    def measure(self, name: str, path: str) -> float:
        """p50 in ms. The first call does not count, except for slow answers, which are requested once."""
        times: list[float] = []
        whole: list[float] = []
        cpu = cpu_ms(self.pid)
        for number in range(self.calls + 1):
            first, took, size, status = self._ask(path)
            if number or took > LONG_MS:
                whole.append(took)
                times.append(first if name.startswith(STREAMED) else took)
            if took > LONG_MS:
                break
        cpu = (cpu_ms(self.pid) - cpu) / (len(whole) + 1)
        p50, p95 = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
        print_result(
            f"growth_{name}_p50",
            round(p50, 1),
            "ms",
            "lower",
            p95=round(p95, 1),
            best=round(min(times), 1),
            whole_p50=round(statistics.median(whole), 1),
            server_cpu_ms=round(cpu, 1),
            answer_bytes=size,
            status=status,
        )
        sys.stdout.flush()
        return p50

    def _ask(self, path: str) -> tuple[float, float, int, int]:
        """ms to the first byte and to the last, bytes, status."""
        url = self.client.base_url.copy_with(raw_path=b"/metrics") if path == METRICS else path
        begun = time.perf_counter()
        with self.client.stream("GET", url, timeout=150) as answer:
            pieces = answer.iter_bytes()
            size = len(next(pieces, b""))
            first = (time.perf_counter() - begun) * 1000
            size += sum(len(piece) for piece in pieces)
        return first, (time.perf_counter() - begun) * 1000, size, answer.status_code


if __name__ == "__main__":
    sys.exit(main())
