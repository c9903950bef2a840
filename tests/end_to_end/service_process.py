# SPDX-License-Identifier: Apache-2.0
"""`nalm-server up --no-agent` as a child process, and work in every state, made over its API."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import httpx
from nalm_server_git import Repo
from nalm_server_process import NALM_SERVER, loaded_server
from nalm_server_sockets import free_port
from nalm_server_waiting import until
from thread_service import migrated_database

LOG = "configure: ok\nninja: 312 targets\nround 41 of 64: head 512.4, base 498.1 cycles/packet\n"
PASSWORD = "a long enough password"
HOST = {
    "host": "bench-1",
    "host_class": "vm-2",
    "version": "0.1.0",
    "capabilities": {"lcores": 4, "hugepages_mb": 2048, "memory_mb": 8192, "isolated": True},
    "health": {"disk_free_bytes": 40 * 2**30, "load": 0.4, "steal": 0.013, "resolves": 0.004},
}
BEAT_SECONDS = 5


class Service:
    """The running server; `admin` and `agent` are clients with their tokens."""

    def __init__(self, state: Path) -> None:
        port = free_port()
        self.state, self.url = state, f"http://127.0.0.1:{port}"
        state.mkdir()
        (state / "nalm.db").write_bytes(migrated_database())
        self.output = state.with_suffix(".log")
        self.process = loaded_server().start(
            [NALM_SERVER, "up", "--no-agent", "--port", str(port), "--state", str(state)],
            environment=os.environ | {"NO_COLOR": "1", "NALM_OUTGOING_ALLOW": "127.0.0.0/8"},
            output=self.output,
        )
        try:
            until(self._serves, f"{self.url} serves")
        except AssertionError:
            self.process.kill()
            self.process.wait()
            raise
        self._ended = threading.Event()
        self.admin = self._speaker("admin.token")
        self.agent = self._speaker("agent.token")

    def _serves(self) -> bool:
        assert self.process.poll() is None, self.output.read_text()
        return self.output.exists() and "serving" in self.output.read_text()

    def _speaker(self, token: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {(self.state / token).read_text().strip()}"}
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=30)

    @property
    def link(self) -> str:
        """The first administrator's one-time link: in a file, because no terminal reads the server's
        output."""
        return (self.state / "first-sign-in.link").read_text().strip()

    def add_project(self, name: str, repository: Path) -> dict[str, Any]:
        """Runs on the server's host, because only there a path is accepted."""
        command = [NALM_SERVER, "project", "add", name, "--repository", repository, "--public", "--json"]
        made = loaded_server().run([*command, "--state", self.state], environment=os.environ)
        assert made.returncode == 0, made.stderr
        answer: dict[str, Any] = json.loads(made.stdout)
        return answer

    def post(self, path: str, body: Any, by: httpx.Client | None = None) -> Any:
        answer = (by or self.admin).post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def get(self, path: str) -> Any:
        return self.admin.get(path).raise_for_status().json()

    def hook(self, secret: str, body: dict[str, Any]) -> None:
        """A delivery in the plain form."""
        raw = json.dumps(body).encode()
        signature = hmac.new(secret.encode(), raw, hashlib.sha256).hexdigest()
        headers = {
            "Content-Type": "application/json",
            "X-Nalm-Delivery": hashlib.sha256(raw).hexdigest()[:16],
            "X-Nalm-Signature-256": f"sha256={signature}",
        }
        httpx.post(f"{self.url}/api/v1/hooks/generic", content=raw, headers=headers).raise_for_status()

    def beat(self, job: int, reported: dict[str, Any]) -> None:
        """Reports repeatedly, like an agent, so that the host keeps the job."""
        while not self._ended.wait(BEAT_SECONDS):
            self.agent.post(f"/agent/jobs/{job}/progress", json=reported)

    def end(self) -> None:
        self._ended.set()
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=30)
        finally:
            self.process.kill()


def fill(service: Service, repo: Repo, name: str) -> dict[str, int]:
    """A project with work in every state: numbers of a job of each, of a backfill and of a bisect."""
    shas = [repo.commit(f"nat: step {number}") for number in range(8)]
    repo.push("main")
    secret = service.add_project(name, repo.path)["webhook_secret"]
    service.hook(secret, {"ref": "refs/heads/main", "before": shas[3], "after": shas[7]})
    until(lambda: len(service.get(f"/jobs?project={name}")) >= 4, "the push's jobs")
    repo.git("checkout", "--quiet", "-b", "faster")
    theirs = repo.commit("nat: faster")
    repo.push("faster")
    fork = {"number": 7, "base": "main", "title": "Faster", "author": "eve", "merge_base": shas[7]}
    service.hook(
        secret, {"ref": "refs/heads/faster", "before": shas[7], "after": theirs, "pull_request": fork}
    )
    held = until(
        lambda: [one for one in service.get(f"/jobs?project={name}") if one["held"]], "the fork's job"
    )
    failed, running = _lease(service), _lease(service)
    service.post(
        f"/agent/jobs/{failed['job_id']}/finish",
        {"fence": failed["fence"], "outcome": "failed", "message": "nat.c:12: error", "kind": "build"},
        service.agent,
    )
    keep_measuring(service, running)
    project = f"/projects/{name}"
    backfill = service.post(f"{project}/backfills", {"first": shas[0], "last": shas[3], "every": 1})
    bisect = service.post(f"{project}/bisections", {"good": shas[0], "bad": shas[7], "scenario": "sfc_a"})
    until(lambda: service.get(f"/bisections/{bisect['id']}")["steps"], "the bisect's first step")
    pushed = [
        one["id"] for one in service.get(f"/jobs?project={name}&state=queued") if one["reason"] == "push"
    ]
    return {
        "last": max(pushed),
        "held": held[0]["id"],
        "failed": failed["job_id"],
        "running": running["job_id"],
        "backfill": backfill["id"],
        "bisect": bisect["id"],
    }


def _lease(service: Service) -> Any:
    return service.post("/agent/lease", HOST, service.agent)


def keep_measuring(service: Service, lease: dict[str, Any]) -> None:
    """The job stays in progress."""
    reported = {"step": "measuring", "detail": "round 41 of 64", "fraction": 0.64, "log_tail": LOG}
    reported |= {"fence": lease["fence"], "health": HOST["health"]}
    service.post(f"/agent/jobs/{lease['job_id']}/progress", reported, service.agent)
    threading.Thread(target=service.beat, args=(lease["job_id"], reported), daemon=True).start()
