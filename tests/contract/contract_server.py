# SPDX-License-Identifier: Apache-2.0
"""A real server without an agent, as its project's owner uses it."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import itertools
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

NUMBERS = itertools.count(1)


class ContractServer:
    """`nalm-server up --no-agent` with one project. The server may not read its repository, so pushes are
    processed at once from their own content."""

    def __init__(self, state: Path, repository: str = "/srv/tiny.git", **environment: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.state = state
        command = [str(Path(sys.executable).with_name("nalm-server")), "up", "--no-agent"]
        self._log = (state.parent / f"{state.name}.log").open("wb")
        self.process = subprocess.Popen(
            [*command, "--state", str(state), "--port", str(port)],
            env=os.environ | environment,
            stdout=self._log,
            stderr=self._log,
        )
        self._wait_until_healthy()
        self.agent_token = (state / "agent.token").read_text().strip()
        self.admin = {"Authorization": f"Bearer {(state / 'admin.token').read_text().strip()}"}
        self.http = httpx.Client(base_url=f"{self.url}/api/v1", timeout=30)
        new = {"name": "tiny", "repository": repository, "public": True}
        self.project = self.http.post("/projects", json=new, headers=self.admin).raise_for_status().json()

    def _wait_until_healthy(self) -> None:
        ends = time.monotonic() + 180
        while time.monotonic() < ends and self.process.poll() is None:
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/api/v1/health").is_success:
                    return
        raise AssertionError(f"the server did not start: {self._log.name}")

    def push(self, before: str, after: str) -> list[int]:
        """A signed push of one commit, and its jobs."""
        commit = {"id": after, "message": "a change", "timestamp": "2026-11-21T09:00:00Z"}
        commit |= {"author": {"name": "A", "email": "a@example.org"}}
        payload = {"ref": "refs/heads/main", "before": before, "after": after, "commits": [commit]}
        body = json.dumps(payload | {"head_commit": commit, "deleted": False, "forced": False}).encode()
        secret = self.project["webhook_secret"].encode()
        signature = hmac.new(secret, body, hashlib.sha256).hexdigest()
        headers = {
            "X-GitHub-Event": "push",
            "X-GitHub-Delivery": f"contract-{next(NUMBERS)}",
            "X-Hub-Signature-256": f"sha256={signature}",
            "Content-Type": "application/json",
        }
        taken = self.http.post("/hooks/github", content=body, headers=headers)
        return self._jobs_of(taken.raise_for_status().json()["delivery"])

    def _jobs_of(self, delivery: int) -> list[int]:
        """The result of a delivery, once it is processed."""
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            listed = self.http.get("/projects/tiny/deliveries", headers=self.admin).raise_for_status().json()
            (one,) = [one for one in listed if one["id"] == delivery]
            if one["worked_at"] is not None:
                return list(one["job_ids"])
            time.sleep(0.05)
        raise AssertionError(f"delivery {delivery} was not worked on: {self._log.name}")

    def invitation(self, file: Path, **wanted: str) -> Path:
        """A file with an invitation from the administrator."""
        answer = self.http.post("/agents/invitations", json=wanted, headers=self.admin)
        file.write_text(answer.raise_for_status().json()["token"])
        return file

    def job(self, number: int) -> Any:
        return self.http.get(f"/jobs/{number}").raise_for_status().json()

    def end(self) -> None:
        self.http.close()
        self.process.terminate()
        self.process.wait(timeout=30)
        self._log.close()
