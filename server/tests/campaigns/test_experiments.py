# SPDX-License-Identifier: Apache-2.0
"""An experiment from the request to its cost model. Cells enter no series; the model is partial until the
last cell has a result."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_core.report.run_report import RunReport
from nalm_server.auth.access import project_repository as projects
from nalm_server.campaigns import engine
from nalm_server.campaigns.experiments import queueing
from nalm_server.campaigns.experiments.models import CellRow
from nalm_server.campaigns.experiments.spec import spec_of
from nalm_server.git.commits import repository as commits
from nalm_server.ops.retention import sweep
from nalm_server.results.cost_models import fits
from nalm_server_experiments import UNDER_LOAD, Agent, cells
from nalm_server_harness import Service
from nalm_server_line import use_line
from nalm_server_reports import body_of, make_report, sha
from sqlalchemy import select


@pytest.fixture(autouse=True)
def line(monkeypatch: pytest.MonkeyPatch) -> None:
    use_line(monkeypatch, 4)


def ask(service: Service, kind: str = "features", **more: Any) -> int:
    made = service.post("/projects/demo/experiments", "admin", 201, {"kind": kind, **more})
    assert (made["state"], made["result"], made["cells"]) == ("queued", None, 0)
    return int(made["id"])


def shown(service: Service, experiment: int) -> Any:
    engine.drain(service.context)
    return service.get(f"/experiments/{experiment}")


@pytest.mark.dialects
def test_a_cost_model_is_fitted_of_all_cells_and_none_is_in_a_series(service: Service) -> None:
    number = ask(service, revision="main")
    agent = Agent(service)
    lease = agent.lease()
    reported = lease["experiment"]
    assert (reported["id"], reported["kind"], reported["names"]) == (number, "features", [])
    assert (lease["base_sha"], lease["head_sha"], lease["reason"]) == (sha(3), sha(3), "experiment")
    first, *rest = cells(sha(3), lease["experiment"]["seed"])
    agent.send(lease, first)
    partial = shown(service, number)
    assert partial["state"] == "running" and partial["result"]["partial"]
    for report in rest:
        agent.send(lease, report)
    whole = shown(service, number)
    assert whole["state"] == "running" and not whole["result"]["partial"]
    agent.finish(lease)
    done = shown(service, number)
    assert (done["state"], done["host_class"], done["sha"]) == ("done", "vm-2", sha(3))
    (fit,) = done["result"]["fits"]
    prices = {price["feature"]: price["cycles"] for price in fit["prices"]}
    assert prices == pytest.approx({"nat": 150, "l3fwd": 60}, rel=0.02)
    assert [cell["name"] for cell in done["taken"]] == first.model_dump()["experiment"]["cells"]
    with service.context.read_sessions() as session:
        kept = fits.model_at(session, 1, "sfc_a", "vm-2", sha(3))
    assert kept is not None and kept.expected(["nat", "l3fwd"]).value == pytest.approx(260, rel=0.02)
    report = service.get(f"/experiments/{number}/cells/{done['taken'][0]['number']}/report")
    assert report["run_id"] == first.run_id
    service.get(f"/experiments/{number}/cells/999/report", status=404)
    assert service.get("/projects/demo/scenarios") == []
    assert service.get(f"/runs/{first.run_id}", status=404)
    listed = service.get("/projects/demo/experiments", kind="features")
    assert [(one["id"], one["cells"]) for one in listed] == [(number, len(rest) + 1)]
    assert service.get("/projects/demo/experiments", kind="models") == []


def test_a_job_given_out_again_goes_on_where_it_was(service: Service) -> None:
    ask(service)
    agent = Agent(service)
    lease = agent.lease()
    first, *_ = cells(sha(3), lease["experiment"]["seed"])
    agent.send(lease, first)
    assert agent.send(lease, first, status=200)["new"] is False, "twice changes nothing"
    service.clock.pass_seconds(10_000)
    again = agent.lease()
    assert (again["job_id"], again["measured"]) == (lease["job_id"], [first.scenario.name])
    late = cells(sha(3), lease["experiment"]["seed"], first_run=100)
    agent.send(lease, late[1], status=409)
    assert agent.send(again, late[0], status=200)["run_id"] == first.run_id, "one report for each cell"


def test_what_is_missing_makes_it_partial_and_what_is_unusable_says_why(service: Service) -> None:
    number = ask(service)

    def spoil(place: int, report: RunReport) -> RunReport:
        if place:
            return report
        failed = report.checks[0].model_copy(update={"passed": False, "message": "pps is off by 7 %"})
        return report.model_copy(update={"checks": [failed]})

    Agent(service).measure_all(spoil)
    found = shown(service, number)
    assert found["state"] == "done" and found["result"]["partial"]
    assert "pps is off by 7 %" in found["taken"][0]["unusable"]
    assert found["taken"][0]["ratio"] is None and found["taken"][1]["ratio"] is not None


def test_cells_of_another_host_class_take_no_part(service: Service) -> None:
    number = ask(service)
    agent = Agent(service)
    lease = agent.lease()
    first, second, *_ = cells(sha(3), lease["experiment"]["seed"])
    agent.send(lease, first)
    elsewhere = second.host.model_copy(update={"host_class": "other"})
    agent.send(lease, second.model_copy(update={"host": elsewhere}))
    taken = shown(service, number)["taken"]
    assert taken[0]["unusable"] is None
    assert taken[1]["unusable"] == "measured on other, the others on vm-2"


@pytest.mark.dialects
def test_a_job_that_fails_fails_it_and_a_retry_takes_it_up_again(service: Service) -> None:
    number = ask(service, "ablation")
    agent = Agent(service)
    lease = agent.lease()
    agent.finish(lease, "failed", message="nalm.toml has no [ablation]: there is nothing to compare")
    found = shown(service, number)
    assert (found["state"], "nothing to compare" in found["message"]) == ("failed", True)
    service.post(f"/jobs/{lease['job_id']}/retry", "admin", 200, {})
    assert shown(service, number)["state"] == "queued"


@pytest.mark.parametrize("kind", list(UNDER_LOAD))
def test_an_experiment_under_load_ends_with_its_jobs_result(service: Service, kind: str) -> None:
    number = ask(service, kind, revision="main", names=["nop"])
    agent = Agent(service)
    agent.lease(204)
    if kind == "flows":
        agent.lease(204, loads=True)
    if kind == "roles":
        agent.lease(204, loads=True, flows=True)
    lease = agent.lease(loads=True, flows=True, parameters=True)
    assert shown(service, number)["state"] == "running"
    (listed,) = service.get("/projects/demo/experiments", kind=kind)
    assert listed["state"] == "running"
    assert (lease["experiment"]["kind"], lease["experiment"]["names"]) == (kind, ["nop"])
    agent.finish(lease, under_load=UNDER_LOAD[kind])
    done = shown(service, number)
    assert (done["state"], done["host_class"], done["cells"], done["message"]) == ("done", "vm-2", 0, None)
    assert done["result"] == UNDER_LOAD[kind]
    assert agent.finish(lease, under_load=UNDER_LOAD[kind])["state"] == "done", "twice changes nothing"
    assert [one["id"] for one in service.get("/projects/demo/experiments", kind=kind)] == [number]


def test_parameters_of_a_request_reach_its_agent(service: Service) -> None:
    parameters = {"batch": [64], "loads": [0.2, 0.8], "arrivals": "cbr"}
    number = ask(service, "queue", revision="main", parameters=parameters)
    agent = Agent(service)
    agent.lease(204, loads=True, flows=True)
    assert "parameters of experiments" in service.get(f"/jobs/{shown(service, number)['job_id']}")["waiting"]
    lease = agent.lease(loads=True, parameters=True)
    for reported in (lease["experiment"]["parameters"], shown(service, number)["parameters"]):
        assert {name: reported[name] for name in parameters} == parameters
        assert (reported["ring"], reported["launches"]) == ([], None)
    body = {"kind": "queue", "revision": "main", "parameters": parameters}
    again = service.post("/projects/demo/experiments", "admin", 201, body)
    assert (again["id"], again["state"]) == (number, "running"), "the same one, under way"
    assert ask(service, "queue", revision="main") != number


@pytest.mark.parametrize(
    ("kind", "parameters", "said"),
    [
        ("queue", {"lcores": [2]}, "An experiment of kind queue has no lcores; it has arrivals, batch"),
        ("features", {"launches": 3}, "An experiment of kind features has no launches; it has none."),
        ("flows", {"loads": [0.2, 0.5]}, "has one load, not 2"),
        ("flows", {"shares": [0.2]}, "needs two shares or more"),
        ("cores", {"lcores": [0]}, "greater than or equal to 1"),
        ("queue", {"arrivals": "bursty"}, "pattern"),
    ],
)
def test_parameters_that_a_kind_does_not_have(
    service: Service, kind: str, parameters: dict[str, Any], said: str
) -> None:
    body = {"kind": kind, "parameters": parameters}
    refused = service.post("/projects/demo/experiments", "admin", 422, body)
    assert said in str(refused["error"])


@pytest.mark.dialects
def test_an_experiment_under_load_without_a_result_says_why(service: Service) -> None:
    number = ask(service, "cores")
    agent = Agent(service)
    lease = agent.lease(loads=True)
    agent.finish(lease, "failed", message="nalm.toml has no [experiments.cores]: there is nothing to measure")
    failed = shown(service, number)
    assert (failed["state"], failed["result"]) == ("failed", None)
    assert "no [experiments.cores]" in failed["message"]
    service.post(f"/jobs/{lease['job_id']}/retry", "admin", 200, {})
    again = agent.lease(loads=True)
    agent.finish(again)
    assert "uploaded no report" in shown(service, number)["message"]


def test_a_result_that_nobody_requested_is_refused(service: Service) -> None:
    ask(service, "cores")
    agent = Agent(service)
    lease = agent.lease(loads=True)
    body = {"fence": lease["fence"], "outcome": "done", "under_load": UNDER_LOAD["queue"]}
    refused = service.post(f"/agent/jobs/{lease['job_id']}/finish", "agent", 422, body)
    assert "measures no experiment of kind queue" in refused["error"]["message"]
    assert service.get(f"/jobs/{lease['job_id']}")["state"] == "leased"


@pytest.mark.dialects
def test_a_job_under_load_goes_to_a_host_that_has_the_lcores(service: Service) -> None:
    number = ask(service, "cores")
    agent, larger = Agent(service), Agent(service, "metal")
    lease = agent.lease(loads=True)
    needs = {"lcores": 5, "loads": True}
    agent.finish(lease, not_here=[{"scenario": "sfc_a", "needs": needs}])
    agent.lease(204, loads=True)
    assert "5 lcores" in service.get(f"/jobs/{lease['job_id']}")["waiting"]
    again = larger.lease(lcores=8, loads=True)
    assert again["experiment"]["id"] == number


def test_cancelled_with_its_job_whose_cells_stay(service: Service) -> None:
    number = ask(service)
    agent = Agent(service)
    lease = agent.lease()
    agent.send(lease, cells(sha(3), lease["experiment"]["seed"])[0])
    for _ in range(2):
        ended = service.post(f"/experiments/{number}/cancel", "admin", 200, None)
        assert (ended["state"], ended["cells"]) == ("cancelled", 1)
    assert service.get(f"/jobs/{lease['job_id']}")["state"] == "cancelled"
    other = ask(service)
    Agent(service).measure_all(first_run=50)
    assert shown(service, other)["state"] == "done"
    service.post(f"/experiments/{other}/cancel", "admin", 409, None)


def test_an_older_agent_is_given_none_and_the_job_says_what_it_waits_for(service: Service) -> None:
    ask(service)
    assert service.lease(204) is None, "it says nothing of itself"
    Agent(service, "vm-4").lease(204, experiments=False)
    (job,) = service.get("/jobs", project="demo")
    assert "an agent that measures experiments" in service.get(f"/jobs/{job['id']}")["waiting"]
    assert Agent(service).lease()["job_id"] == job["id"]


def test_reports_of_cells_are_taken_from_their_job_only(service: Service) -> None:
    ask(service)
    agent = Agent(service)
    lease = agent.lease()
    report, *_ = cells(sha(3), lease["experiment"]["seed"])
    service.upload(body_of(report), status=403)
    other = cells(sha(2), 1, first_run=50)[0]
    agent.send(lease, other, status=409)
    service.post("/projects/demo/jobs", "admin", 201, {"head": sha(2), "base": sha(1)})
    plain = agent.lease()
    assert plain["experiment"] is None
    agent.send(plain, other, status=422)


@pytest.mark.dialects
def test_reports_of_cells_age_out_and_what_they_say_stays(service: Service) -> None:
    number = ask(service)
    Agent(service).measure_all()
    service.clock.pass_seconds(4000 * 24 * 3600)
    sweep.drain(service.context)
    assert None not in stored_reports(service), "it is not over yet"
    found = shown(service, number)
    sweep.drain(service.context)
    assert stored_reports(service) == {None}
    assert service.get(f"/experiments/{number}")["result"] == found["result"] is not None
    answer = service.get(f"/experiments/{number}/cells/{found['taken'][0]['number']}/report", status=410)
    assert answer["error"]["name"] == "report_expired"


def stored_reports(service: Service) -> set[str | None]:
    """Digests of the cells' reports."""
    with service.context.read_sessions() as session:
        return set(session.scalars(select(CellRow.stored_digest)))


