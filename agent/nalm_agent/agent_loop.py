# SPDX-License-Identifier: Apache-2.0
"""`nalm agent`: takes jobs from a server, one at a time, and measures head's standing scenarios."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock
from nalm_core.report_io import dump_report

from nalm_agent.errors import GitError, NalmError
from nalm_agent.git import Repository
from nalm_agent.heartbeat import Heartbeat
from nalm_agent.home import Home, WorkDir
from nalm_agent.host import fingerprint
from nalm_agent.local import judged
from nalm_agent.measure import measure
from nalm_agent.process import tail
from nalm_agent.request import Request, read_config
from nalm_agent.sandbox import ISOLATION, Policy
from nalm_agent.server_client import LEASE_WAIT_SECONDS, Lease, LeaseLostError, ServerClient

MESSAGE_CHARACTERS = 10_000


def serve(address: str, token: str, home: Home, *, once: bool = False) -> None:
    """Serves a server until interrupted; with `once`, until its queue is empty. Raises ServerError."""
    os.environ.setdefault(ISOLATION, Policy.REQUIRED)
    host = fingerprint()
    client = ServerClient(address, token, say)
    say(f"serving {address} as {host.name} ({host.host_class})")
    try:
        while True:
            lease = client.lease(host.name, host.host_class, 0 if once else LEASE_WAIT_SECONDS)
            if lease is not None:
                work_on(lease, client, home)
            elif once:
                return
    finally:
        client.close()


def work_on(lease: Lease, client: ServerClient, home: Home) -> None:
    """Measures one job and tells the server how it went. Only a refusal by the server gets out."""
    say(f"job {lease.job_id}: {lease.project} {lease.head_sha[:10]} against {lease.base_sha[:10]}")
    try:
        with home.work() as work, Heartbeat(client, lease, say) as heartbeat:
            try:
                outcomes = measure_job(lease, client, home, work, heartbeat)
            except NalmError as error:
                if heartbeat.lost.is_set():
                    raise LeaseLostError from error
                say(f"job {lease.job_id} failed: {error.full_text()}")
                client.finish(lease, "failed", error.full_text()[:MESSAGE_CHARACTERS])
                return
            client.finish(lease, "done", None)
            say(f"job {lease.job_id} done: {', '.join(outcomes)}")
    except LeaseLostError:
        say(f"job {lease.job_id}: the lease was lost; its result is dropped")


def measure_job(
    lease: Lease, client: ServerClient, home: Home, work: WorkDir, heartbeat: Heartbeat
) -> list[str]:
    """Measures and uploads every standing scenario of head. Returns "scenario outcome" for each."""
    mirror = mirrored(lease, home)
    repository = Repository(mirror, work.fresh("git"))
    base, head = repository.resolve(lease.base_sha), repository.resolve(lease.head_sha)
    outcomes = []
    for scenario in read_config(repository, head).standing():
        report = measure(Request(repository, base, head, scenario), home, work, heartbeat)
        if heartbeat.lost.is_set():
            raise LeaseLostError
        heartbeat.step("uploading", scenario, 1.0)
        client.upload(lease, dump_report(report))
        verdict = judged(report)
        outcomes.append(f"{scenario} {verdict.outcome if verdict else 'same'}")
    return outcomes


def mirrored(lease: Lease, home: Home) -> Path:
    """A mirror of the job's repository that has both commits. Raises GitError if it cannot be had."""
    mirror = home.folder("mirrors") / f"{lease.project.replace('/', '_')}.git"
    with FileLock(f"{mirror}.lock"):
        if not (mirror / "HEAD").exists():
            _git(home, "init", "--quiet", "--bare", str(mirror))
        if not all(_has(mirror, commit) for commit in (lease.base_sha, lease.head_sha)):
            _git(
                home,
                "-C",
                str(mirror),
                "fetch",
                "--quiet",
                "--prune",
                lease.repository,
                "+refs/*:refs/*",
            )
        for commit in (lease.base_sha, lease.head_sha):
            if not _has(mirror, commit):
                raise GitError(f"{lease.repository} has no commit {commit}", hint="was it pushed?")
    return mirror


def _has(mirror: Path, commit: str) -> bool:
    done = subprocess.run(
        ["git", "-C", str(mirror), "cat-file", "-e", f"{commit}^{{commit}}"], capture_output=True, check=False
    )
    return done.returncode == 0


def _git(home: Home, *arguments: str) -> None:
    log = home.folder("mirrors") / "git.log"
    env = os.environ | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    with log.open("wb") as out:
        done = subprocess.run(["git", *arguments], env=env, stdout=out, stderr=out, check=False)
    if done.returncode != 0:
        raise GitError(
            f"git {' '.join(arguments)} failed",
            log=tail(log),
            hint="the agent needs read access to the project's repository",
        )


def say(line: str) -> None:
    """One line in the agent's log, on stderr."""
    print(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {line}", file=sys.stderr, flush=True)
