# SPDX-License-Identifier: Apache-2.0
"""Kills each process with SIGKILL during 200 queued commits and restarts it, while two agents compete for
jobs."""

from __future__ import annotations

from pathlib import Path

import pytest
from commits import COMMITS, amid, queue, require_each_once
from farm import Farm

PARTS = ("server", "worker", "agent-1", "redis", "postgres", "agent-2", "beat")


@pytest.mark.timeout(1800)
def test_every_commit_has_one_result_whatever_was_killed(farm: Farm, commits: tuple[Path, list[str]]) -> None:
    queue(farm, commits)
    farm.work()
    for count, name in enumerate(PARTS, start=1):
        amid(farm, count * COMMITS // (len(PARTS) + 2))
        farm.parts[name].kill()
        farm.parts[name].start()
    require_each_once(farm, commits)
