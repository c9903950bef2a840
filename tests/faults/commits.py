# SPDX-License-Identifier: Apache-2.0
"""The queued commits, and conditions that they must meet at the end."""

from __future__ import annotations

import itertools
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

from farm import Farm
from tiny import NALM_TOML, NF_SOURCE, PROBE_HEADER, NfRepository

COMMITS = int(os.environ.get("FAULT_COMMITS", "200"))
PATIENCE_SECONDS = 900


def make_commits(folder: Path, number: int) -> tuple[NfRepository, list[str]]:
    """A repository of the tiny NF and its line of commits, of which the first is only a parent.

    They change a file that is in no build, but is no documentation, which would not be measured at all. An
    agent finds the same binary and has the result soon, on its real path.
    """
    repository = NfRepository(folder)
    folder.mkdir()
    repository.git("init", "-q", "-b", "main")
    shutil.copy(NF_SOURCE, folder)
    shutil.copy(PROBE_HEADER, folder)
    repository.write("traffic/capture.bin", "packets")
    line = [repository.commit("first", nalm__toml=NALM_TOML, work__h="")]
    line += [repository.commit(f"words {count}", notes__txt=f"{count}\n") for count in range(number)]
    return repository, line


def queue(farm: Farm, commits: tuple[Path, list[str]]) -> None:
    """Sends a signed webhook for each commit."""
    repository, line = commits
    farm.add_project(repository)
    for before, after in itertools.pairwise(line):
        farm.push(before, after)


def amid(farm: Farm, reached: int) -> None:
    """Waits until this many commits have a result."""
    wait(lambda: farm.finished() >= reached, lambda: f"{reached} results: {farm.states()}")


def require_each_once(farm: Farm, commits: tuple[Path, list[str]]) -> None:
    """No commit is lost or measured twice; the line's first commit was no head."""
    amid(farm, len(commits[1]) - 1)
    results = farm.results()
    assert {sha for sha, counts in results.items() if counts == (1, 1)} == set(commits[1][1:])
    wait(lambda: set(farm.states()) == {"done"}, lambda: f"every job done: {farm.states()}")


def wait(condition: Callable[[], bool], what: Callable[[], str]) -> None:
    ends = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < ends, f"in vain: {what()}"
        threading.Event().wait(0.2)
