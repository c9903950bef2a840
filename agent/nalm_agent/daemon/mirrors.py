# SPDX-License-Identifier: Apache-2.0
"""Clones of the projects an agent serves, without a working tree, fetched only when a commit is missing."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
from pathlib import Path

from filelock import FileLock
from nalm_core.wire.jobs import Lease

from nalm_agent.runtime.errors import GitError, HostError, NalmError
from nalm_agent.runtime.process import run, tail
from nalm_agent.source.git import SILENCE_ENDS
from nalm_agent.store.home import Home

log = logging.getLogger(__name__)

PROTOCOLS = "file:http:https:ssh"
"""Permitted protocols of addresses: those that the server reads. Others, such as ext::, run programs."""
SHA256_DIGITS = 64
"""Of a commit in a repository of git's SHA-256 format."""
SETTINGS = ("fetch.unpackLimit=1", "gc.autoDetach=false", *SILENCE_ENDS)
"""A killed fetch then leaves all that it fetched or nothing: git otherwise writes few objects one by one, a
commit before its files. And no git tidies up during a measurement."""
GIT_SECONDS = 3600.0
"""Longest time for one call of git: a server may send without end."""
SSH = "ssh -oBatchMode=yes -oConnectTimeout=15 -oServerAliveInterval=15"
"""For an agent whose user has set none: ssh gives up on a server that does not answer."""


def mirrored(lease: Lease, home: Home) -> Path:
    """A mirror of the job's repository with both commits. Raises GitError if it cannot be fetched, HostError
    if that takes too long."""
    mirror = home.folder("mirrors") / f"{lease.project.replace('/', '_')}.git"
    with FileLock(f"{mirror}.lock"):
        if not all(_has(mirror, commit) for commit in (lease.base_sha, lease.head_sha)):
            _update(mirror, lease, home)
        for commit in (lease.base_sha, lease.head_sha):
            if not _has(mirror, commit):
                raise GitError(
                    f"{lease.repository} has no commit {commit}", hint="push it to the project's repository"
                )
    return mirror


def _update(mirror: Path, lease: Lease, home: Home) -> None:
    """Fetches all references. A mirror that cannot be fetched into is replaced by a new one.

    A git that was killed leaves a mirror without its objects/, or with lock files that nobody removes.
    """
    if mirror.exists():
        try:
            _fetch(mirror, lease.repository, home)
            return
        except GitError as error:
            log.info("%s cannot be fetched into, so that it is made again: %s", mirror, error)
    new, old = mirror.with_suffix(".new"), mirror.with_suffix(".old")
    for left in (new, old):
        shutil.rmtree(left, ignore_errors=True)
    try:
        # git fetches from no repository of another object format
        kind = "sha256" if len(lease.head_sha) == SHA256_DIGITS else "sha1"
        _git(home, "init", "--quiet", "--bare", f"--object-format={kind}", str(new))
        _fetch(new, lease.repository, home)
    except NalmError:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if mirror.exists():
        mirror.rename(old)
    new.rename(mirror)
    shutil.rmtree(old, ignore_errors=True)


def _fetch(mirror: Path, repository: str, home: Home) -> None:
    refspec = "+refs/*:refs/*"
    # Of a git that was killed: git would never tidy up again. Two at a time are prevented by another lock.
    (mirror / "objects" / "maintenance.lock").unlink(missing_ok=True)
    _git(home, _directory(mirror), "fetch", "--quiet", "--prune", "--end-of-options", repository, refspec)


def _directory(mirror: Path) -> str:
    """Names the repository: with -C, git takes the one around a mirror that is none."""
    return f"--git-dir={mirror}"


def _has(mirror: Path, commit: str) -> bool:
    done = subprocess.run(
        ["git", _directory(mirror), "cat-file", "-e", "--end-of-options", f"{commit}^{{commit}}"],
        env=_environment(),
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def _git(home: Home, *arguments: str) -> None:
    log = home.folder("mirrors") / "git.log"
    settings = [word for one in SETTINGS for word in ("-c", one)]
    command = ["git", *settings, *arguments]
    log.unlink(missing_ok=True)
    try:
        code = run(command, cwd=log.parent, env=_online(), log=log, limit_seconds=GIT_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise HostError(
            f"git {' '.join(arguments)} took longer than {GIT_SECONDS / 60:.0f} min",
            log=tail(log),
            hint="try the same fetch on this host; the next attempt of the job fetches again",
        ) from error
    if code != 0:
        raise GitError(
            f"git {' '.join(arguments)} failed",
            log=tail(log),
            hint="the agent's user needs read access of its own to the project's repository: "
            'docs/webhooks.md, "Private repositories"',
        )


def _environment() -> dict[str, str]:
    return os.environ | {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_ALLOW_PROTOCOL": PROTOCOLS}


def _online() -> dict[str, str]:
    """The environment of a call that may reach the repository's server."""
    found = _environment()
    named = {"GIT_SSH_COMMAND", "GIT_SSH"} & found.keys()
    configured = subprocess.run(["git", "config", "core.sshCommand"], capture_output=True, check=False)
    return found if named or configured.returncode == 0 else found | {"GIT_SSH_COMMAND": SSH}
