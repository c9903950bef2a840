# SPDX-License-Identifier: Apache-2.0
"""Disks fill up during queued commits: writes are refused with a message, and nothing needs repair."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from commits import COMMITS, amid, make_commits, queue, require_each_once, wait
from disks import AS_ROOT, fill, small_disk
from farm import Farm
from processes import Postgres

FEW = 8
AGENT_NEEDS_MIB = 1024
"""A host with less free space counts as sick."""

pytestmark = AS_ROOT


@contextmanager
def started(farm: Farm) -> Iterator[Farm]:
    try:
        farm.start()
        yield farm
    finally:
        farm.stop()


def says(farm: Farm, name: str, text: str) -> None:
    log = farm.parts[name].log
    wait(lambda: log.exists() and text in log.read_text(), lambda: f"{name} to say {text!r}")


@pytest.mark.timeout(1800)
def test_full_disk_of_the_database(tmp_path: Path, commits: tuple[Path, list[str]]) -> None:
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)  # PostgreSQL's user must be able to enter
    with (
        small_disk(tmp_path / "disk", 192) as disk,
        started(Farm(tmp_path, Postgres(tmp_path, disk))) as farm,
    ):
        queue(farm, commits)
        farm.work()
        amid(farm, COMMITS // 4)
        filler = fill(disk)
        try:
            says(farm, "server", "status=503")
        finally:
            filler.unlink()
            farm.postgres.start()  # it may have ended
        require_each_once(farm, commits)


@pytest.mark.timeout(1800)
def test_full_disk_of_the_server(tmp_path: Path, commits: tuple[Path, list[str]]) -> None:
    """Without space for mirrors, webhooks are accepted, and processed once there is space."""
    few = (commits[0], commits[1][: FEW + 1])
    with (
        small_disk(tmp_path / "disk", 96) as disk,
        started(Farm(tmp_path, Postgres(tmp_path), state=disk)) as farm,
    ):
        filler = fill(disk)
        queue(farm, few)
        answer = farm.http.get(f"{farm.url}/health/ready")
        assert (answer.status_code, "make room" in answer.text) == (503, True)
        farm.work()
        wait(lambda: farm.worked_on() == FEW, lambda: "each delivery to be tried")
        assert farm.finished() == 0
        filler.unlink()
        require_each_once(farm, few)


@pytest.mark.timeout(1800)
def test_full_disk_of_the_agent(tmp_path: Path) -> None:
    """The agent reports it and returns its job; it gets none until there is space."""
    repository, line = make_commits(tmp_path / "nf", 0)
    head = repository.commit("slower", work__h="#define ALPHA_WORK 90\n")
    with (
        small_disk(tmp_path / "disk", AGENT_NEEDS_MIB + 128) as disk,
        started(Farm(tmp_path, Postgres(tmp_path), agents=disk)) as farm,
    ):
        farm.add_project(repository.path)
        farm.push(line[0], head)
        farm.work("worker", "beat", "agent-1")
        says(farm, "agent-1", "job 1: tiny")
        filler = fill(disk)
        says(farm, "agent-1", "sick: its disk is full")
        wait(lambda: farm.states() == {"queued": 1}, lambda: f"the job to be given back: {farm.states()}")
        filler.unlink()
        wait(lambda: farm.results().get(head) == (1, 1), lambda: f"its result: {farm.states()}")
