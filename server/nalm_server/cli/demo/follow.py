# SPDX-License-Identifier: Apache-2.0
"""Follows the jobs of the demo's merges until all have ended, and shows their progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from nalm_server.cli.demo.errors import DemoError

ENDED = {"done", "failed", "invalid", "cancelled", "superseded"}
POLL_SECONDS = 2.0


def fetch_commits(client: httpx.Client, project: str, shas: list[str]) -> list[dict[str, Any]]:
    """The commits of these merges from the API, in the given order, without unknown ones."""
    answer = client.get(f"/api/v1/projects/{project}/commits", params={"limit": 200})
    answer.raise_for_status()
    known = {commit["sha"]: commit for commit in answer.json()}
    return [known[sha] for sha in shas if sha in known]


def has_ended(commit: dict[str, Any]) -> bool:
    """The commit's job has ended, or there is nothing to measure."""
    if commit["job"] is None:
        return commit["skipped"] is not None
    return commit["job"]["state"] in ENDED


def follow(
    client: httpx.Client,
    project: str,
    shas: list[str],
    *,
    console: Console,
    check_server: Callable[[], None],
    limit_seconds: float,
) -> list[dict[str, Any]]:
    """Returns the commits once all their jobs have ended. `check_server` raises if the server has ended.

    Raises DemoError after `limit_seconds`.
    """
    ends = time.monotonic() + limit_seconds
    said = ""
    with Progress(
        TextColumn("{task.description}", table_column=None),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
        console=console,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task("waiting for the agent", total=len(shas))
        while True:
            check_server()
            commits = fetch_commits(client, project, shas)
            ended = [commit for commit in commits if has_ended(commit)]
            if len(ended) == len(shas):
                progress.update(task, completed=len(shas), description="all merges judged")
                return commits
            now = next((c for c in commits if c["job"] and c["job"]["state"] not in (*ENDED, "queued")), None)
            description = describe(len(ended), len(shas), now)
            fraction = (now["job"]["fraction"] or 0.0) if now else 0.0
            progress.update(task, completed=len(ended) + fraction, description=description)
            if not console.is_terminal and description != said:
                console.print(description, highlight=False)
                said = description
            if time.monotonic() > ends:
                raise DemoError(
                    f"after {limit_seconds / 60:.0f} minutes {len(shas) - len(ended)} of {len(shas)} merges "
                    f"have no verdict yet (last: {description}). Run it again to continue."
                )
            time.sleep(POLL_SECONDS)


def describe(ended: int, total: int, commit: dict[str, Any] | None) -> str:
    if commit is None:
        return f"merge {min(ended + 1, total)}/{total}: waiting for the agent"
    job = commit["job"]
    step = job["step"] or job["state"]
    return f"merge {min(ended + 1, total)}/{total} {commit['short_sha']}: {step}"
