# SPDX-License-Identifier: Apache-2.0
"""The API over ten million stored samples: p95 of a history, a comparison and the overview; intake of
reports.

A real server over HTTP on a PostgreSQL of its own. Latencies are of one caller at a time; reports come from
two uploaders at once.
"""

from __future__ import annotations

import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import httpx
import psutil
import psycopg
from host import print_result
from nalm_server.app.context import make_context
from nalm_server.auth.tokens.principal import Principal
from nalm_server.auth.tokens.scopes import Scope
from nalm_server.auth.tokens.service import digest_of
from nalm_server.base.settings import Settings
from nalm_server.db import migrate
from nalm_server.results.intake import take_report
from postgres import cluster
from sqlalchemy import event

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "server/tests/support"))
from nalm_server_reports import body_of, make_report  # noqa: E402

TOKEN = "nalm_" + "b" * 43
CALLS, WARM = 100, 30
"""Counted calls of each path, and calls before them, because a new server first reads what is stored."""
REPORTS, UPLOADERS = 60, 2
TARGET_MS = 50.0


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that PostgreSQL is stopped and removed
    with cluster() as url, tempfile.TemporaryDirectory() as state:
        fill(url)
        with server(url, Path(state)) as (client, pid):
            slow = [name for name, path in paths().items() if latency(client, pid, name, path) > TARGET_MS]
            ingest(client)
            print_result("api_server_memory", rss_mb(pid), "MB", "lower")
        lock_held(url, Path(state))
    if slow:
        print(f"over the {TARGET_MS:.0f} ms aimed at: {', '.join(slow)}", file=sys.stderr)
    return 0


def fill(url: str) -> None:
    migrate.upgrade(url)
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        for statements in ("stored.sql", "history_points.sql"):
            connection.execute((Path(__file__).parent / statements).read_bytes())
        connection.execute(
            "INSERT INTO tokens (digest, scope, name, project_id, created_at) "
            "VALUES (%s, 'admin', 'bench', NULL, now()), (%s, 'upload', 'bench', 1, now())",
            (digest_of(TOKEN), digest_of(TOKEN + "-upload")),
        )
        for table in ("projects", "hosts", "commits", "scenarios", "series", "jobs", "runs", "tokens"):
            connection.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), (SELECT max(id) FROM {table}))"
            )
        connection.execute("VACUUM ANALYZE")


@contextmanager
def server(url: str, state: Path) -> Iterator[tuple[httpx.Client, int]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = Path(sys.executable).parent / "nalm-server"
    command = [str(program), "up", "--no-agent", "--port", str(port), "--state", str(state)]
    environment = {**os.environ, "NALM_DATABASE_URL": url}
    with (state / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", headers=headers, timeout=60) as client:
            wait_until_up(client, process, state)
            yield client, process.pid
    finally:
        process.terminate()
        process.wait(30)


def wait_until_up(client: httpx.Client, process: subprocess.Popen[bytes], state: Path) -> None:
    while process.poll() is None:
        try:
            client.get("/health").raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.05)
    raise RuntimeError((state / "log").read_text(errors="replace"))


def paths() -> dict[str, str]:
    """Histories as the page requests them, in columns, and as the commands do, an object for each point."""
    base, head = sha256(b"998").hexdigest(), sha256(b"999").hexdigest()
    history = "/projects/bench/scenarios/scenario-7/history?metric=cpp&limit=1000"
    lines = "/projects/bench/lines?scenario=scenario-7&metric=cpp&limit=1000"
    return {
        "history_1000_points": f"{lines}&stage=chain",
        "history_1000_points_10_stages": lines,
        "history_1000_points_as_objects": f"{history}&stage=chain",
        "compare_2000_series": f"/projects/bench/compare/all?base={base}&head={head}",
        "project_overview": "/projects/bench",
        "projects_overview": "/projects",
        "commits_page": "/projects/bench/commits",
    }


def latency(client: httpx.Client, pid: int, name: str, path: str) -> float:
    """p95, and the server's own CPU time, which other programs of the host change little."""
    times, size, cpu = [], 0, cpu_ms(pid)
    for _ in range(WARM + CALLS):
        begun = time.perf_counter()
        answer = client.get(path).raise_for_status()
        times.append((time.perf_counter() - begun) * 1000)
        size = len(answer.content)
    times = sorted(times[WARM:])
    p95 = times[int(len(times) * 0.95)]
    cpu = (cpu_ms(pid) - cpu) / (WARM + CALLS)
    p50 = statistics.median(times)
    print_result(f"api_{name}_p95", p95, "ms", "lower", p50=p50, server_cpu_ms=cpu, answer_bytes=size)
    return p95


def cpu_ms(pid: int) -> float:
    """CPU time of the server and its children, without PostgreSQL's."""
    times = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return sum(sum(one.cpu_times()[:2]) for one in times) * 1000


def ingest(client: httpx.Client) -> None:
    """Reports of one project, as agents of several hosts upload them."""
    bodies = [body_of(make_report(number, project="bench")) for number in range(1, REPORTS + 1)]
    headers = {"Authorization": f"Bearer {TOKEN}-upload"}
    begun = time.perf_counter()
    with ThreadPoolExecutor(UPLOADERS) as pool:
        for answer in pool.map(lambda body: client.post("/reports", content=body, headers=headers), bodies):
            answer.raise_for_status()
    rate = REPORTS / (time.perf_counter() - begun)
    print_result("api_reports_ingested", rate, "1/s", "higher", report_bytes=len(bodies[0]))


def lock_held(url: str, state: Path) -> None:
    """How long the intake of a report blocks other writers of its project: from the lock to the commit."""
    context = make_context(Settings(state_dir=state, database_url=url))
    caller = Principal(Scope.UPLOAD, 1, "bench")
    begun: list[float] = []
    held: list[float] = []

    def locked(_c: object, _cursor: object, statement: str, *_: object) -> None:
        if "FOR NO KEY UPDATE" in statement:
            begun.append(time.perf_counter())

    event.listen(context.engine, "after_cursor_execute", locked)
    for number in range(REPORTS + 1, 2 * REPORTS + 1):
        begun.clear()
        take_report(context, caller, body_of(make_report(number, project="bench")), None, None)
        held.append((time.perf_counter() - begun[0]) * 1000)
    context.engine.dispose()
    p95 = sorted(held)[int(len(held) * 0.95)]
    print_result("api_project_lock_held_p95", p95, "ms", "lower", p50=statistics.median(held))


def rss_mb(pid: int) -> float:
    """Resident memory of the server and its children."""
    processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return sum(one.memory_info().rss for one in processes) / (1 << 20)


if __name__ == "__main__":
    sys.exit(main())
