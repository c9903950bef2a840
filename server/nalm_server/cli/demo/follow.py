# SPDX-License-Identifier: Apache-2.0
"""Follows the jobs of the demo's merges until all have ended, and shows their progress."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
from nalm_core.text.commit_name import short
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
FOLLOWED = {"push", "schedule", "person"}
"""Reasons of jobs that the demo waits for; alerts.py waits for confirmations."""
POLL_SECONDS = 2.0


@dataclass(frozen=True)
class Followed:
    """What is waited for."""

    project: str
    shas: list[str]
    """Of the merges, oldest first."""
    at_load: int
    """Merges that the schedule measures under load, too."""


def fetch_commits(client: httpx.Client, project: str, shas: list[str]) -> list[dict[str, Any]]:
    """The commits of these merges from the API, in the given order, without unknown ones."""
    answer = client.get(f"/api/v1/projects/{project}/commits", params={"limit": 200})
    answer.raise_for_status()
    known = {commit["sha"]: commit for commit in answer.json()}
    return [known[sha] for sha in shas if sha in known]


def fetch_jobs(client: httpx.Client, followed: Followed) -> list[dict[str, Any]]:
    """Jobs of the merges, oldest first, without those that confirm alerts."""
    answer = client.get("/api/v1/jobs", params={"project": followed.project, "limit": 500})
    answer.raise_for_status()
    jobs = [job for job in answer.json() if job["reason"] in FOLLOWED and job["head_sha"] in followed.shas]
    return jobs[::-1]


def number_ended(
    followed: Followed, commits: list[dict[str, Any]], jobs: list[dict[str, Any]]
) -> tuple[int, int]:
    """Measurements that have ended, and all of them. A commit that touches nothing measured counts as one."""
    skipped = sum(commit["job"] is None and commit["skipped"] is not None for commit in commits)
    ended = skipped + sum(job["state"] in ENDED for job in jobs)
    return ended, max(len(followed.shas) + followed.at_load, skipped + len(jobs))


def follow(
    client: httpx.Client,
    followed: Followed,
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
        task = progress.add_task("waiting for the agent", total=1)
        while True:
            check_server()
            jobs = fetch_jobs(client, followed)
            commits = fetch_commits(client, followed.project, followed.shas)
            ended, whole = number_ended(followed, commits, jobs)
            if ended == whole:
                progress.update(task, total=whole, completed=whole, description="all merges judged")
                return commits
            now = next((job for job in jobs if job["state"] not in (*ENDED, "queued")), None)
            description = describe(ended, whole, now)
            fraction = (now["fraction"] or 0.0) if now else 0.0
            progress.update(task, total=whole, completed=ended + fraction, description=description)
            if not console.is_terminal and description != said:
                console.print(description, highlight=False)
                said = description
            if time.monotonic() > ends:
                raise DemoError(
                    f"after {limit_seconds / 60:.0f} minutes {whole - ended} of {whole} measurements have "
                    f"not ended yet (last: {description}). Run it again to continue."
                )
            time.sleep(POLL_SECONDS)


def describe(ended: int, total: int, job: dict[str, Any] | None) -> str:
    if job is None:
        return f"measurement {min(ended + 1, total)}/{total}: waiting for the agent"
    what = " ".join([short(job["head_sha"]), *(job["scenarios"] or [])])
    step = job["step"] or job["state"]
    return f"measurement {min(ended + 1, total)}/{total} {what}: {step}"
