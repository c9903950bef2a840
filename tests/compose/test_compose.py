# SPDX-License-Identifier: Apache-2.0
"""The shipped stack starts as documented and measures a commit."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from stack import Repository, Stack, signed_push

PATIENCE_SECONDS = 600


def verdict_of(api: httpx.Client, sha: str) -> Any:
    """Waits for the commit's first verdict."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < ends:
        for commit in api.get("/projects/tiny/commits").raise_for_status().json():
            if commit["sha"] == sha and commit["verdicts"]:
                return commit["verdicts"][0]
        threading.Event().wait(1)
    raise AssertionError(f"no verdict: {api.get('/jobs').text}")


@pytest.mark.timeout(3600)
def test_commit_through_the_stack(tmp_path: Path, engine: dict[str, str]) -> None:
    """Signed webhook, job, agent's container, verdict, by TLS; then again after an upgrade, and restored."""
    home = tmp_path / "stack"
    home.mkdir()
    stack = Stack(home, engine)
    try:
        stack.upgrade()
        repository = Repository(tmp_path / "served", stack.gateway())
        try:
            added = stack.server("project", "add", "tiny", "--repository", repository.url, "--json")
            project = json.loads(added)
            with stack.api() as api:
                before = repository.work.git("rev-parse", "HEAD")
                after = repository.work.commit("slower", work__h="#define ALPHA_WORK 90\n")
                repository.push()
                assert signed_push(api, project, before, after).status_code == 202
                assert verdict_of(api, after)["outcome"] in (
                    "regressed",
                    "inconclusive",
                )  # depends on the host's load
                stack.upgrade()
                again = repository.work.commit("words", work__h="/* slower */\n#define ALPHA_WORK 90\n")
                repository.push()
                assert signed_push(api, project, after, again).status_code == 202
                assert verdict_of(api, again)["outcome"] == "same"
                of_upgrades = sorted((home / "backups").glob("*.dump"))
                assert len(of_upgrades) == 2
                stack.documented("store.md", "> secret.key", file="saved.tar")
                stack.documented("store.md", "dropdb")
                stack.documented("store.md", "nalm-server restore /var/lib", file="saved.tar")
                assert verdict_of(api, again)["outcome"] == "same"
                stack.server("reports", "check")
                stack.documented("store.md", "dropdb")
                stack.documented("store.md", "pg_restore", dump=str(of_upgrades[1]))
                known = {one["sha"] for one in api.get("/projects/tiny/commits").raise_for_status().json()}
                assert after in known
        finally:
            repository.close()
        stack.compose("exec", "-T", "worker", "nalm-server", "worker", "--ping")
        stack.compose("exec", "-T", "beat", "nalm-server", "beat", "--ping")
    finally:
        (tmp_path / "logs").write_text(stack.compose("logs", "--no-color"))
        stack.down()
