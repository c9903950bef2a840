# SPDX-License-Identifier: Apache-2.0
"""Leases: one agent has a job at a time; a silent agent is replaced, and its messages are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from nalm_server_harness import Clock, Service, make_service
from nalm_server_reports import body_of, make_report, sha

AGENT = "agent"


def push(service: Service, number: int) -> int:
    """Delivers commit `number`, whose parent is the previous one. Returns the job's id."""
    body = {
        "ref": "refs/heads/main",
        "before": sha(number - 1),
        "after": sha(number),
        "head_commit": {"id": sha(number), "message": f"commit {number}"},
    }
    return int(service.hook(json.dumps(body).encode(), 202)["job_ids"][0])


def progress(service: Service, lease: dict[str, Any], step: str, status: int = 200) -> Any:
    reported = {"fence": lease["fence"], "step": step, "detail": "launch 3 of 18", "fraction": 0.25}
    return service.post(f"/agent/jobs/{lease['job_id']}/progress", AGENT, status, reported)


def finish(service: Service, lease: dict[str, Any], status: int = 200, outcome: str = "done") -> Any:
    reported = {"fence": lease["fence"], "outcome": outcome, "message": None}
    return service.post(f"/agent/jobs/{lease['job_id']}/finish", AGENT, status, reported)


@pytest.mark.dialects
def test_life_of_a_job(service: Service) -> None:
    job_id = push(service, 1)
    lease = service.lease()
    assert lease == {
        "job_id": job_id,
        "fence": 1,
        "configuration": None,
        "project": "demo",
        "repository": "/srv/demo.git",
        "branch": "main",
        "base_sha": sha(0),
        "head_sha": sha(1),
        "reason": "push",
        "scenarios": None,
        "budget_seconds": None,
        "margin": None,
        "lease_seconds": 60,
        "measured": [],
        "control": False,
        "report_bytes": 16 << 20,
        "experiment": None,
    }
    assert service.lease(204, host="bench-2") is None
    progress(service, lease, "building")
    progress(service, lease, "measuring sfc_a")
    assert service.get("/projects/demo/commits")[0]["job"] == {
        "id": job_id,
        "state": "measuring",
        "step": "measuring sfc_a",
        "detail": "launch 3 of 18",
        "fraction": 0.25,
        "message": None,
    }
    service.upload(body_of(make_report(1)), token=AGENT, job_id=job_id, fence=lease["fence"])
    assert finish(service, lease) == {"state": "done"}
    assert finish(service, lease) == {"state": "done"}
    job = service.get(f"/jobs/{job_id}")
    states = [one["state"] for one in job["transitions"]]
    assert states == ["queued", "leased", "building", "measuring", "done"]
    assert job["finished_at"] is not None
    assert job["run_ids"] == [f"{1:032x}"]
    assert service.get("/health")["jobs_open"] == 0
    assert service.get("/health")["agents_seen"] == 2


def test_a_job_says_what_of_and_what_for(service: Service) -> None:
    job_id = push(service, 1)
    expected = {"head": sha(1), "base": sha(0), "scenarios": ["sfc_a"]}
    requested = service.post("/projects/demo/jobs", "admin", 201, expected)
    reported = {one["id"]: (one["subject"], one["asked"]) for one in service.get("/jobs")}
    assert reported == {
        job_id: ("commit 1", "push to main"),
        requested["id"]: ("commit 1", f"requested by {requested['requested_by']}"),
    }
    job = service.get(f"/jobs/{job_id}")
    assert (job["subject"], job["asked"]) == reported[job_id]


@pytest.mark.dialects
def test_lost_lease_is_given_out_again_and_the_late_agent_is_fenced_off(
    service: Service, clock: Clock
) -> None:
    push(service, 1)
    first = service.lease(host="bench-1")
    clock.pass_seconds(59)
    progress(service, first, "building")
    clock.pass_seconds(59)
    assert service.lease(204, host="bench-2") is None
    clock.pass_seconds(2)
    second = service.lease(host="bench-2")
    assert (second["job_id"], second["fence"]) == (first["job_id"], first["fence"] + 1)
    for error in (
        progress(service, first, "measuring", 409),
        finish(service, first, 409),
        service.upload(body_of(make_report(1)), 409, AGENT, job_id=first["job_id"], fence=first["fence"]),
    ):
        assert error["error"]["name"] == "fenced_off"
    assert service.get("/projects/demo/scenarios") == []
    service.upload(body_of(make_report(1)), token=AGENT, job_id=second["job_id"], fence=second["fence"])
    assert finish(service, second) == {"state": "done"}
    late = service.upload(
        body_of(make_report(101, base=0, head=1)), 409, AGENT, job_id=second["job_id"], fence=first["fence"]
    )
    assert late["error"]["name"] == "fenced_off"
    reasons = [one["reason"] for one in service.get(f"/jobs/{second['job_id']}")["transitions"]]
    assert "the lease of bench-1 expired" in reasons[3]


