# SPDX-License-Identifier: Apache-2.0
"""Processor time of the answers that pages read, of a project at size.

A project of `nalm-server seed`, with one run whose report has hundreds of functions and their lines, behind
the API in this process. `value` is the server's processor time of a second request, as of a page that is
opened again; `first_ms` that of the first, `wall_ms` the time of the second including the database's.

Usage: python tests/bench/run.py page_answers [--commits 10000] [--scenarios 50] [--hosts 20]
    [--database sqlite|postgresql] [--only PART]
"""

from __future__ import annotations

import argparse
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import structlog
from fastapi.testclient import TestClient
from host import print_result
from nalm_core.report.run_report import RunReport
from nalm_server.app.application import make_app
from nalm_server.app.context import open_context
from nalm_server.auth.tokens import service as tokens
from nalm_server.base.settings import Settings
from nalm_server.db import migrate
from nalm_server.db.context import Context
from postgres import cluster

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "server/tests/support")]
from nalm_server_reports import PACKETS, body_of, make_report  # noqa: E402

P = "/projects/seeded"
CALLS = 4
FUNCTIONS, LINES = 300, 30
OF_REPORT = ("run_code", "compare_pair", "compare_code")
BAR_MS = 50
METRICS = "metric=cpp&metric=ipp&metric=eipc&metric=pps"


def main() -> int:
    parser = argparse.ArgumentParser()
    for name, usual in (("commits", 10_000), ("scenarios", 50), ("hosts", 20)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    with ExitStack() as held:
        home = Path(held.enter_context(tempfile.TemporaryDirectory()))
        url = held.enter_context(cluster()) if options.database == "postgresql" else None
        settings = Settings(state_dir=home, database_url=url, rate_api=0)
        begun = time.monotonic()
        seed(home, url, options)
        print_result(
            f"page_answers_seed_{options.database}", round(time.monotonic() - begun, 1), "s", "lower"
        )
        with served(settings) as (context, client):
            for name, path in paths(context, client).items():
                if options.only in name:
                    measure(client, name, path, options.database)
    return 0


def seed(home: Path, url: str | None, options: argparse.Namespace) -> None:
    size = [f"--{name}={getattr(options, name)}" for name in ("commits", "scenarios", "hosts")]
    if url is not None:
        migrate.upgrade(url)
    subprocess.run(
        [sys.executable, "-m", "nalm_server.cli.main", "seed", *size, "--state", str(home)],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, **({"NALM_DATABASE_URL": url} if url else {})},
    )


@contextmanager
def served(settings: Settings) -> Iterator[tuple[Context, TestClient]]:
    with open_context(settings) as context, TestClient(make_app(context)) as client:
        yield context, client


def paths(context: Context, client: TestClient) -> dict[str, str]:
    """By name, addresses of the API; stores the run with the long report."""

    def get(path: str) -> Any:
        return client.get(f"/api/v1{path}").raise_for_status().json()

    report = long_report()
    with context.sessions() as session:
        token = tokens.issue(session, tokens.Scope.ADMIN, "bench", context.clock())
        session.commit()
    headers = {"Authorization": f"Bearer {token}"}
    client.post("/api/v1/reports", content=body_of(report), headers=headers).raise_for_status()
    (alert,) = get(f"{P}/alerts?limit=1")
    (commit,) = get(f"{P}/commits/search?outcome=regressed&limit=1")["commits"]
    week = get(f"{P}/weeks")["weeks"][1]["week"]
    scenario = max(get(f"{P}/scenarios"), key=lambda one: one["runs"])["name"]
    commits = {arm.value: info.build.commit for arm, info in report.arms.items()}
    pair = f"base={commits['base']}&head={commits['head']}&scenario={report.scenario.name}"
    return {
        "run_code": f"/runs/{report.run_id}/code",
        "compare_pair": f"{P}/compare?{pair}",
        "compare_code": f"{P}/compare/code?{pair}",
        "run": f"/runs/{report.run_id}",
        "columns_1000": f"{P}/lines/columns?scenario={scenario}&{METRICS}",
        "columns_10000": f"{P}/lines/columns?scenario={scenario}&{METRICS}&limit=10000",
        "overview": "/overview",
        "projects": "/projects",
        "commits": f"{P}/commits/search",
        "commits_regressed": f"{P}/commits/search?outcome=regressed",
        "commits_text": f"{P}/commits/search?text=nat",
        "commit": f"{P}/commits/{commit['sha']}",
        "alerts": f"{P}/alerts?limit=100",
        "alert_facets": f"{P}/alerts/facets",
        "alert": f"/alerts/{alert['id']}",
        "scenarios": f"{P}/scenarios",
        "compare_measured": f"{P}/compare/measured?revision={commit['sha']}",
        "weeks": f"{P}/weeks",
        "week": f"{P}/weeks/{week}",
        "quality": f"{P}/detection-quality",
        "revisions": f"{P}/revisions?q=nat",
        "jobs": "/jobs",
    }


def long_report() -> RunReport:
    """About 2 MB, as of a chain with large stages: functions with the costs of their lines."""
    document = make_report(1, project="seeded", scenario="long").model_dump(mode="json", by_alias=True)
    for one in document["instructions"]:
        slower = 1.0 if one["arm"] == "base" else 1.1
        names = [f"function_{number}" for number in range(FUNCTIONS)]
        own = [round((FUNCTIONS - number) * PACKETS * slower) for number in range(FUNCTIONS)]
        where = {"file": "src/nat/nat_table.c", "line": 40}
        one["functions"] = {
            "nat": [
                {"name": name, "instructions": count, "calls": PACKETS, **where}
                for name, count in zip(names, own, strict=True)
            ]
        }
        one["lines"] = [
            {
                "function": name,
                "stage": "nat",
                "file": where["file"],
                "lines": {str(40 + line): count // LINES for line in range(LINES)},
            }
            for name, count in zip(names, own, strict=True)
        ]
    return RunReport.model_validate(document)


def measure(client: TestClient, name: str, path: str, database: str) -> None:
    walls, cpus = [], []
    for _ in range(CALLS):
        wall, cpu = time.perf_counter(), time.process_time()
        answer = client.get(f"/api/v1{path}", headers={"Accept-Encoding": "gzip"}).raise_for_status()
        cpus.append(1000 * (time.process_time() - cpu))
        walls.append(1000 * (time.perf_counter() - wall))
    print_result(
        f"page_answers_{name}",
        round(min(cpus[1:]), 1),
        "ms of processor time",
        "lower",
        first_ms=round(cpus[0], 1),
        wall_ms=round(min(walls[1:]), 1),
        bytes=len(answer.content),
        database=database,
        **({"bar_ms": BAR_MS} if name in OF_REPORT else {}),
    )
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
