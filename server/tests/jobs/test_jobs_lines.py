# SPDX-License-Identifier: Apache-2.0
"""Results of other branches are not shown as results of the default branch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from nalm_server.app import workers
from nalm_server.git.refs import repository as refs
from nalm_server_git import Repo
from nalm_server_harness import Service
from nalm_server_repo import local_repo

pytestmark = pytest.mark.dialects


@pytest.fixture
def shas(service: Service, tmp_path: Path) -> dict[str, str]:
    """Commits by name; main has a, b, c, and topic has a, b, t1, t2."""
    repo: Repo = local_repo(service, tmp_path / "forge")
    made = {name: repo.commit(name) for name in "ab"}
    repo.git("checkout", "--quiet", "-b", "topic")
    made |= {name: repo.commit(name) for name in ("t1", "t2")}
    repo.git("checkout", "--quiet", "main")
    made["c"] = repo.commit("c")
    repo.push("main", "topic")
    return made


def listed(service: Service, **params: Any) -> list[str]:
    return [one["subject"] for one in service.get("/projects/demo/commits", **params)]


def test_a_job_requested(service: Service, shas: dict[str, str]) -> None:
    topic = service.post("/projects/demo/jobs", "admin", 201, {"head": "topic"})
    assert (topic["base_sha"], topic["head_sha"]) == (shas["b"], shas["t2"])
    assert listed(service) == []
    given = service.post("/projects/demo/jobs", "admin", 201, {"head": shas["t1"], "base": "main"})
    assert given["base_sha"] == shas["c"]
    assert listed(service) == []
    service.post("/projects/demo/jobs", "admin", 201, {"head": "main"})
    assert listed(service) == ["c"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("backfills", {"first": "a", "last": "t2"}),
        ("bisects", {"good": "a", "bad": "t2", "scenario": "sfc_a"}),
    ],
)
def test_a_range_that_leaves_the_default_branch(
    service: Service, shas: dict[str, str], path: str, expected: dict[str, str]
) -> None:
    body = {key: shas.get(value, value) for key, value in expected.items()}
    service.post(f"/projects/demo/{path}", "admin", 201, body)
    workers.drain_jobs(service.context)
    assert listed(service) == ["b"]
    with service.context.sessions() as session:
        refs.place_branch(session, 1, "topic", shas["t2"], service.clock())
        session.commit()
    assert listed(service, branch="topic")[:3] == ["t2", "t1", "b"]
    assert listed(service, branch="topic", limit=1, before=shas["t2"]) == ["t1"]
    assert listed(service, branch="main") == ["b"]
    error = service.get("/projects/demo/commits", 404, branch="other")["error"]
    assert "No branch 'other' is watched" in error["message"]
