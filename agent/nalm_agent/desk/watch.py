# SPDX-License-Identifier: Apache-2.0
"""Judges a working tree again on every save, each time in its own process."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from nalm_agent.desk.session import WatchSession
from nalm_agent.report.result import Result
from nalm_agent.report.saved import read_results
from nalm_agent.runtime.errors import NalmError
from nalm_agent.runtime.own_command import own_command
from nalm_agent.source.git import Repository

POLL_SECONDS = 0.5
Snapshot = dict[str, tuple[int, int]]
"""Modification time (ns) and size by path; a deleted file is missing."""


def snapshot(repository: Repository) -> Snapshot:
    """The state of all files in the working tree that git tracks or does not ignore."""
    found: Snapshot = {}
    for name in repository.files():
        try:
            status = (repository.root / name).lstat()
        except OSError:
            continue
        found[name] = (status.st_mtime_ns, status.st_size)
    return found


def wait_until_settled(repository: Repository, seen: Snapshot) -> None:
    """Waits until the files differ from `seen`, and then until two snapshots in a row are equal."""
    last = seen
    while True:
        time.sleep(POLL_SECONDS)
        now = snapshot(repository)
        if now == last and now != seen:
            return
        last = now


def sit(
    repository: Repository,
    options: Sequence[str],
    to: Path,
    session: WatchSession,
    say: Callable[[str], None],
) -> None:
    """Judges now and on every save, until StoppedError. options: of `nalm check`; to: a scratch file."""
    while True:
        seen = snapshot(repository)
        results = _judged_once(repository, options, to, seen)
        for result in results or []:
            session.add(result)
        if results is None:
            say("the files changed: judging again")
        else:
            for line in [*session.trend(), "waiting for a save"]:
                say(line)
        wait_until_settled(repository, seen)


def _judged_once(
    repository: Repository, options: Sequence[str], to: Path, seen: Snapshot
) -> list[Result] | None:
    """Runs `nalm check` on this process's output. Returns the judged runs, or an empty list after an error
    that the command has printed; None if the files changed meanwhile and the command was stopped.
    """
    to.unlink(missing_ok=True)
    with own_command(["check", "--json", str(to), *options]) as process:
        while True:
            try:
                process.wait(POLL_SECONDS)
                break
            except subprocess.TimeoutExpired:
                if snapshot(repository) != seen:
                    return None
    try:
        return read_results([str(to)]) if to.exists() else []
    except NalmError:
        return []