@pytest.mark.dialects
def test_a_project_whose_reference_is_set_has_its_features_measured_there(service: Service) -> None:
    service.upload(body_of(make_report(2, base=1, head=2)))
    for _ in range(2):
        service.request("PATCH", "/projects/demo", "admin", json={"reference": sha(2)})
    (job,) = service.get("/jobs", project="demo")
    assert (job["reason"], job["head_sha"], job["experiment_id"]) == ("experiment", sha(2), 1)


def test_a_reference_that_moves_has_what_was_requested_before_requested_again(service: Service) -> None:
    service.upload(body_of(make_report(2, base=1, head=2)))
    ask(service, "models", names=["sfc_a"], cell_seconds=5.0)

    def moved() -> list[tuple[str, list[str], float | None]]:
        with service.context.sessions() as session:
            project = projects.find(session, "demo")
            assert project is not None
            commit = commits.find(session, project.id, sha(2))
            assert commit is not None
            made = queueing.reference_moved(session, commit, service.clock())
            session.commit()
            specs = [spec_of(campaign) for campaign in made]
            return [(spec.kind, spec.names, spec.cell_seconds) for spec in specs]

    assert moved() == [("models", ["sfc_a"], 5.0), ("features", [], None)]
    assert moved() == [], "what is under way is not asked again"


