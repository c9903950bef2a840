# SPDX-License-Identifier: Apache-2.0
"""Code of forks needs a developer's approval, which is valid for one commit of one repository."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from nalm_server.app import workers
from nalm_server.base.settings import Settings
from nalm_server.git.commits import repository as commits
from nalm_server.jobs import service as jobs
from nalm_server.jobs.schemas import JobReason
from nalm_server.webhooks.signature import hexdigest
from nalm_server_forked import OTHER_FORK, OWN, WEBHOOKS, Forked, forked
from nalm_server_harness import Clock, Service
from nalm_server_polled import Scene, polled
from nalm_server_reports import body_of, make_report
from tiers import by_night

POLLED = ("github", *(pytest.param(one, marks=pytest.mark.nightly) for one in ("gitlab", "gitea", "agit")))
PUSHED = (WEBHOOKS[0], *(pytest.param(one, marks=pytest.mark.nightly) for one in WEBHOOKS[1:]))
MUST = "comes from a fork: a developer must approve it"


@pytest.fixture
def scene(service: Service, tmp_path: Path) -> Forked:
    return forked(service, tmp_path / "forge")


@pytest.fixture
def polling(make_settings: Callable[..., Settings], clock: Clock, tmp_path: Path) -> Iterator[Scene]:
    with polled(make_settings(outgoing_allow="127.0.0.1"), clock, tmp_path / "forge") as made:
        yield made


def approve(service: Service, job: int, status: int = 200) -> Any:
    return service.post(f"/jobs/{job}/approve", "admin", status, {"reason": "read it"})


@pytest.mark.parametrize("forge", PUSHED)
def test_closed_and_reopened_waits_as_before(scene: Forked, forge: str) -> None:
    head, _ = scene.heads
    (number,) = scene.tell(forge, "opened", head)["job_ids"]
    scene.tell(forge, "closed", head)
    closed = scene.job(number)
    assert closed["state"] == "superseded" and MUST in closed["held"]
    assert scene.tell(forge, "reopened", head)["job_ids"] == [number]
    reopened = scene.job(number)
    assert reopened["state"] == "queued" and MUST in reopened["held"]
    assert scene.service.lease(204) is None


@pytest.mark.parametrize("forge", PUSHED)
def test_pushed_away_and_back_waits_and_what_was_approved_is_that_commit(scene: Forked, forge: str) -> None:
    first, second = scene.heads
    (one,) = scene.tell(forge, "opened", first)["job_ids"]
    (two,) = scene.tell(forge, "pushed", second)["job_ids"]
    assert scene.tell(forge, "pushed", first)["job_ids"] == [one]
    assert [scene.job(number)["held"] is not None for number in (one, two)] == [True, True]
    assert scene.service.lease(204) is None
    approve(scene.service, one)
    assert scene.tell(forge, "pushed", second)["job_ids"] == [two]
    assert MUST in scene.job(two)["held"] and scene.job(two)["approved_at"] is None
    assert scene.service.lease(204) is None
    scene.tell(forge, "pushed", first)
    assert scene.job(one)["held"] is None, "this very commit was approved"
    assert scene.service.lease()["job_id"] == one


@pytest.mark.dialects
@pytest.mark.parametrize("forge", ["github", "generic", *by_night("gitlab", "gitea")])
def test_the_same_commit_of_another_fork_waits(scene: Forked, forge: str) -> None:
    head, _ = scene.heads
    (number,) = scene.tell(forge, "opened", head)["job_ids"]
    approve(scene.service, number)
    scene.tell(forge, "closed", head)
    assert scene.tell(forge, "opened", head, fork=OTHER_FORK, number=9)["job_ids"] == [number]
    job = scene.job(number)
    assert (job["pull_request"], job["approved_by"]) == (9, None)
    assert job["held"] == f"pull request 9 {MUST}"


def test_the_same_commit_of_another_agit_request_waits(scene: Forked) -> None:
    head, _ = scene.heads
    (number,) = scene.tell("agit", "opened", head)["job_ids"]
    approve(scene.service, number)
    scene.tell("agit", "closed", head)
    scene.tell("agit", "opened", head, number=9)
    assert scene.job(number)["held"] == f"pull request 9 {MUST}"


@pytest.mark.dialects
def test_a_fork_that_is_gone_is_not_the_one_that_was_approved(scene: Forked) -> None:
    head, _ = scene.heads
    (number,) = scene.tell("gitea", "opened", head)["job_ids"]
    approve(scene.service, number)
    scene.tell("gitea", "closed", head, fork=-1)
    scene.tell("gitea", "reopened", head, fork=-1)
    assert MUST in scene.job(number)["held"]


def test_who_approved_and_when_is_shown_kept_and_in_the_log(scene: Forked) -> None:
    head, _ = scene.heads
    (number,) = scene.tell("github", "opened", head)["job_ids"]
    assert scene.job(number)["fork"] == "2"
    at = scene.service.clock().isoformat().replace("+00:00", "Z")
    approve(scene.service, number)
    for shown in (scene.job(number), scene.newest(id=number)):
        assert (shown["held"], shown["approved_by"], shown["approved_at"]) == (None, "admin", at)
    (entry,) = scene.service.request("GET", "/projects/demo/audit?action=job.approve", "admin")
    assert (entry["who"], entry["detail"]) == ("admin", f"{head} of 2: read it")
    approve(scene.service, number, 409)


def test_an_approval_is_for_every_job_of_the_commit(scene: Forked) -> None:
    head, _ = scene.heads
    (number,) = scene.tell("github", "opened", head)["job_ids"]
    expected = {"head": head, "base": scene.base, "scenarios": ["sfc_a"]}
    by_hand = scene.service.post("/projects/demo/jobs", "admin", 201, expected)
    assert by_hand["held"] is not None
    approve(scene.service, number)
    assert scene.job(by_hand["id"])["held"] is None


def test_another_policy_is_for_what_is_queued_too(scene: Forked) -> None:
    head, other = scene.heads
    scene.policy("always")
    (number,) = scene.tell("github", "opened", head)["job_ids"]
    assert scene.job(number)["held"] is None
    scene.policy("approve")
    assert MUST in scene.job(number)["held"]
    approve(scene.service, number)
    scene.policy("never")
    assert "measures no forks" in scene.job(number)["held"]
    assert scene.service.lease(204) is None
    assert "fork_pull_requests" in approve(scene.service, number, 409)["error"]["message"]
    scene.policy("approve")
    assert scene.job(number)["held"] is None, "it had been approved"
    (second,) = scene.tell("github", "opened", other, number=8)["job_ids"]
    assert scene.job(second)["held"] is not None
    scene.policy("always")
    assert scene.job(second)["held"] is None
    said = [one["reason"] for one in scene.job(number)["transitions"]]
    assert said[1:] == [
        "forks' pull requests: approve",
        "approved by admin: read it",
        "forks' pull requests: never",
        "forks' pull requests: approve",
    ]


def test_what_a_host_has_waits_when_it_is_queued_again(scene: Forked, clock: Clock) -> None:
    head, _ = scene.heads
    scene.policy("always")
    (number,) = scene.tell("github", "opened", head)["job_ids"]
    lease = scene.service.lease()
    scene.policy("approve")
    assert scene.job(number)["state"] == "leased"
    clock.pass_seconds(scene.service.context.settings.lease_seconds + 1)
    workers.drain_jobs(scene.service.context)
    assert MUST in scene.job(number)["held"]
    late = {"fence": lease["fence"], "step": "building"}
    scene.service.post(f"/agent/jobs/{number}/progress", "agent", 409, late)
    assert scene.service.lease(204) is None


@pytest.mark.parametrize("verb", ["reject", "cancel"])
def test_retried_it_waits_as_before(scene: Forked, verb: str) -> None:
    head, _ = scene.heads
    (number,) = scene.tell("github", "opened", head)["job_ids"]
    scene.service.post(f"/jobs/{number}/{verb}", "admin", 200, {})
    assert MUST in scene.job(number)["held"]
    scene.service.post(f"/jobs/{number}/retry", "admin", 200, {})
    assert MUST in scene.job(number)["held"]
    assert scene.service.lease(204) is None


def test_by_hand_it_waits_whatever_became_of_its_pull_request(scene: Forked) -> None:
    head, _ = scene.heads
    scene.policy("never")
    assert scene.tell("github", "opened", head)["job_ids"] == []
    scene.policy("approve")
    scene.tell("github", "closed", head)
    scene.service.upload(body_of(make_report(1, head=head, base=scene.base)))
    job = scene.service.post("/projects/demo/jobs", "admin", 201, {"head": head, "base": scene.base})
    assert job["held"] == f"{head[:7]} {MUST}"
    experiment = {"kind": "features", "revision": head}
    scene.service.post("/projects/demo/experiments", "admin", 201, experiment)
    assert scene.newest(reason="experiment")["held"] == f"{head[:7]} {MUST}"
    assert scene.service.lease(204) is None
    approve(scene.service, job["id"])
    assert scene.newest(reason="experiment")["held"] is None


@pytest.mark.parametrize("what", ["bisects", "backfills"])
def test_commits_on_the_way_to_it_wait_each_for_itself(scene: Forked, what: str) -> None:
    scene.repo.git("checkout", "--quiet", "first")
    before = scene.repo.commit("before")
    head = scene.repo.commit("head")
    scene.repo.push("first:refs/pull/first/head")
    (number,) = scene.tell("github", "opened", head)["job_ids"]
    approve(scene.service, number)
    requested: dict[str, Any] = (
        {"good": scene.base, "bad": head, "scenario": "sfc_a"}
        if what == "bisects"
        else {"first": scene.base, "last": head}
    )
    scene.service.post(f"/projects/demo/{what}", "admin", 201, requested)
    workers.drain_jobs(scene.service.context)
    held = {job["head_sha"]: job["held"] for job in scene.service.get("/jobs") if job["reason"] == what[:-1]}
    assert held.pop(head) is None
    assert set(held) == ({before, scene.heads[0]} if what == "backfills" else set())
    assert all(MUST in why for why in held.values())


@pytest.mark.dialects
@pytest.mark.parametrize("reason", [JobReason.CONFIRM, JobReason.CONTROL, JobReason.EXPERIMENT])
def test_no_job_of_its_commit_goes_by(scene: Forked, reason: JobReason) -> None:
    head, _ = scene.heads
    scene.policy("always")
    scene.tell("github", "opened", head)
    scene.policy("approve")
    with scene.service.context.sessions() as session:
        commit = commits.find(session, 1, head)
        assert commit is not None
        made = jobs.enqueue(
            session, commit, scene.base, reason=reason, why="again", now=scene.service.clock()
        )
        session.commit()
        assert made.held is not None


@pytest.mark.dialects
def test_what_the_projects_own_repository_has_is_not_held(scene: Forked) -> None:
    head, other = scene.heads
    (number,) = scene.tell("github", "opened", head)["job_ids"]
    assert scene.tell("github", "opened", head, fork=OWN, number=8)["job_ids"] == [number]
    assert (scene.job(number)["held"], scene.job(number)["fork"]) == (None, None)
    (waits,) = scene.tell("github", "opened", other, number=9)["job_ids"]
    scene.repo.push("second:main")
    push = json.dumps({"ref": "refs/heads/main", "before": scene.base, "after": other}).encode()
    (pushed,) = scene.service.hook(push, 202)["job_ids"]
    assert (scene.job(pushed)["held"], scene.job(waits)["held"] is None) == (None, False)
    by_hand = {"head": other, "base": scene.base, "scenarios": ["sfc_a"]}
    assert scene.service.post("/projects/demo/jobs", "admin", 201, by_hand)["held"] is None


def test_a_pull_requests_ref_is_no_branch(scene: Forked) -> None:
    scene.service.request("PUT", "/projects/demo/branch-filters", "admin", json={"branches": ["*"]})
    push = {"ref": "refs/pull/7/head", "before": scene.base, "after": scene.heads[0]}
    body = json.dumps(push).encode()
    headers = {"X-Gitea-Event": "push", "X-Gitea-Signature": hexdigest(scene.service.secret, body)}
    answer = scene.service.client.post("/api/v1/hooks/gitea", content=body, headers=headers)
    assert answer.json()["reason"] == "refs/pull/7/head is neither a branch nor a tag"
    assert scene.service.get("/jobs") == []


@pytest.mark.parametrize("forge", POLLED)
def test_found_by_polling_it_waits_each_time(polling: Scene, forge: str) -> None:
    polling.connect("gitea" if forge == "agit" else forge)
    first, second = polling.topic("first"), polling.topic("second")
    pull = polling.pull(7, first, fork=forge != "agit", agit=forge == "agit")
    polling.turn()
    for now in (
        pull.ended("closed"), pull, replace(pull, head=second), pull, replace(pull, head=second),
    ):  # fmt: skip
        polling.fake.pulls[7] = now
        polling.turn()
        assert all(MUST in job["held"] for job in polling.service.get("/jobs"))
    assert polling.service.lease(204) is None
    (waits,) = [job for job in polling.service.get("/jobs") if job["state"] == "queued"]
    approve(polling.service, waits["id"])
    polling.fake.pulls[7] = pull
    polling.turn()
    assert polling.service.lease(204) is None
    polling.fake.pulls[7] = replace(pull, head=second)
    polling.turn()
    assert polling.service.lease()["job_id"] == waits["id"]


@pytest.mark.nightly
@pytest.mark.dialects
def test_a_head_that_only_git_saw_move_is_still_the_forks(polling: Scene) -> None:
    first, second = polling.topic("first"), polling.topic("second")
    reported = polling.pull(7, first, fork=True)
    (number,) = polling.reported(reported)["job_ids"]
    approve(polling.service, number)
    for name in ("second", "first", "second"):
        polling.repo.push(f"{name}:refs/pull/7/head")
        polling.turn()
    (queued,) = [job for job in polling.service.get("/jobs") if job["state"] == "queued"]
    assert (queued["head_sha"], queued["fork"]) == (second, "2")
    assert MUST in queued["held"]


def test_nothing_is_compared_with_it_before(scene: Forked) -> None:
    head, _ = scene.heads
    (number,) = scene.tell("github", "opened", head)["job_ids"]
    requested: dict[str, dict[str, Any]] = {
        "jobs": {"head": scene.base, "base": head},
        "bisects": {"good": head, "bad": scene.base, "scenario": "sfc_a"},
        "backfills": {"first": head, "last": scene.base},
    }
    for what, body in requested.items():
        error = scene.service.post(f"/projects/demo/{what}", "admin", 409, body)["error"]
        assert "comes from a fork and is not approved" in error["message"]
    approve(scene.service, number)
    scene.service.post("/projects/demo/jobs", "admin", 201, requested["jobs"])
