# SPDX-License-Identifier: Apache-2.0
"""Clones of the projects an agent serves, without a working tree, fetched only when a commit is missing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from filelock import FileLock
from nalm_core.wire.jobs import Lease

from nalm_agent.runtime.errors import GitError
from nalm_agent.runtime.process import tail
from nalm_agent.store.home import Home

PROTOCOLS = "file:http:https:ssh"
"""Permitted protocols of addresses: those that the server reads. Others, such as ext::, run programs."""


def mirrored(lease: Lease, home: Home) -> Path:
    """A mirror of the job's repository with both commits. Raises GitError if it cannot be fetched."""
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
                "--end-of-options",
                lease.repository,
                "+refs/*:refs/*",
            )
        for commit in (lease.base_sha, lease.head_sha):
            if not _has(mirror, commit):
                raise GitError(
                    f"{lease.repository} has no commit {commit}", hint="push it to the project's repository"
                )
    return mirror


def _has(mirror: Path, commit: str) -> bool:
    done = subprocess.run(
        ["git", "-C", str(mirror), "cat-file", "-e", "--end-of-options", f"{commit}^{{commit}}"],
        env=_environment(),
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def _git(home: Home, *arguments: str) -> None:
    log = home.folder("mirrors") / "git.log"
    with log.open("wb") as out:
        done = subprocess.run(["git", *arguments], env=_environment(), stdout=out, stderr=out, check=False)
    if done.returncode != 0:
        raise GitError(
            f"git {' '.join(arguments)} failed",
            log=tail(log),
            hint="the agent needs read access to the project's repository",
        )


def _environment() -> dict[str, str]:
    return os.environ | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_ALLOW_PROTOCOL": PROTOCOLS}
