# SPDX-License-Identifier: Apache-2.0
"""Links over distances: what is planned, what it gains, which comparisons and hosts do not fit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from nalm_server.campaigns.links import service as links
from nalm_server.campaigns.links import standing
from nalm_server.cli.links import print_report
from nalm_server.projects import service as projects
from nalm_server.results.links import backfill
from nalm_server.results.links.models import LinkValueRow
from nalm_server_harness import Scenes, Service
from nalm_server_line import Bench, use_line
from nalm_server_reports import COSTS, body_of, make_report, sha
from sqlalchemy import delete, func, select

REPORT = "/projects/demo/scenarios/sfc_a/links"
COMMITS = 21


@pytest.fixture
def bench(service: Service, scenes: Scenes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """20 commits, each measured against the one before."""
    use_line(monkeypatch, COMMITS)
    scenes.begin(service, "twenty", twenty_commits)
    yield Bench(service, {sha(number): 150.0 for number in range(COMMITS)}, {}, [])


def twenty_commits(service: Service) -> None:
    for number in range(1, COMMITS):
        service.upload(body_of(make_report(number, base_costs=COSTS)))


@pytest.mark.nightly
def test_the_report_says_what_links_over_distances_gain_and_cost(service: Service, bench: Bench) -> None:
    found = service.get(REPORT)
    assert (found["links"], found["checks"], found["misfits"]) == (COMMITS - 1, 0, [])
    assert found["seconds_each"] == 40
    assert {one["distance"] for one in found["planned"]} == {4, 16}
    first = found["planned"][0]
    assert first["distance"] == 16, "the longest gain most"
    assert first["error_after"] < first["error_before"]
    assert first["gain"] == pytest.approx(1 - (first["error_after"] / first["error_before"]) ** 2)


def test_links_are_measured_with_the_least_priority_and_enter_no_series(
    service: Service, bench: Bench
) -> None:
    before = service.get("/projects/demo/scenarios/sfc_a/history", metric="cpp", values="measured")
    created = service.post("/projects/demo/links", "admin", 201, {"scenario": "sfc_a", "most": 3})
    assert (created["state"], created["links"]) == ("planning", [])
    bench.work_all()
    done = service.get(f"/links/{created['id']}")
    assert (done["state"], done["progress"]["done"], len(done["links"])) == ("done", 3, 3)
    assert (sha(1), sha(17)) in bench.measured
    jobs = [one for one in service.get("/jobs", limit=100) if one["reason"] == "link"]
    assert {one["priority"] for one in jobs} == {10}
    assert jobs[0]["queued_for"].startswith("link over")
    after = service.get("/projects/demo/scenarios/sfc_a/history", metric="cpp", values="measured")
    assert after["points"] == before["points"]
    report = service.get(REPORT)
    assert report["checks"] >= 3
    assert (sha(1), sha(17)) not in {(one["base_sha"], one["head_sha"]) for one in report["planned"]}


def test_a_run_that_contradicts_the_others_is_named_with_its_host(service: Service, bench: Bench) -> None:
    for number, base in ((101, 4), (102, 4)):
        service.upload(body_of(make_report(number, base=base, head=5)))
    wrong = make_report(103, base=4, head=5, head_costs={"nat": 190.0})
    service.upload(body_of(wrong.model_copy(update={"host": wrong.host.model_copy(update={"name": "liar"})})))
    (misfit,) = service.get(REPORT)["misfits"]
    assert (misfit["run_id"], misfit["host"], misfit["kind"]) == (f"{103:032x}", "liar", "run")
    assert misfit["weight"] < 0.01
    history = service.get("/projects/demo/scenarios/sfc_a/history", metric="cpp", stage="chain")
    chain = [point["values"]["chain"]["value"] for point in history["points"]]
    assert max(chain) / min(chain) == pytest.approx(1, abs=0.002)


@pytest.mark.nightly
def test_the_command_enters_links_of_stored_reports_and_shows_what_more_would_gain(
    service: Service, bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    count = select(func.count()).select_from(LinkValueRow)
    with service.context.sessions() as session:
        whole = session.scalar(count)
        session.execute(delete(LinkValueRow))
        session.commit()
    for _ in backfill.fill(service.context, 1):
        pass
    with service.context.read_sessions() as session:
        assert session.scalar(count) == whole
        project = projects.require(session, "demo")
        print_report(links.report(session, project, "sfc_a", service.context.clock()))
    printed = capsys.readouterr().out
    assert "20 comparisons, 0 checked by others; one more costs 40 s" in printed
    assert "over 16 commits, error 0" in printed


def test_idle_hosts_make_so_many_comparisons_a_day(service: Service, bench: Bench) -> None:
    plan = "/projects/demo/links/plan"
    assert service.get(plan) == {"links_per_day": 0, "next_at": None, "seconds_per_day": 0}
    standing.drain(service.context)
    assert service.get("/projects/demo/links") == []
    service.request("PUT", plan, "upload", 403, json={"links_per_day": 2})
    service.request("PUT", plan, "admin", 422, json={"links_per_day": 1000})
    changed = service.request("PUT", plan, "admin", json={"links_per_day": 2})
    assert (changed["links_per_day"], changed["seconds_per_day"]) == (2, 80)
    for _ in range(2):
        standing.drain(service.context)
    (campaign,) = service.get("/projects/demo/links")
    assert (campaign["scenario"], campaign["most"]) == ("sfc_a", 2)
    assert campaign["requested_by"] == "links each day"
    bench.work_all()
    standing.drain(service.context)
    assert len(service.get("/projects/demo/links")) == 1, "one a day"
    service.clock.pass_seconds(86_400)
    standing.drain(service.context)
    assert len(service.get("/projects/demo/links")) == 2


@pytest.mark.nightly
def test_a_change_of_compiler_is_bridged_before_anything_else(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_line(monkeypatch, COMMITS)
    for number in range(1, COMMITS):
        report = make_report(number, base_costs=COSTS)
        compiler = "gcc 12.2" if number < 12 else "gcc 14.1"
        arms = {
            arm: of.model_copy(update={"build": of.build.model_copy(update={"compiler": compiler})})
            for arm, of in report.arms.items()
        }
        service.upload(body_of(report.model_copy(update={"arms": arms})))
    first, *others = service.get(REPORT)["planned"]
    assert (first["why"], first["head_sha"], first["distance"]) == ("bridge", sha(12), 4)
    assert all(one["why"] != "bridge" for one in others)


def test_a_change_of_host_is_bridged_on_both_sides_by_these_hosts_alone(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_line(monkeypatch, COMMITS)
    for number in range(1, COMMITS):
        report = make_report(number, base_costs=COSTS)
        name = "former" if number < 12 else "new"
        host = report.host.model_copy(update={"name": name})
        service.upload(body_of(report.model_copy(update={"host": host})))

    def bridges() -> list[str | None]:
        planned = service.get(REPORT)["planned"]
        found = [one for one in planned if one["why"] == "bridge"]
        assert {(one["base_sha"], one["head_sha"]) for one in found} <= {(sha(8), sha(12))}
        return [one["host"] for one in found]

    assert bridges() == [None], "neither has an agent"
    bench = Bench(service, {sha(number): 150.0 for number in range(COMMITS)}, {}, [])
    for bench.host in ("former", "new", "third"):
        bench.work_all()
    assert sorted(map(str, bridges())) == ["former", "new"]
    service.post("/projects/demo/links", "admin", 201, {"scenario": "sfc_a", "most": 2})
    for bench.host, done in (("third", 0), ("former", 1), ("former", 1), ("new", 2)):
        bench.work_all()
        assert bench.measured == [(sha(8), sha(12))] * done
    assert bridges() == []


@pytest.mark.nightly
def test_a_side_whose_host_is_offline_waits_for_a_later_plan(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_line(monkeypatch, COMMITS)
    for number in range(1, COMMITS):
        report = make_report(number, base_costs=COSTS)
        host = report.host.model_copy(update={"name": "former" if number < 12 else "new"})
        service.upload(body_of(report.model_copy(update={"host": host})))
    bench = Bench(service, {sha(number): 150.0 for number in range(COMMITS)}, {}, [], host="former")
    bench.work_all()
    service.clock.pass_seconds(3600)
    bench.host = "new"
    bench.work_all()
    created = service.post("/projects/demo/links", "admin", 201, {"scenario": "sfc_a", "most": 2})
    bench.work_all()
    done = service.get(f"/links/{created['id']}")
    assert (done["state"], done["progress"]["done"]) == ("done", 2)
    assert [(one["why"], one["host"]) for one in done["links"]] == [("bridge", "new"), ("distance", None)]


def test_a_scenario_without_a_comparison_has_nothing_to_link(service: Service) -> None:
    refused = service.post("/projects/demo/links", "admin", 404, {"scenario": "nothing"})
    assert "has no run of a scenario 'nothing'" in refused["error"]["message"]


def test_links_without_a_result_make_room_for_others_and_are_planned_again_later(
    service: Service, bench: Bench
) -> None:
    service.request("PUT", "/projects/demo/links/plan", "admin", json={"links_per_day": 2})
    failing = Bench(service, bench.costs, {sha(number): "failed" for number in range(COMMITS)}, [])
    planned = [(one["base_sha"], one["head_sha"]) for one in service.get(REPORT)["planned"]]
    for _ in range(len(planned)):
        standing.drain(service.context)
        failing.work_all()
        service.clock.pass_seconds(86_400)
    assert sorted(failing.measured) == sorted(planned), "each once"
    assert service.get(REPORT)["planned"] == []
    service.clock.pass_seconds(14 * 86_400)
    standing.drain(service.context)
    bench.work_all()
    assert sorted(bench.measured) == sorted(planned[:2])
