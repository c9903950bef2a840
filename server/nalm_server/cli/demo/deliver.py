# SPDX-License-Identifier: Apache-2.0
"""Sends one signed push webhook for each merge, in GitHub's form."""

from __future__ import annotations

import json
import subprocess
import uuid
from pathlib import Path
from typing import Any

import httpx

from nalm_server.cli.demo.errors import DemoError
from nalm_server.cli.demo.history import Merge
from nalm_server.webhooks.signature import sign

PATH = "/api/v1/hooks/github"


def push_payload(repository: Path, name: str, branch: str, merge: Merge) -> dict[str, Any]:
    """The push event of one merge: the fields that GitHub documents, filled from git."""
    commits = [
        commit_of(repository, sha)
        for sha in git(repository, "rev-list", "--reverse", f"{merge.parent}..{merge.sha}")
    ]
    return {
        "ref": f"refs/heads/{branch}",
        "before": merge.parent,
        "after": merge.sha,
        "created": False,
        "deleted": False,
        "forced": False,
        "repository": {
            "name": name,
            "full_name": f"demo/{name}",
            "default_branch": branch,
            "clone_url": str(repository),
        },
        "pusher": {"name": "demo"},
        "commits": commits,
        "head_commit": commits[-1],
    }


def commit_of(repository: Path, sha: str) -> dict[str, Any]:
    name, email, when, message = "\n".join(
        git(repository, "show", "-s", "--format=%an%x00%ae%x00%cI%x00%B", sha)
    ).split("\0", 3)
    return {
        "id": sha,
        "message": message.strip(),
        "timestamp": when,
        "author": {"name": name, "email": email},
        "committer": {"name": name, "email": email},
        "distinct": True,
    }


def git(repository: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise DemoError(f"git {' '.join(arguments)} in {repository}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def deliver(client: httpx.Client, payload: dict[str, Any], secret: str) -> None:
    """Posts the payload, signed over the raw body. A merge always has the same delivery id, so that repeats
    change nothing. Raises DemoError unless the server accepts it."""
    body = json.dumps(payload).encode()
    answer = client.post(
        PATH,
        content=body,
        headers={
            "Content-Type": "application/json",
            "X-GitHub-Event": "push",
            "X-GitHub-Delivery": str(uuid.uuid5(uuid.NAMESPACE_URL, payload["after"])),
            "X-Hub-Signature-256": sign(secret, body),
        },
    )
    if answer.status_code not in (200, 202):
        raise DemoError(f"the server refused a webhook: {answer.status_code} {answer.text[:500]}")
