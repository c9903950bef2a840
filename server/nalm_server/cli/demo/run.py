# SPDX-License-Identifier: Apache-2.0
"""The demo from end to end, readable in `run_demo`."""

from __future__ import annotations

import signal
import threading
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import httpx
from nalm_core.report.trials.kinds import split_name
from nalm_core.text.commit_name import short
from rich.console import Console

from nalm_server.cli.demo.alerts import alert_lines, settled
from nalm_server.cli.demo.deliver import deliver, push_payload
from nalm_server.cli.demo.follow import Followed, fetch_commits, fetch_jobs, follow
from nalm_server.cli.demo.history import Merge, make_history
from nalm_server.cli.demo.preflight import check_disk, check_port, check_programs, huge_pages_note
from nalm_server.cli.demo.service import Service
from nalm_server.cli.demo.table import failing_metrics, make_table, undecided
from nalm_server.cli.demo.way_in import way_in

PROJECT = "nalm-reference-nf"
BRANCH = "main"
LIMIT_SECONDS = 1800.0
"""Timeout for all verdicts: several times what they take on two shared cores."""
SETTLE_SECONDS = 240.0
"""Timeout for the second measurements; open alerts are then shown as such."""


@dataclass(frozen=True)
class DemoOptions:
    state: Path
    source: Path
    host: str
    port: int
    once: bool
    """Exit after the table instead of serving; the exit code says whether all is as planted."""
    merges: str | None
    """Merges of the history, `5` or `1-4,8,9`; None: all."""


def run_demo(options: DemoOptions, console: Console) -> int:
    """Returns the exit code. Raises DemoError with a message for a person."""
    check_programs()
    check_port(options.host, options.port)
    check_disk(options.state)
    if note := huge_pages_note():
        console.print(note, style="dim", highlight=False)

    repository = options.state / "repository"
    merges = make_history(options.source, repository, options.merges)
    console.print(f"{len(merges)} merges in {repository}", highlight=False)

    with Service(options.state / "server", options.host, options.port) as service:
        console.print(f"progress is shown at {service.url}", style="bold", highlight=False)
        secret = service.project_secret(PROJECT, repository, BRANCH)
        rated = [merge for merge in merges if merge.at_load]
        if rated:
            service.schedule_rates(PROJECT, rated[0].parent, split_name(rated[0].scenario)[0])
        with httpx.Client(base_url=service.url, timeout=30) as client:
            for merge in merges:
                deliver(client, push_payload(repository, PROJECT, BRANCH, merge), secret)
            await_verdicts(service, client, merges, console)
            alerts = settled(client, PROJECT, check_server=service.check, limit_seconds=SETTLE_SECONDS)
            # A confirmation is its commit's newest run: the table shows what the page of commits shows.
            commits = fetch_commits(client, PROJECT, [merge.sha for merge in merges])
            failing = failing_metrics(client, commits)
        table, right = make_table(merges, commits, failing)
        console.print(table)
        for line in alert_lines(alerts):
            console.print(line, highlight=False)
        console.print(f"{right} of {len(merges)} as planted.", highlight=False)
        if options.once:
            return 0 if right == len(merges) else 1
        serve_on(service, console)
    return 0


def await_verdicts(service: Service, client: httpx.Client, merges: list[Merge], console: Console) -> None:
    """What is undecided or broken is measured once more, and not again by another run of the demo."""
    followed = Followed(PROJECT, [merge.sha for merge in merges], sum(merge.at_load for merge in merges))

    def wait() -> list[dict[str, Any]]:
        return follow(
            client, followed, console=console, check_server=service.check, limit_seconds=LIMIT_SECONDS
        )

    commits = wait()
    repeated = [job for job in fetch_jobs(client, followed) if job["reason"] == "person"]
    again = undecided(merges, commits, repeated)
    for merge, verdict in again:
        console.print(
            f"{short(merge.sha)} {verdict['scenario']} has no verdict yet ({verdict['summary']}): "
            "it is measured once more",
            highlight=False,
            soft_wrap=True,
        )
        service.measure_again(PROJECT, merge.parent, merge.sha, verdict["scenario"])
    if again:
        wait()


def serve_on(service: Service, console: Console) -> None:
    """Waits until a signal. Raises DemoError if the server ends by itself."""
    ended = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    console.print(f"open {service.url}   (Ctrl-C stops everything)", style="bold", highlight=False)
    console.print(way_in(service.state, service.url), highlight=False, markup=False, soft_wrap=True)
    while not ended.wait(timeout=1.0):
        service.check()
    console.print("stopping all processes; the next run continues from the stored results", highlight=False)
