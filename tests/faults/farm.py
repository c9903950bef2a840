# SPDX-License-Identifier: Apache-2.0
"""A nalm of many processes on this host: PostgreSQL, Redis, API, worker, beat, two agents; and commits to
measure."""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psycopg
from nalm_server.jobs.schemas import OPEN
from nalm_server.worker.broker import reachable
from nalm_server_waiting import until
from processes import Postgres, Program, free_port

BIN = Path(sys.executable).parent
VALID = ("same", "improved", "regressed", "inconclusive")
RESULTS = """
    SELECT c.sha, count(r.id) FILTER (WHERE v.outcome = ANY(%s)), count(r.id)
    FROM commits c JOIN jobs j ON j.commit_id = c.id
    LEFT JOIN runs r ON r.job_id = j.id LEFT JOIN verdicts v ON v.run_id = r.id
    GROUP BY c.sha
"""
FAST = {"NALM_LEASE_SECONDS": "5", "NALM_JOB_ATTEMPTS": "20", "NALM_ISOLATION": "auto"}


class Farm:
    """Every part is a process that `parts[name]` can kill and start. Ports of parts may be behind a proxy,
    and folders of `state` and of `agents` on disks of their own."""

    def __init__(
        self, home: Path, postgres: Postgres, ports: dict[str, int] | None = None, **folders: Path
    ) -> None:
        self.home, self.postgres = home, postgres
        state, agents = folders.get("state", home / "state"), folders.get("agents", home / "agents")
        self.state = state
        self.ports = {"server": free_port(), "redis": free_port()}
        seen = {**self.ports, "postgres": postgres.port, **(ports or {})}
        self.redis_url = f"redis://127.0.0.1:{self.ports['redis']}/0"
        settings = FAST | {
            "NALM_STATE_DIR": str(state),
            "NALM_HOME": str(agents),
            "NALM_DATABASE_URL": postgres.address(seen["postgres"]).replace("://", "+psycopg://"),
            "NALM_REDIS_URL": f"redis://127.0.0.1:{seen['redis']}/0",
        }
        server = [str(BIN / "nalm-server")]
        token = str(state / "agent.token")
        agent = [str(BIN / "nalm"), "agent", "--server", f"http://127.0.0.1:{seen['server']}"]
        redis = ["redis-server", "--bind", "127.0.0.1", "--port", str(self.ports["redis"]), "--save", ""]
        commands = {
            "redis": redis,
            "server": [*server, "serve", "--port", str(self.ports["server"])],
            "worker": [*server, "worker"],
            "beat": [*server, "beat"],
            "agent-1": [*agent, "--token-file", token],
            "agent-2": [*agent, "--token-file", token],
        }
        self.parts: dict[str, Program] = {"postgres": postgres} | {
            name: Program(name, command, home, **settings) for name, command in commands.items()
        }
        self._once = Program("once", [], home, **settings)
        self.project: dict[str, Any] = {}
        self.http = httpx.Client(timeout=60)

    def start(self) -> None:
        """Starts parts up to the API; `work` starts worker, beat and agents."""
        self.postgres.start()
        self.parts["redis"].start()
        until(lambda: reachable(self.redis_url), "Redis")
        self.run("migrate")
        self.parts["server"].start()
        self.until_healthy()

    def work(self, *names: str) -> None:
        for name in names or ("worker", "beat", "agent-1", "agent-2"):
            self.parts[name].start()

    def stop(self) -> None:
        for part in reversed(self.parts.values()):
            part.kill()
        self.http.close()
        self.postgres.remove()

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [str(BIN / "nalm-server"), *arguments],
            env=self._once._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def until_healthy(self) -> None:
        def healthy() -> bool:
            with suppress(httpx.TransportError):
                return self.http.get(f"{self.url}/health").is_success
            return False

        until(healthy, "the API")

    @property
    def lease_seconds(self) -> int:
        return int(FAST["NALM_LEASE_SECONDS"])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.ports['server']}/api/v1"

    def add_project(self, repository: Path) -> None:
        self.project = json.loads(
            self.run("project", "add", "tiny", "--repository", str(repository), "--json")
        )

    def push(self, before: str, after: str) -> None:
        body, headers = signed_push(self.project, before, after)
        answer = self.http.post(f"{self.url}/hooks/github", content=body, headers=headers)
        assert answer.status_code == 202, answer.text

    def results(self) -> dict[str, tuple[int, int]]:
        """By commit: valid results, all results. Empty while the database is away."""
        with suppress(psycopg.OperationalError), psycopg.connect(self.postgres.address()) as connection:
            return {sha: (valid, every) for sha, valid, every in connection.execute(RESULTS, [list(VALID)])}
        return {}

    def finished(self) -> int:
        return sum(1 for valid, _ in self.results().values() if valid)

    def now(self) -> float:
        """PostgreSQL's clock, in seconds."""
        with psycopg.connect(self.postgres.address()) as connection:
            row = connection.execute("SELECT extract(epoch FROM clock_timestamp())").fetchone()
        assert row
        return float(row[0])

    def worked_on(self) -> int:
        """Deliveries that a worker was processing."""
        with psycopg.connect(self.postgres.address()) as connection:
            row = connection.execute("SELECT count(*) FROM deliveries WHERE attempts > 0").fetchone()
        return int(row[0]) if row else 0

    def is_at_rest(self) -> bool:
        """No job is open, and no finding waits for a second measurement."""
        open_jobs = sum(count for state, count in self.states().items() if state in OPEN)
        suspected = self.get("/projects/tiny/alerts?state=new") if not open_jobs else True
        return not open_jobs and not suspected

    def get(self, path: str) -> Any:
        return self.http.get(f"{self.url}{path}", headers=self._administrator()).raise_for_status().json()

    def post(self, path: str, body: Any) -> Any:
        answer = self.http.post(f"{self.url}{path}", json=body, headers=self._administrator())
        assert answer.is_success, answer.text
        return answer.json()

    def _administrator(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {(self.state / 'admin.token').read_text().strip()}"}

    def states(self) -> dict[str, int]:
        with psycopg.connect(self.postgres.address()) as connection:
            return dict(connection.execute("SELECT state, count(*) FROM jobs GROUP BY state").fetchall())


def signed_push(project: dict[str, Any], before: str, after: str) -> tuple[bytes, dict[str, str]]:
    """Body and headers, as GitHub sends them."""
    commit = {"id": after, "message": "a change", "timestamp": "2026-11-21T09:00:00Z"}
    commit |= {"author": {"name": "A", "email": "a@example.org"}}
    payload = {"ref": "refs/heads/main", "before": before, "after": after, "commits": [commit]}
    body = json.dumps(payload | {"head_commit": commit, "deleted": False, "forced": False}).encode()
    signature = hmac.new(project["webhook_secret"].encode(), body, hashlib.sha256).hexdigest()
    return body, {
        "X-GitHub-Event": "push",
        "X-GitHub-Delivery": after,
        "X-Hub-Signature-256": f"sha256={signature}",
        "Content-Type": "application/json",
    }
