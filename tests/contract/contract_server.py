# SPDX-License-Identifier: Apache-2.0
"""A real server without an agent, as the owner of its projects uses it."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import itertools
import json
import os
import time
from pathlib import Path
from typing import Any

import httpx
from nalm_server_process import NALM_SERVER, loaded_server
from nalm_server_sockets import free_port

NUMBERS = itertools.count(1)


class ContractServer:
    """`nalm-server up --no-agent` with the project `tiny`. The server may not read its repository, so pushes
    are processed at once from their own content."""

    def __init__(self, state: Path, repository: str = "/srv/tiny.git", **environment: str) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.state = state
        self._log = state.parent / f"{state.name}.log"
        self.process = loaded_server().start(
            [NALM_SERVER, "up", "--no-agent", "--state", state, "--port", str(port)],
            environment=os.environ | environment,
            output=self._log,
        )
        self.http = httpx.Client(base_url=f"{self.url}/api/v1", timeout=30)
        self._wait_until_healthy()
        self.agent_token = (state / "agent.token").read_text().strip()
        self.admin = {"Authorization": f"Bearer {(state / 'admin.token').read_text().strip()}"}
        self.project = self.new_project("tiny", repository)

    def new_project(self, name: str, repository: str) -> Any:
        new = {"name": name, "repository": repository, "public": True}
        return self.http.post("/projects", json=new, headers=self.admin).raise_for_status().json()

    def _wait_until_healthy(self) -> None:
        ends = time.monotonic() + 180
        while time.monotonic() < ends and self.process.poll() is None:
            with contextlib.suppress(httpx.TransportError):
                if self.http.get("/health").is_success:
                    return
            time.sleep(0.08)
        raise AssertionError(f"the server did not start: {self._log}")

    def push(self, before: str, after: str, project: Any = None) -> list[int]:
        """A signed push of one commit to `tiny` or another project, and its jobs."""
        project = project or self.project
        commit = {"id": after, "message": "a change", "timestamp": "2026-11-21T09:00:00Z"}
        commit |= {"author": {"name": "A", "email": "a@example.org"}}
        payload = {"ref": "refs/heads/main", "before": before, "after": after, "commits": [commit]}
        body = json.dumps(payload | {"head_commit": commit, "deleted": False, "forced": False}).encode()
        secret = project["webhook_secret"].encode()
        signature = hmac.new(secret, body, hashlib.sha256).hexdigest()
        headers = {
            "X-GitHub-Event": "push",
            "X-GitHub-Delivery": f"contract-{next(NUMBERS)}",
            "X-Hub-Signature-256": f"sha256={signature}",
            "Content-Type": "application/json",
        }
        taken = self.http.post("/hooks/github", content=body, headers=headers)
        return self._jobs_of(project["name"], taken.raise_for_status().json()["delivery"])

    def _jobs_of(self, project: str, delivery: int) -> list[int]:
        """The result of a delivery, once it is processed."""
        address = f"/projects/{project}/deliveries"
        ends = time.monotonic() + 60
        while time.monotonic() < ends:
            listed = self.http.get(address, headers=self.admin).raise_for_status().json()
            (one,) = [one for one in listed if one["id"] == delivery]
            if one["worked_at"] is not None:
                return list(one["job_ids"])
            time.sleep(0.08)
        raise AssertionError(f"delivery {delivery} was not worked on: {self._log}")

    def invitation(self, file: Path, **expected: str) -> Path:
        """A file with an invitation from the administrator."""
        answer = self.http.post("/agents/invitations", json=expected, headers=self.admin)
        file.write_text(answer.raise_for_status().json()["token"])
        return file

    def cancel(self, job: int) -> None:
        self.http.post(f"/jobs/{job}/cancel", json={}, headers=self.admin).raise_for_status()

    def job(self, number: int) -> Any:
        return self.http.get(f"/jobs/{number}").raise_for_status().json()

    def end(self) -> None:
        self.http.close()
        self.process.terminate()
        self.process.wait(timeout=30)
