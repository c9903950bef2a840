# SPDX-License-Identifier: Apache-2.0
"""A bisect from the API request to the culprit, with an agent that measures each job."""

from __future__ import annotations

import math
from typing import Any

import pytest
from nalm_core.report.defaults import BUDGET_SECONDS
from nalm_server_harness import Service
from nalm_server_line import Bench, use_line
from nalm_server_reports import body_of, make_report, sha

LENGTH = 17


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> None:
    use_line(monkeypatch, LENGTH)


def start(service: Service, good: int = 0, bad: int = LENGTH - 1) -> int:
    expected = {"good": sha(good), "bad": sha(bad), "scenario": "sfc_a"}
    return int(service.post("/projects/demo/bisections", "admin", 201, expected)["id"])


def bench(service: Service, culprit: int | None, **outcomes: str) -> Bench:
    """From the culprit on, nat costs 200 instead of 150 cycles. outcomes: by commit, as `_NUMBER`."""
    slow = LENGTH if culprit is None else culprit
    costs = {sha(number): 200.0 if number >= slow else 150.0 for number in range(LENGTH)}
    return Bench(service, costs, {sha(int(key[1:])): value for key, value in outcomes.items()}, [])


def result(service: Service, bisect: int) -> dict[str, Any]:
    found: dict[str, Any] = service.client.get(
        f"/api/v1/bisections/{bisect}", headers={"Authorization": f"Bearer {service.tokens['admin']}"}
    ).json()
    return found


@pytest.mark.usefixtures("line")
def test_the_culprit_is_found_each_candidate_against_good(service: Service) -> None:
    bisect = start(service)
    agent = bench(service, 11)
    agent.work_all()
    found = result(service, bisect)
    assert (found["state"], found["high_sha"], found["low_sha"]) == ("found", sha(11), sha(10))
    assert found["direction"] == "regressed"
    assert {base for base, _ in agent.measured} == {sha(0)}
    assert agent.measured[0][1] == sha(LENGTH - 1), "the ends come first"
    assert len(agent.measured) <= 2 + math.ceil(math.log2(LENGTH))
    jobs = service.get("/jobs", project="demo")
    assert {(job["reason"], tuple(job["scenarios"])) for job in jobs} == {("bisect", ("sfc_a",))}


@pytest.mark.nightly
@pytest.mark.dialects
@pytest.mark.usefixtures("line")
def test_runs_that_are_there_are_not_measured_again(service: Service) -> None:
    slow = {"nat": 200.0}
    service.upload(body_of(make_report(1, base=0, head=LENGTH - 1, head_costs=slow)))
    service.upload(body_of(make_report(2, base=0, head=8)))
    bisect = start(service)
    agent = bench(service, 11)
    agent.work_all()
    found = result(service, bisect)
    assert (found["state"], found["high_sha"]) == ("found", sha(11))
    assert not {sha(8), sha(LENGTH - 1)} & {head for _, head in agent.measured}
    assert [step["reused"] for step in found["steps"][:2]] == [True, True]


@pytest.mark.dialects
@pytest.mark.usefixtures("line")
def test_no_change_between_the_ends_costs_one_measurement(service: Service) -> None:
    bisect = start(service)
    agent = bench(service, None)
    agent.work_all()
    assert result(service, bisect)["state"] == "no_change"
    assert len(agent.measured) == 1


@pytest.mark.nightly
@pytest.mark.dialects
@pytest.mark.usefixtures("line")
def test_commits_that_do_not_build_are_skipped(service: Service) -> None:
    bisect = start(service)
    bench(service, 11, _10="failed", _11="broken").work_all()
    found = result(service, bisect)
    assert (found["state"], found["low_sha"], found["high_sha"]) == ("range", sha(9), sha(12))
    why = {step["sha"]: step["why"] for step in found["steps"] if step["finding"] == "skip"}
    assert "no such file" in why[sha(10)]
    assert why[sha(11)] == "it is broken"


@pytest.mark.nightly
@pytest.mark.parametrize("by_toml", [BUDGET_SECONDS, 600.0])
@pytest.mark.usefixtures("line")
def test_an_undecided_step_is_measured_longer_and_then_skipped(service: Service, by_toml: float) -> None:
    bisect = start(service)
    agent = bench(service, 11, _8="invalid")
    agent.budget_seconds = by_toml
    agent.work_all()
    found = result(service, bisect)
    assert (found["state"], found["high_sha"]) == ("found", sha(11))
    step = next(one for one in found["steps"] if one["sha"] == sha(8))
    assert (step["finding"], step["measurements"], step["budget_seconds"]) == ("skip", 4, 8 * by_toml)
    budgets = [job["id"] for job in service.get("/jobs", project="demo") if job["head_sha"] == sha(8)]
    assert [service.get(f"/jobs/{one}")["budget_seconds"] for one in sorted(budgets)] == [
        None, 2 * by_toml, 4 * by_toml, 8 * by_toml,
    ]  # fmt: skip


@pytest.mark.dialects
@pytest.mark.usefixtures("line")
def test_a_cancelled_bisect_ends_with_its_job(service: Service) -> None:
    bisect = start(service)
    agent = bench(service, 11)
    agent.work()
    agent.work()
    cancelled = service.post(f"/bisections/{bisect}/cancel", "admin", 200, {})
    assert cancelled["state"] == "cancelled"
    requested = len(agent.measured)
    agent.work_all()
    assert len(agent.measured) == requested
    assert service.post(f"/bisections/{bisect}/cancel", "admin", 200, {})["state"] == "cancelled"
    assert not service.get("/jobs", project="demo", state=["queued", "leased"])


@pytest.mark.usefixtures("line")
def test_ends_the_wrong_way_round_fail_with_the_reason(service: Service) -> None:
    bisect = start(service, good=5, bad=2)
    bench(service, 3).work_all()
    found = result(service, bisect)
    assert found["state"] == "failed"
    assert "older commit first" in found["message"]


@pytest.mark.usefixtures("line")
def test_only_developers_ask(service: Service) -> None:
    expected = {"good": sha(0), "bad": sha(3), "scenario": "sfc_a"}
    assert service.client.post("/api/v1/projects/demo/bisections", json=expected).status_code == 401
    assert service.post("/projects/demo/bisections", "upload", 403, expected)


@pytest.mark.usefixtures("line")
def test_a_scenario_nobody_has_heard_of_is_refused(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    expected = {"good": sha(0), "bad": sha(4), "scenario": "typo"}
    error = service.post("/projects/demo/bisections", "admin", 422, expected)["error"]
    assert error["message"] == "No run has a scenario 'typo'; known are sfc_a."
