# SPDX-License-Identifier: Apache-2.0
"""Pushes to a real repository over HTTP. The commit graph decides their kind, and shows pushes for which no
webhook came."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.polling import tasks as reconcile
from nalm_server.webhooks.tasks import drain
from nalm_server_git import Forge, Repo, copy_repo, make_repo, serve, serve_any_commit
from nalm_server_harness import Clock, Service
from nalm_server_reports import body_of, make_report
from sqlalchemy import update

ZEROS = "0" * 40


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made, _ = copy_repo(serve_any_commit, tmp_path / "forge")
    return made


@pytest.fixture
def forge(tmp_path: Path, repo: Repo, service: Service) -> Iterator[Forge]:
    with serve(tmp_path / "forge") as served:
        with service.context.sessions() as session:
            session.execute(update(ProjectRow).values(repository=f"{served.url}/nf.git"))
            session.commit()
        yield served


def push(service: Service, before: str, after: str, branch: str = "main") -> Any:
    body = json.dumps({"ref": f"refs/heads/{branch}", "before": before, "after": after}).encode()
    return service.hook(body, 202)


def pairs(service: Service, numbers: list[int]) -> list[tuple[str, str]]:
    found = [service.get(f"/jobs/{number}") for number in numbers]
    return [(job["base_sha"], job["head_sha"]) for job in found]


def test_each_commit_of_a_push_against_its_parent(service: Service, repo: Repo, forge: Forge) -> None:
    first, second, merge, docs = (
        repo.commit("first"), repo.commit("second"), repo.merge("topic", 2), repo.commit("docs", "docs/x.md"),
    )  # fmt: skip
    repo.push()
    answer = push(service, first, docs)
    assert pairs(service, answer["job_ids"]) == [(first, second), (second, merge)]
    assert answer["why"] == "3 new on main"
    assert [one["subject"] for one in service.get("/projects/demo/commits")] == [
        "docs",
        "Merge topic",
        "second",
    ]
    skipped = [one["skipped"] for one in service.get("/projects/demo/commits")]
    assert skipped == ["touches nothing that is measured", None, None]
    only_docs = repo.commit("more docs", "README.md")
    repo.push()
    assert push(service, docs, only_docs)["why"] == "1 new on main: none touches what is measured"


@pytest.mark.dialects
def test_a_report_that_came_before_its_push_does_not_decide_the_parent(
    service: Service, repo: Repo, forge: Forge
) -> None:
    """A CI compares with the state before the push, which is no parent of the last of its commits."""
    first, second, third = repo.commit("first"), repo.commit("second"), repo.commit("third")
    repo.push()
    service.upload(body_of(make_report(1, base=first, head=third, head_costs={"nat": 200.0})))
    push(service, first, third)
    (alert,) = service.get("/projects/demo/alerts")
    assert (alert["sha"], alert["after_sha"]) == (third, first)
    assert [one["subject"] for one in service.get("/projects/demo/commits")] == ["third", "second"]
    assert service.get(f"/projects/demo/commits/{third}")["parent_sha"] == second


def test_repository_in_the_sha256_format(service: Service, tmp_path: Path) -> None:
    """From its push over its job to its history."""
    repo = make_repo(tmp_path / "sha256", "sha256")
    serve_any_commit(repo)
    first, second = repo.commit("first"), repo.commit("second")
    repo.push()
    with serve(tmp_path / "sha256") as served:
        with service.context.sessions() as session:
            session.execute(update(ProjectRow).values(repository=f"{served.url}/nf.git"))
            session.commit()
        (job,) = push(service, first, second)["job_ids"]
    lease = service.lease()
    assert len(second) == 64
    assert (lease["job_id"], lease["base_sha"], lease["head_sha"]) == (job, first, second)
    report = body_of(make_report(1, base=first, head=second))
    service.upload(report, token="agent", job_id=job, fence=lease["fence"])
    (point,) = service.get("/projects/demo/scenarios/sfc_a/history")["points"]
    assert (point["sha"], point["base_sha"]) == (second, first)
    assert service.get(f"/projects/demo/commits/{second[:7]}")["sha"] == second
    service.get("/projects/demo/scenarios/sfc_a/pool", base=first, head=second)


def test_lost_delivery_is_made_up_for_and_a_late_one_changes_nothing(
    service: Service, repo: Repo, forge: Forge
) -> None:
    shas = [repo.commit(f"commit {number}") for number in range(4)]
    repo.push()
    push(service, shas[0], shas[1])
    later = push(service, shas[2], shas[3])
    assert pairs(service, later["job_ids"]) == [(shas[1], shas[2]), (shas[2], shas[3])]
    late = push(service, shas[1], shas[2])
    assert late["job_ids"] == later["job_ids"][:1]
    assert [one["sha"] for one in service.get("/projects/demo/branches")] == [shas[3]]


def test_force_push_drops_what_waited(service: Service, repo: Repo, forge: Forge) -> None:
    base, dropped = repo.commit("base"), repo.commit("dropped")
    repo.push()
    (job,) = push(service, base, dropped)["job_ids"]
    repo.git("reset", "--quiet", "--hard", base)
    kept = repo.commit("kept")
    repo.push()
    answer = push(service, dropped, kept)
    assert answer["why"] == "1 new on main, 1 dropped by a force push"
    assert pairs(service, answer["job_ids"]) == [(base, kept)]
    assert service.get(f"/jobs/{job}")["state"] == "superseded"
    repo.git("reset", "--quiet", "--hard", base)
    repo.push()
    assert push(service, kept, base)["why"] == "0 new on main, 1 dropped by a force push"


@pytest.mark.nightly
def test_long_push_is_one_step_and_a_chain_of_twenty(service: Service, repo: Repo, forge: Forge) -> None:
    shas = [repo.commit(f"commit {number}") for number in range(46)]
    repo.push()
    found = pairs(service, push(service, shas[0], shas[-1])["job_ids"])
    assert found[0] == (shas[0], shas[-1])
    assert (len(found), found[1][0], found[-1][1]) == (21, shas[0], shas[-1])
    assert all(one[1] == after[0] for one, after in pairwise(found[1:]))


def test_new_branch_starts_where_it_left_the_default_one(service: Service, repo: Repo, forge: Forge) -> None:
    service.request("PUT", "/projects/demo/branch-filters", "admin", json={"branches": ["main", "release-*"]})
    base = repo.commit("base")
    repo.git("checkout", "--quiet", "-b", "release-1")
    fix = repo.commit("fix")
    repo.push("main", "release-1")
    assert pairs(service, push(service, ZEROS, fix, "release-1")["job_ids"]) == [(base, fix)]
    assert "is new" in push(service, ZEROS, base)["why"]


def test_pull_request_against_its_merge_base(service: Service, repo: Repo, forge: Forge) -> None:
    base = repo.commit("base")
    repo.git("checkout", "--quiet", "-b", "topic")
    head = repo.commit("head")
    repo.git("checkout", "--quiet", "main")
    tip = repo.commit("tip")
    repo.push("main", "topic")
    body = {
        "action": "opened",
        "pull_request": {
            "number": 1,
            "head": {"ref": "topic", "sha": head, "repo": {"id": 1}},
            "base": {"ref": "main", "sha": tip, "repo": {"id": 1}},
        },
    }
    answer = service.hook(json.dumps(body).encode(), 202, event="pull_request")
    assert pairs(service, answer["job_ids"]) == [(base, head)]
    assert service.get(f"/jobs/{answer['job_ids'][0]}")["held"] is None


def test_releases_against_the_one_before(service: Service, repo: Repo, forge: Forge) -> None:
    service.request("PUT", "/projects/demo/branch-filters", "admin", json={"measure_tags": True})
    first, second = repo.commit("first"), repo.commit("second")
    repo.git("tag", "v1", first)
    repo.git("tag", "-a", "v2", "-m", "two")
    repo.push("main", "v1", "v2")
    annotated = repo.git("rev-parse", "v2")
    answers = [
        service.hook(json.dumps({"ref": f"refs/tags/{tag}", "before": ZEROS, "after": sha}).encode(), 202)
        for tag, sha in (("v1", first), ("v2", annotated))
    ]
    assert answers[0]["job_ids"] == []
    assert pairs(service, answers[1]["job_ids"]) == [(first, second)]
    assert {one["name"]: one["sha"] for one in service.get("/projects/demo/tags")} == {
        "v1": first,
        "v2": second,
    }


@pytest.mark.nightly
def test_a_tag_of_a_file_is_no_release_to_compare_with(service: Service, repo: Repo, forge: Forge) -> None:
    service.request("PUT", "/projects/demo/branch-filters", "admin", json={"measure_tags": True})
    first, second = repo.commit("first"), repo.commit("second")
    repo.git("tag", "v1", first)
    repo.git("tag", "key", "HEAD:nf.c")
    repo.git("tag", "v2", second)
    repo.push("main", "v1", "key", "v2")
    answers = [
        service.hook(
            json.dumps(
                {"ref": f"refs/tags/{tag}", "before": ZEROS, "after": repo.git("rev-parse", tag)}
            ).encode(),
            202,
        )
        for tag in ("v1", "key", "v2")
    ]
    assert (answers[1]["became"], answers[1]["why"]) == ("ignored", "tag key is not of a commit")
    assert pairs(service, answers[2]["job_ids"]) == [(first, second)]


def test_a_release_is_compared_where_only_the_latest_push_is_measured(
    service: Service, repo: Repo, forge: Forge
) -> None:
    service.request("PUT", "/projects/demo/branch-filters", "admin", json={"measure_tags": True})
    service.request("PUT", "/projects/demo/queue", "admin", json={"latest_only": True})
    first, between, second = repo.commit("first"), repo.commit("between"), repo.commit("second")
    repo.git("tag", "v1", first)
    repo.git("tag", "v2", second)
    repo.push("main", "v1", "v2")
    push(service, between, second)
    releases = [
        service.hook(json.dumps({"ref": f"refs/tags/{tag}", "before": ZEROS, "after": sha}).encode(), 202)
        for tag, sha in (("v1", first), ("v2", second))
    ]
    (job,) = releases[1]["job_ids"]
    assert pairs(service, [job]) == [(first, second)]
    third = repo.commit("third")
    repo.push()
    assert pairs(service, push(service, second, third)["job_ids"]) == [(between, third)]
    assert service.get(f"/jobs/{job}")["state"] == "queued"


def test_a_forced_push_keeps_the_measurement_of_a_release(service: Service, repo: Repo, forge: Forge) -> None:
    service.request("PUT", "/projects/demo/branch-filters", "admin", json={"measure_tags": True})
    first, between, released = (repo.commit(name) for name in ("first", "between", "released"))
    repo.git("tag", "v1", first)
    repo.git("tag", "v2", released)
    repo.push("main", "v1", "v2")
    (pushed,) = push(service, between, released)["job_ids"]
    releases = [
        service.hook(json.dumps({"ref": f"refs/tags/{tag}", "before": ZEROS, "after": sha}).encode(), 202)
        for tag, sha in (("v1", first), ("v2", released))
    ]
    (release,) = releases[1]["job_ids"]
    repo.git("reset", "--quiet", "--hard", first)
    repo.push()
    push(service, released, first)
    states = {job: service.get(f"/jobs/{job}")["state"] for job in (pushed, release)}
    assert states == {pushed: "superseded", release: "queued"}


def test_a_forced_push_keeps_the_job_that_a_push_and_a_release_share(
    service: Service, repo: Repo, forge: Forge
) -> None:
    """The previous release is the commit before the push, so both have the same base."""
    service.request("PUT", "/projects/demo/branch-filters", "admin", json={"measure_tags": True})
    first, between, released = (repo.commit(name) for name in ("first", "between", "released"))
    repo.git("tag", "v1", between)
    repo.git("tag", "v2", released)
    repo.push("main", "v1", "v2")
    (pushed,) = push(service, between, released)["job_ids"]
    releases = [
        service.hook(json.dumps({"ref": f"refs/tags/{tag}", "before": ZEROS, "after": sha}).encode(), 202)
        for tag, sha in (("v1", between), ("v2", released))
    ]
    assert releases[1]["job_ids"] == [pushed]
    repo.git("reset", "--quiet", "--hard", first)
    repo.push()
    push(service, released, first)
    job = service.get(f"/jobs/{pushed}")
    assert job["state"] == "queued"
    assert [one["reason"] for one in job["transitions"]] == ["push to main", "release v2"]


def test_pushes_without_a_delivery_are_found(
    service: Service, repo: Repo, forge: Forge, clock: Clock
) -> None:
    first = repo.commit("first")
    repo.push()
    reconcile.drain(service.context)
    assert service.get("/jobs") == []
    second, third = repo.commit("second"), repo.commit("third")
    repo.git("tag", "v1")
    repo.push("main", "v1")
    reconcile.drain(service.context)
    assert service.get("/jobs") == [], "its turn has not come"
    clock.pass_seconds(400)
    forge.down = True
    reconcile.drain(service.context)
    shown = service.request("GET", "/projects/demo/branch-filters", "admin")
    assert "503" in shown["reconcile_error"]
    forge.down = False
    clock.pass_seconds(800)
    reconcile.drain(service.context)
    numbers = sorted(job["id"] for job in service.get("/jobs"))
    assert pairs(service, numbers) == [(first, second), (second, third)]
    assert [one["name"] for one in service.get("/projects/demo/tags")] == ["v1"]
    assert push(service, first, third)["job_ids"] == numbers, "the delivery that comes after all"


def test_forge_that_is_down_when_the_delivery_comes(
    service: Service, repo: Repo, forge: Forge, clock: Clock
) -> None:
    first, second, third = repo.commit("first"), repo.commit("second"), repo.commit("third")
    repo.push()
    forge.down = True
    assert push(service, first, third)["became"] == "received"
    forge.down = False
    clock.pass_seconds(20)
    drain(service.context)
    (delivery,) = service.request("GET", "/projects/demo/deliveries", "admin")
    assert pairs(service, delivery["job_ids"]) == [(first, second), (second, third)]
