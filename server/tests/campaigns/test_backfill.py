# SPDX-License-Identifier: Apache-2.0
"""Backfills queue a few jobs at a time, only for unmeasured commits, oldest first, and stop on request."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_server.app import workers
from nalm_server.campaigns.backfill import kind
from nalm_server.results.models import RunRow
from nalm_server_harness import Service
from nalm_server_line import Bench, info, use_line
from nalm_server_reports import body_of, make_report, sha
from sqlalchemy import update

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


def test_a_backfill_that_shares_jobs_of_a_cancelled_one_measures_on(service: Service) -> None:
    first, second = start(service), start(service)
    workers.drain_jobs(service.context)
    service.post(f"/backfills/{first}/cancel", "admin", 200, {})
    bench(service).work_all()
    found = shown(service, second)
    assert (found["state"], found["progress"]["done"]) == ("done", LENGTH - 1)


@pytest.mark.nightly
@pytest.mark.parametrize("end", ["cancelled", "failed"])
def test_a_backfill_requested_again_measures_what_has_no_result(service: Service, end: str) -> None:
    first = start(service)
    if end == "cancelled":
        workers.drain_jobs(service.context)
        service.post(f"/backfills/{first}/cancel", "admin", 200, {})
    else:
        bench(service, **{f"_{number}": "failed" for number in range(LENGTH)}).work_all()
        assert shown(service, first)["progress"]["failed"] == LENGTH - 1
    second = start(service)
    bench(service).work_all()
    found = shown(service, second)
    assert (found["state"], found["progress"]["done"]) == ("done", LENGTH - 1)


@pytest.mark.nightly
def test_a_run_in_no_series_answers_no_step(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    with service.context.sessions() as session:
        session.execute(update(RunRow).values(beside=True))
        session.commit()
    backfill = start(service)
    bench(service).work_all()
    assert shown(service, backfill)["progress"]["reused"] == 0


def test_a_person_who_requests_a_pair_of_a_backfill_keeps_its_job(service: Service) -> None:
    backfill = start(service)
    workers.drain_jobs(service.context)
    (pair,) = [one for one in service.get("/jobs", project="demo") if one["head_sha"] == sha(2)]
    job = service.post("/projects/demo/jobs", "admin", 201, {"base": sha(1), "head": sha(2)})
    assert (job["id"], job["reason"], job["requested_by"]) == (pair["id"], "person", "admin")
    service.post(f"/backfills/{backfill}/cancel", "admin", 200, {})
    assert [one["id"] for one in service.get("/jobs", project="demo", state="queued")] == [pair["id"]]
