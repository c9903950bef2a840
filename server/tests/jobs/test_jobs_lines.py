# SPDX-License-Identifier: Apache-2.0
"""Results of other branches are not shown as results of the default branch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from nalm_server.app import workers
from nalm_server.auth.access import project_repository as projects
from nalm_server.git.commits import repository as commits
from nalm_server.git.commits.order import record
from nalm_server.git.refs import repository as refs
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason
from nalm_server.jobs.service import enqueue
from nalm_server_git import Repo
from nalm_server_harness import Service
from nalm_server_repo import local_repo
from sqlalchemy import select

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


def pushed(service: Service, shas: dict[str, str], head: str, base: str, branch: str) -> int:
    """A job of a push to the branch, which has ended."""
    with service.context.sessions() as session:
        project = projects.find(session, "demo")
        assert project is not None
        commit = record(session, project.id, shas[head], shas[base], listed=False)
        job = enqueue(
            session,
            commit,
            shas[base],
            reason=JobReason.PUSH,
            why="push",
            now=service.clock(),
            branch=branch,
        )
        session.commit()
        number = job.id
    service.post(f"/jobs/{number}/cancel", "admin", 200, {})
    return number


def branches_of_jobs(service: Service, reason: str) -> dict[str, str | None]:
    """By the SHA of the head."""
    with service.context.read_sessions() as session:
        found = session.scalars(select(JobRow).where(JobRow.reason == reason))
        return {job.head_sha: job.branch for job in found}


def test_a_request_has_the_branch_that_it_names_or_that_its_head_is(
    service: Service, shas: dict[str, str]
) -> None:
    first = service.post("/projects/demo/jobs", "admin", 201, {"head": "topic"})
    assert branches_of_jobs(service, "person") == {shas["t2"]: "topic"}
    again = service.post("/projects/demo/jobs", "admin", 201, {"head": shas["t2"], "base": shas["b"]})
    assert again["id"] == first["id"]
    service.post(f"/jobs/{first['id']}/cancel", "admin", 200, {})
    service.post("/projects/demo/jobs", "admin", 201, {"head": shas["t2"], "base": shas["b"]})
    assert branches_of_jobs(service, "person") == {shas["t2"]: "topic"}
    named = {"head": shas["t2"], "base": shas["b"], "branch": "release/1.0"}
    service.post("/projects/demo/jobs", "admin", 201, named)
    service.post("/projects/demo/jobs", "admin", 201, {"head": shas["t1"]})
    assert branches_of_jobs(service, "person") == {shas["t2"]: "release/1.0", shas["t1"]: None}


def test_what_is_measured_again_has_the_branch_of_its_earlier_job(
    service: Service, shas: dict[str, str]
) -> None:
    pushed(service, shas, "t2", "b", "release/1.0")
    service.post("/projects/demo/jobs", "admin", 201, {"head": shas["t2"], "base": shas["b"]})
    assert branches_of_jobs(service, "person") == {shas["t2"]: "release/1.0"}
    with service.context.sessions() as session:
        commit = commits.find(session, 1, shas["t2"])
        assert commit is not None
        enqueue(session, commit, shas["b"], reason=JobReason.CONFIRM, why="again", now=service.clock())
        session.commit()
    assert branches_of_jobs(service, "confirm") == {shas["t2"]: "release/1.0"}


@pytest.mark.parametrize(
    ("path", "expected", "reason"),
    [
        ("backfills", {"first": "a", "last": "t2"}, "backfill"),
        ("bisections", {"good": "a", "bad": "t2", "scenario": "sfc_a"}, "bisect"),
    ],
)
def test_a_range_has_the_branch_of_its_last_commit(
    service: Service, shas: dict[str, str], path: str, expected: dict[str, str], reason: str
) -> None:
    pushed(service, shas, "t2", "t1", "release/1.0")
    body = {key: shas.get(value, value) for key, value in expected.items()}
    service.post(f"/projects/demo/{path}", "admin", 201, body)
    workers.drain_jobs(service.context)
    heads = ("b", "t1", "t2") if reason == "backfill" else ("t2",)
    assert branches_of_jobs(service, reason) == {shas[head]: "release/1.0" for head in heads}