def test_the_same_one_under_way_is_not_requested_again(service: Service) -> None:
    first = ask(service, names=["sfc_a"])
    assert ask(service, names=["sfc_a"]) == first != ask(service, names=["sfc_b"])


def test_what_nobody_knows_is_refused(service: Service) -> None:
    ask(service, revision=sha(1))
    for body, status in (
        ({"kind": "features", "revision": "nowhere"}, 404),
        ({"kind": "sizes"}, 422),
        ({"kind": "features", "cell_seconds": 0}, 422),
        ({"kind": "features", "names": ["a/b"]}, 422),
    ):
        service.post("/projects/demo/experiments", "admin", status, body)


def test_a_retry_of_an_experiment_without_a_usable_cell_measures_all_again(service: Service) -> None:
    number = ask(service)

    def spoil(_place: int, report: RunReport) -> RunReport:
        failed = report.checks[0].model_copy(update={"passed": False, "message": "no free huge pages"})
        return report.model_copy(update={"checks": [failed]})

    agent = Agent(service)
    agent.measure_all(spoil)
    found = shown(service, number)
    assert (found["state"], service.get(f"/jobs/{found['job_id']}")["state"]) == ("failed", "invalid")
    service.post(f"/jobs/{found['job_id']}/retry", "admin", 200, {})
    lease = agent.lease()
    assert lease["measured"] == []
    for report in cells(sha(3), lease["experiment"]["seed"], first_run=100):
        agent.send(lease, report)
    agent.finish(lease)
    again = shown(service, number)
    assert again["state"] == "done" and not again["result"]["partial"]
    assert all(one["unusable"] is None for one in again["taken"])