def test_a_job_has_one_result_per_scenario(service: Service, clock: Clock) -> None:
    """The first agent uploads a result and falls silent. The second agent's result is not stored."""
    push(service, 1)
    first = service.lease()
    service.upload(body_of(make_report(1)), token=AGENT, job_id=first["job_id"], fence=first["fence"])
    clock.pass_seconds(61)
    second = service.lease(host="bench-2")
    again = make_report(101, base=0, head=1)
    answer = service.upload(body_of(again), 200, AGENT, job_id=second["job_id"], fence=second["fence"])
    assert (answer["run_id"], answer["new"]) == (f"{1:032x}", False)
    assert finish(service, second) == {"state": "done"}
    assert [run["run_id"] for run in service.get(f"/projects/demo/commits/{sha(1)}")["runs"]] == [f"{1:032x}"]


@pytest.mark.dialects
def test_job_that_takes_every_agent_down_is_set_aside(
    make_settings: Callable[..., Any], clock: Clock, request: pytest.FixtureRequest
) -> None:
    service = make_service(make_settings(job_attempts=2), clock)
    request.addfinalizer(service.context.engine.dispose)
    poison, next_one = push(service, 1), push(service, 2)
    for _ in range(2):
        assert service.lease()["job_id"] == poison
        clock.pass_seconds(61)
    assert service.lease()["job_id"] == next_one
    job = service.get(f"/jobs/{poison}")
    assert job["state"] == "failed"
    assert "Leased 2 times" in job["message"]


@pytest.mark.dialects
def test_parents_come_before_children(service: Service) -> None:
    jobs = {number: push(service, number) for number in (3, 1, 2)}
    order = [service.lease(host=f"bench-{n}")["job_id"] for n in range(3)]
    assert order == [jobs[1], jobs[2], jobs[3]]


@pytest.mark.dialects
def test_racing_agents_get_each_job_once(service: Service) -> None:
    jobs = {push(service, number) for number in range(1, 5)}

    def lease(number: int) -> Any:
        return service.client.post(
            "/api/v1/agent/lease",
            json={"host": f"bench-{number % 3}", "host_class": "vm-2"},
            headers={"Authorization": f"Bearer {service.tokens[AGENT]}"},
        )

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lease, range(8)))
    given = [answer.json()["job_id"] for answer in answers if answer.status_code == 200]
    assert sorted(given) == sorted(jobs)
    assert {answer.status_code for answer in answers} == {200, 204}


@pytest.mark.parametrize(
    ("outcome", "report", "state"),
    [
        ("failed", None, "failed"),
        ("done", None, "failed"),
        ("done", {"failed_check": True}, "invalid"),
        ("done", {"status": "broken"}, "done"),
        ("done", {"status": "unchanged"}, "done"),
    ],
)
def test_how_a_job_ends(service: Service, outcome: str, report: dict[str, Any] | None, state: str) -> None:
    push(service, 1)
    lease = service.lease()
    if report is not None:
        service.upload(
            body_of(make_report(1, **report)), token=AGENT, job_id=lease["job_id"], fence=lease["fence"]
        )
    assert finish(service, lease, outcome=outcome) == {"state": state}


@pytest.mark.dialects
def test_jobs_are_listed_by_state_and_project(service: Service) -> None:
    push(service, 1)
    push(service, 2)
    service.lease()
    assert [one["head_sha"] for one in service.get("/jobs", project="demo", state="queued")] == [sha(2)]
    both = service.get("/jobs", state=["queued", "leased"])
    assert [one["head_sha"] for one in both] == [sha(2), sha(1)]
    assert [one["head_sha"] for one in service.get("/jobs", host="bench-1")] == [sha(1)]
    assert service.get("/jobs", host="bench-2") == []
    assert service.get("/jobs", project="nobody", status=404)["error"]["name"] == "not_found"
    assert service.get("/jobs/4711", 404)["error"]["name"] == "not_found"


@pytest.mark.dialects
def test_waiting_lease_gets_work_that_comes_later(service: Service) -> None:
    expected = {"host": "bench-1", "host_class": "vm-2", "wait_seconds": 30}
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(service.post, "/agent/lease", AGENT, 200, expected)
        job_id = push(service, 1)
        assert waiting.result()["job_id"] == job_id
