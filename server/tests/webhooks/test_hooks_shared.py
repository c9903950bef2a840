# SPDX-License-Identifier: Apache-2.0
"""Pull requests with the same head and merge base have one job, and one that ends leaves it to the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_server.jobs import service as jobs
from nalm_server_forked import OWN, Forked, forked
from nalm_server_harness import Service

pytestmark = pytest.mark.dialects


@pytest.fixture
def scene(service: Service, tmp_path: Path) -> Forked:
    made = forked(service, tmp_path / "forge")
    for number in (1, 2):
        (job,) = made.tell("github", "opened", made.heads[0], fork=OWN, number=number)["job_ids"]
        assert job == 1
    return made


@pytest.mark.parametrize(("action", "head"), [("closed", 0), ("pushed", 1)])
def test_the_one_that_ends_or_moves_leaves_the_job_to_the_other(
    scene: Forked, action: str, head: int
) -> None:
    scene.tell("github", action, scene.heads[head], fork=OWN, number=1)
    job = scene.job(1)
    assert (job["state"], job["pull_request"]) == ("queued", 2)
    assert job["transitions"][-1]["reason"].endswith(", pull request 2 has the same commits")
    scene.tell("github", "closed", scene.heads[0], fork=OWN, number=2)
    assert scene.job(1)["state"] == "superseded"


def test_a_job_that_is_under_way_goes_on_for_the_other(scene: Forked) -> None:
    assert scene.service.lease()["job_id"] == 1
    scene.tell("github", "closed", scene.heads[0], fork=OWN, number=1)
    assert (scene.job(1)["state"], scene.job(1)["pull_request"]) == ("leased", 2)


def test_a_merge_queue_that_is_left_passes_it_on(scene: Forked) -> None:
    context = scene.service.context
    with context.sessions() as session:
        assert jobs.supersede(session, 1, why="left", now=context.clock(), pull_request=1) == []
        session.commit()
    assert (scene.job(1)["state"], scene.job(1)["pull_request"]) == ("queued", 2)


def test_a_job_that_waits_for_approval_takes_the_origin_of_the_other(
    service: Service, tmp_path: Path
) -> None:
    scene = forked(service, tmp_path / "forge")
    scene.tell("github", "opened", scene.heads[0], fork=2, number=1)
    scene.tell("github", "opened", scene.heads[0], fork=3, number=2)
    scene.tell("github", "closed", scene.heads[0], fork=2, number=1)
    job = scene.job(1)
    assert job["held"] == "pull request 2 comes from a fork: a developer must approve it"
    assert job["fork"] == "3"
