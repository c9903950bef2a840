# SPDX-License-Identifier: Apache-2.0
"""Refinements: undecided pairs measured on by idle hosts, pools over hosts, plans by the API."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace

import pytest
from nalm_core.pooling.pool import PairPool
from nalm_core.report.run_report import GivenConfiguration
from nalm_server.app import workers
from nalm_server.campaigns.refinements import kind, pools, standing
from nalm_server.campaigns.refinements.repository import MeasuredPair
from nalm_server.projects import service as projects
from nalm_server_harness import Service
from nalm_server_line import Bench, use_line
from nalm_server_reports import COSTS, body_of, make_report, sha
from sqlalchemy.orm import Session

COMMITS = 5
SCENARIO = "/projects/demo/scenarios/sfc_a"
PLAN = "/projects/demo/refinements/plan"


@pytest.fixture
def bench(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """Commits, each measured against the one before and the same."""
    use_line(monkeypatch, COMMITS)
    for number in range(1, COMMITS):
        service.upload(body_of(make_report(number, base_costs=COSTS)))
    yield Bench(service, {sha(number): 150.0 for number in range(COMMITS)}, {}, [])


def pool(service: Service, base: int, head: int, **query: object) -> dict[str, object]:
    found = service.get(f"{SCENARIO}/pool", base=sha(base), head=sha(head), **query)
    assert isinstance(found, dict)
    return found


def test_a_pool_has_all_runs_of_a_pair_on_all_hosts(service: Service, bench: Bench) -> None:
    alone = pool(service, 0, 1, margin=0.05)
    report = make_report(101, base=0, head=1, base_costs=COSTS)
    other = report.model_copy(update={"host": report.host.model_copy(update={"name": "another"})})
    service.upload(body_of(other))
    both = pool(service, 0, 1, margin=0.05)
    assert (alone["runs"], alone["hosts"]) == (1, 1) and (both["runs"], both["hosts"]) == (2, 2)
    launches = alone["launches"]
    assert isinstance(launches, int) and both["launches"] == 2 * launches
    service.get(f"{SCENARIO}/pool", base=sha(0), head=sha(3), status=404)
    service.get(f"{SCENARIO}/pool", base=sha(0), head=sha(1), margin=0.0001, status=422)


@pytest.mark.parametrize("changed", ["definition", "configuration"])
def test_a_pool_has_no_runs_of_another_definition(service: Service, bench: Bench, changed: str) -> None:
    report = make_report(101, base=0, head=1, base_costs=COSTS)
    if changed == "definition":
        arms = {
            arm: one.model_copy(update={"run": one.run.model_copy(update={"command": ["other"]})})
            for arm, one in report.arms.items()
        }
        report = report.model_copy(update={"arms": arms})
    else:
        given = GivenConfiguration(name="demo", sha256="a" * 64)
        report = report.model_copy(update={"configuration": given})
    service.upload(body_of(report))
    assert pool(service, 0, 1, margin=0.05)["runs"] == 1
    again = report.model_copy(update={"run_id": f"{102:032x}"})
    service.upload(body_of(again))
    assert pool(service, 0, 1, margin=0.05)["runs"] == 2


def test_one_placement_of_code_decides_no_pool(service: Service) -> None:
    def upload(first: int, head: int, equal: bool) -> dict[str, object]:
        costs = COSTS | {"nat": 1.03 * COSTS["nat"]}
        for number in range(first, first + 4):
            report = make_report(number, base=0, head=head, base_costs=COSTS, head_costs=costs)
            settings = report.settings.model_copy(update={"equal_counts": equal})
            service.upload(body_of(report.model_copy(update={"settings": settings})))
        return pool(service, 0, head, margin=0.01)

    assert upload(101, 1, equal=False)["outcome"] == "regressed"
    found = upload(201, 2, equal=True)
    assert (found["outcome"], found["decided_after"]) == ("inconclusive", None)
    assert "1 of the 12 placements" in str(found["reason"]) and found["next_look"]


def test_a_plan_says_what_a_margin_takes(service: Service, bench: Bench) -> None:
    coarse, fine = (service.get(f"{SCENARIO}/margin-plan", margin=margin) for margin in (0.02, 0.002))
    assert coarse["runs"] == COMMITS - 1 and coarse["effort"]["minutes"] > 0
    assert fine["effort"]["launches"] >= coarse["effort"]["launches"]
    unknown = service.get("/projects/demo/scenarios/nothing/margin-plan")
    assert unknown["effort"] is None and "nalm check" in unknown["run"]


def undecided(service: Service, margin: float, days: int) -> list[tuple[str, str]]:
    """What the plans of so many days would measure on."""
    now = service.context.clock()
    with service.context.read_sessions() as session:
        number = projects.require(session, "demo").id
        plans = [
            kind.undecided(session, number, margin, COMMITS, now + timedelta(days=day)) for day in range(days)
        ]
    return [(one.base_sha, one.head_sha) for plan in plans for one in plan]


@pytest.mark.nightly
def test_decided_pairs_hide_no_older_ones(
    service: Service, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2, COMMITS):
        for again in (100, 200):
            report = make_report(number + again, base=number - 1, head=number, base_costs=COSTS)
            service.upload(body_of(report))
        assert pool(service, number - 1, number, margin=0.05)["outcome"] == "same"
    assert undecided(service, 0.05, days=1) == [(sha(0), sha(1))]
    looked_at: list[MeasuredPair] = []

    def find_pool(session: Session, project_id: int, pair: MeasuredPair, margin: float) -> PairPool | None:
        looked_at.append(pair)
        return pools.find_pool(session, project_id, pair, margin)

    monkeypatch.setattr(kind, "pools", SimpleNamespace(find_pool=find_pool))
    monkeypatch.setattr(kind, "NEWEST", 1)
    monkeypatch.setattr(kind, "OLDER", 1)
    older = COMMITS - 2
    assert undecided(service, 0.05, days=older) == [(sha(0), sha(1))], "each had its turn"
    assert len(looked_at) == 2 * older, "a newest and an older one a day"


def test_a_pair_that_regressed_last_is_not_measured_on(service: Service, bench: Bench) -> None:
    assert (sha(1), sha(2)) in undecided(service, 0.001, days=1)
    slower = COSTS | {"nat": 2 * COSTS["nat"]}
    service.upload(body_of(make_report(101, base=1, head=2, base_costs=COSTS, head_costs=slower)))
    found = undecided(service, 0.001, days=1)
    assert (sha(1), sha(2)) not in found and len(found) == COMMITS - 2
    service.upload(body_of(make_report(102, base=1, head=2, base_costs=COSTS)))
    assert undecided(service, 0.001, days=1)[0] == (sha(1), sha(2)), "its newest run is the same"


def test_idle_hosts_measure_undecided_pairs_on(service: Service, bench: Bench) -> None:
    before = service.get(f"{SCENARIO}/history", metric="cpp", values="measured")
    assert service.get(PLAN) == {"minutes_per_day": 0, "margin": 0.002, "next_at": None}
    standing.drain(service.context)
    assert service.get("/projects/demo/refinements") == []
    service.request("PUT", PLAN, "upload", 403, json={"minutes_per_day": 60})
    service.request("PUT", PLAN, "admin", 422, json={"minutes_per_day": 60, "margin": 0.0001})
    service.request("PUT", PLAN, "admin", json={"minutes_per_day": 60, "margin": 0.001})
    for _ in range(2):
        standing.drain(service.context)
    (planned,) = service.get("/projects/demo/refinements")
    assert planned["requested_by"] == "refinements each day" and planned["margin"] == 0.001
    bench.work_all()
    done = service.get(f"/refinements/{planned['id']}")
    assert done["state"] == "done" and done["progress"]["done"] == len(done["pairs"]) == 2
    jobs = [one for one in service.get("/jobs", limit=100) if one["reason"] == "refine"]
    assert {one["priority"] for one in jobs} == {11}
    pair = done["pairs"][0]
    found = service.get(f"{SCENARIO}/pool", base=pair["base_sha"], head=pair["head_sha"], margin=0.001)
    assert found["runs"] == 2 and found["launches"] > pair["launches"]
    assert service.get(f"{SCENARIO}/history", metric="cpp", values="measured")["points"] == before["points"]
    standing.drain(service.context)
    assert len(service.get("/projects/demo/refinements")) == 1, "one a day"
    service.clock.pass_seconds(86_400)
    standing.drain(service.context)
    assert len(service.get("/projects/demo/refinements")) == 2
    cancelled = service.post(f"/refinements/{planned['id'] + 1}/cancel", "admin", 200, {})
    assert cancelled["state"] == "cancelled"


def refined(service: Service, margin: float = 0.002) -> None:
    """The pair 0..4, the same at 1 %, is measured on to the margin, and differs there."""
    costs = {**COSTS, "nat": 151.6}
    service.upload(body_of(make_report(20, base=0, head=COMMITS - 1, base_costs=COSTS, head_costs=costs)))
    service.request("PUT", PLAN, "admin", json={"minutes_per_day": 30, "margin": margin})
    standing.drain(service.context)
    workers.drain_jobs(service.context)
    lease = service.lease()
    assert (lease["base_sha"], lease["head_sha"]) == (sha(0), sha(COMMITS - 1))
    report = make_report(21, base=0, head=COMMITS - 1, base_costs=COSTS, head_costs=costs)
    settings = report.settings.model_copy(update={"margin": lease["margin"]})
    body = body_of(report.model_copy(update={"settings": settings}))
    found = service.upload(body, token="agent", job_id=lease["job_id"], fence=lease["fence"])
    assert found["outcome"] == "regressed"
    finish = f"/agent/jobs/{lease['job_id']}/finish"
    service.post(finish, "agent", 200, {"fence": lease["fence"], "outcome": "done"})


def test_a_bisection_takes_no_outcome_of_another_margin(service: Service, bench: Bench) -> None:
    refined(service)
    bisect = {"good": sha(0), "bad": sha(COMMITS - 1), "scenario": "sfc_a"}
    number = service.post("/projects/demo/bisections", "admin", 201, bisect)["id"]
    bench.work_all()
    assert service.get(f"/bisections/{number}")["state"] == "no_change"


def test_a_person_gets_no_job_of_another_margin(service: Service, bench: Bench) -> None:
    service.request("PUT", PLAN, "admin", json={"minutes_per_day": 30, "margin": 0.002})
    standing.drain(service.context)
    workers.drain_jobs(service.context)
    (waiting,) = service.get("/jobs", project="demo", state="queued")
    request = {"base": waiting["base_sha"], "head": waiting["head_sha"], "scenarios": ["sfc_a"]}
    job = service.post("/projects/demo/jobs", "admin", 201, request)
    assert (job["id"] == waiting["id"], job["reason"]) == (False, "person")
    assert service.lease()["margin"] is None
