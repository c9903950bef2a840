# SPDX-License-Identifier: Apache-2.0
"""Refinements: undecided pairs measured on by idle hosts, pools over hosts, plans by the API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from nalm_core.report.run_report import GivenConfiguration
from nalm_server.campaigns.refinements import standing
from nalm_server_harness import Service
from nalm_server_line import Bench, use_line
from nalm_server_reports import COSTS, body_of, make_report, sha

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


def test_a_plan_says_what_a_margin_takes(service: Service, bench: Bench) -> None:
    coarse, fine = (service.get(f"{SCENARIO}/margin-plan", margin=margin) for margin in (0.02, 0.002))
    assert coarse["runs"] == COMMITS - 1 and coarse["effort"]["minutes"] > 0
    assert fine["effort"]["launches"] >= coarse["effort"]["launches"]
    unknown = service.get("/projects/demo/scenarios/nothing/margin-plan")
    assert unknown["effort"] is None and "nalm check" in unknown["run"]


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
