# SPDX-License-Identifier: Apache-2.0
"""Deliveries of one project processed per second: pull requests of forks in a real repository, read through
git's file transport, on PostgreSQL and on SQLite.

All deliveries wait when the worker begins. BENCH_PULL_REQUESTS: their number.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "server" / "tests" / "support"))

from host import print_result
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.settings import Settings
from nalm_server.db import migrate
from nalm_server.git.branch_filters import repository as branch_filters
from nalm_server.jobs.models import JobRow
from nalm_server.webhooks import service as hooks
from nalm_server.webhooks.forges import FORGES
from nalm_server.webhooks.signature import sign
from nalm_server.webhooks.tasks import drain
from nalm_server_git import Repo, make_repo
from nalm_server_harness import Clock, Service, make_service
from postgres import cluster
from sqlalchemy import func, select, update

PULL_REQUESTS = int(os.environ.get("BENCH_PULL_REQUESTS", "1000"))
COMMITS, FOLDERS, FILES = 500, 40, 25
"""Commits of the target branch."""


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="nalm-bench-", dir="/tmp") as folder:
        home = Path(folder)
        repo, requests = make(home / "forge")
        with cluster() as postgres:
            for url in (postgres, f"sqlite:///{home / 'nalm.db'}"):
                measure(url, home / url.partition(":")[0], repo, requests)
    return 0


def measure(url: str, home: Path, repo: Repo, requests: list[tuple[str, str]]) -> None:
    migrate.upgrade(url)
    service = make_service(Settings(state_dir=home, database_url=url, static_dir=home), Clock())
    with service.context.sessions() as session:
        session.execute(update(ProjectRow).values(repository=str(repo.path)))
        branch_filters.require(session, 1).local = True
        session.commit()
    for number, (base, head) in enumerate(requests, 1):
        deliver(service, number, base, head)
    began, used = time.perf_counter(), time.process_time()
    drain(service.context)
    seconds, used = time.perf_counter() - began, time.process_time() - used
    with service.context.read_sessions() as session:
        made = session.scalar(select(func.count()).select_from(JobRow).where(JobRow.held.is_not(None)))
    service.context.engine.dispose()
    assert made == len(requests), f"{made} jobs of {len(requests)} pull requests"
    kind = url.partition(":")[0].partition("+")[0]
    details = {
        "database": kind,
        "pull_requests": len(requests),
        "processor_ms_of_each": round(used / len(requests) * 1000, 1),
    }
    print_result("deliveries worked on", round(len(requests) / seconds, 1), "1/s", "higher", **details)


def deliver(service: Service, number: int, base: str, head: str) -> None:
    ends = {
        "base": {"ref": "main", "sha": base, "repo": {"id": 1}},
        "head": {"ref": "topic", "sha": head, "repo": {"id": 1 + number}},
    }
    request = {"action": "opened", "number": number, "pull_request": {"number": number, **ends}}
    body = json.dumps(request).encode()
    headers = {"x-github-event": "pull_request", "x-github-delivery": f"d{number}"}
    headers["x-hub-signature-256"] = sign(service.secret, body)
    hooks.take(service.context, FORGES["github"], hooks.Request("demo", headers, body))


def make(home: Path) -> tuple[Repo, list[tuple[str, str]]]:
    """A repository, and for each pull request the branch's tip and the head."""
    repo = make_repo(home)
    for option in ("allowFilter", "allowAnySHA1InWant"):
        repo.bare("config", f"uploadpack.{option}", "true")
    done = subprocess.run(
        ["git", "-C", str(repo.path), "fast-import", "--quiet"],
        input="".join(history()),
        text=True,
        check=False,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    tip = repo.bare("rev-parse", "refs/heads/main")
    heads = repo.bare("for-each-ref", "--format=%(objectname)", "refs/pull").split()
    return repo, [(tip, head) for head in heads]


def history() -> Iterator[str]:
    """For git fast-import."""
    for number in range(1, COMMITS + 1):
        yield f"commit refs/heads/main\nmark :{number}\n{person(number)}"
        if number == 1:
            yield from (file(f"lib{i}/f{j}.c", 0) for i in range(FOLDERS) for j in range(FILES))
        else:
            yield file(f"lib{number % FOLDERS}/f{number % FILES}.c", number)
    for number in range(1, PULL_REQUESTS + 1):
        fork_point = COMMITS - number % (COMMITS // 2)
        yield f"commit refs/pull/{number}/head\n{person(COMMITS + number)}from :{fork_point}\n"
        yield file(f"lib{number % FOLDERS}/new{number}.c", number)


def person(number: int) -> str:
    return f"committer Mona <mona@example.org> {1_790_000_000 + 60 * number} +0000\ndata 4\ntext\n"


def file(path: str, number: int) -> str:
    said = f"int f(void) {{ return {number}; }}\n"
    return f"M 100644 inline {path}\ndata {len(said)}\n{said}\n"


if __name__ == "__main__":
    sys.exit(main())
