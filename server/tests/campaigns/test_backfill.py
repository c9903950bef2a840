# SPDX-License-Identifier: Apache-2.0
"""Backfills queue a few jobs at a time, only for unmeasured commits, oldest first, and stop on request."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_server.app import workers
from nalm_server.campaigns.backfill import kind
from nalm_server_harness import Service
from nalm_server_line import Bench, info, use_line
from nalm_server_reports import body_of, make_report, sha

LENGTH = 12


@pytest.fixture(autouse=True)
def line(monkeypatch: pytest.MonkeyPatch) -> None:
    use_line(monkeypatch, LENGTH)
    monkeypatch.setattr(kind, "OPEN_JOBS", 3)


def start(service: Service, **expected: Any) -> int:
    requested = {"first": sha(0), "last": sha(LENGTH - 1), **expected}
    return int(service.post("/projects/demo/backfills", "admin", 201, requested)["id"])


def shown(service: Service, backfill: int) -> dict[str, Any]:
    found: dict[str, Any] = service.client.get(
        f"/api/v1/backfills/{backfill}", headers={"Authorization": f"Bearer {service.tokens['admin']}"}
    ).json()
    return found


def bench(service: Service, **outcomes: str) -> Bench:
    costs = {sha(number): 150.0 for number in range(LENGTH)}
    return Bench(service, costs, {sha(int(key[1:])): value for key, value in outcomes.items()}, [])


@pytest.mark.nightly
def test_each_commit_once_oldest_first_a_few_at_a_time(service: Service) -> None:
    service.upload(body_of(make_report(5)))
    backfill = start(service)
    assert shown(service, backfill)["state"] == "planning"
    workers.drain_jobs(service.context)
    assert len(service.get("/jobs", project="demo", state="queued")) == 3
    agent = bench(service, _7="failed")
    agent.work_all()
    assert agent.measured == [(sha(n - 1), sha(n)) for n in range(1, LENGTH) if n != 5]
    found = shown(service, backfill)
    assert found["state"] == "done"
    assert found["progress"] == {
        "total": 11, "waiting": 0, "queued": 0, "reused": 1, "done": 9, "failed": 1,
    }  # fmt: skip
    subjects = [one["subject"] for one in service.get("/projects/demo/commits")]
    assert subjects == [f"commit {n}" for n in range(LENGTH - 1, 0, -1)], "in the order of the branch"


def test_every_nth_against_the_one_before(service: Service) -> None:
    start(service, every=4)
    agent = bench(service)
    agent.work_all()
    assert agent.measured == [(sha(0), sha(4)), (sha(4), sha(8)), (sha(8), sha(11))]


def test_cancel_ends_its_open_jobs(service: Service) -> None:
    backfill = start(service)
    bench(service).work()
    ended = service.post(f"/backfills/{backfill}/cancel", "admin", 200, {})
    assert (ended["state"], ended["progress"]["queued"]) == ("cancelled", 0)
    workers.drain_jobs(service.context)
    assert not service.get("/jobs", project="demo", state="queued")


def test_steps_of_a_line() -> None:
    commits = [info(number) for number in range(1, 8)]
    assert kind.pairs(sha(0), commits, 3) == [(sha(0), sha(3)), (sha(3), sha(6)), (sha(6), sha(7))]
    assert kind.pairs(sha(0), commits, 100) == [(sha(0), sha(7))]
