# SPDX-License-Identifier: Apache-2.0
"""Runs of rates and soaks: requested, measured by an agent, in histories of their own, judged, measured
again, bisected, exported."""

from __future__ import annotations

import csv
import io
from random import Random
from typing import Any

import pytest
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import dump_report
from nalm_server.auth.access.project_repository import find
from nalm_server.changepoints import tasks
from nalm_server.git.commits.order import record
from nalm_server.jobs.schemas import JobReason, JobState
from nalm_server.jobs.service import enqueue, move
from nalm_server_harness import Service
from nalm_server_line import use_line
from nalm_server_rates import RateBench, both, of_commits, rates, shifted, soak, swept, unmeasured
from nalm_server_reports import body_of, make_report, sha
from rate_runs import later, rate_run

LENGTH = 9


@pytest.fixture
def line(monkeypatch: pytest.MonkeyPatch) -> None:
    use_line(monkeypatch, LENGTH)


def history(service: Service, metric: str, name: str = "sfc_a:rate") -> Any:
    return service.get(f"/projects/demo/scenarios/{name}/history", metric=metric)


def values(
    service: Service, metric: str, name: str = "sfc_a:rate", stage: str = "chain"
) -> list[float | None]:
    found = [one["values"].get("chain") for one in history(service, metric, name)["points"]]
    return [None if one is None else one["value"] for one in found]


@pytest.mark.usefixtures("line")
def test_a_requested_job_of_rates_gives_a_history(service: Service) -> None:
    expected = {"head": sha(1), "base": sha(0), "kind": "rate"}
    job = service.post("/projects/demo/jobs", "admin", 201, expected)
    assert (job["kind"], job["scenarios"]) == ("rate", ["*:rate"])
    bench = RateBench(service, slow={sha(1)})
    old = {"host": "bench-2", "host_class": "vm-2", "capabilities": {"loads": True}}
    headers = {"Authorization": f"Bearer {service.tokens['agent']}"}
    assert service.client.post("/api/v1/agent/lease", json=old, headers=headers).status_code == 204
    bench.work_all()
    assert service.get(f"/jobs/{job['id']}")["state"] == "done"
    (p99,) = values(service, "latency_p99_ns")
    assert p99 is not None and p99 > 5000
    (ndr,) = values(service, "ndr_pps")
    assert ndr == pytest.approx(2e6, rel=0.02)
    assert history(service, "mrr_pps")["metric"]["unit"] == "packets/s"
    names = {one["name"]: one for one in service.get("/projects/demo/scenarios")}
    assert names["sfc_a:rate"]["load"] == "open"


def test_the_history_of_cycles_is_another(service: Service) -> None:
    service.upload(dump_report(rates(1, sha(0), sha(1))))
    assert service.get("/projects/demo/scenarios/sfc_a/history", status=404)
    run = service.get(f"/runs/{1:032x}")
    assert (run["scenario"], run["verdict"]["outcome"], run["trials"]) == ("sfc_a:rate", "same", 14 * 12)
    assert run["launches"] == 14


def test_distributions_losses_and_searches_of_a_run(service: Service) -> None:
    service.upload(dump_report(rates(1, sha(0), sha(1), slower=3000.0)))
    shown = service.get(f"/runs/{1:032x}/rates")
    base, head = shown["arms"]
    p99 = [side["latency"]["ns"][side["latency"]["percents"].index(99.0)] for side in (base, head)]
    assert p99[1] - p99[0] == pytest.approx(3000, rel=0.2)
    assert {one["search"]["goal"] for one in shown["searches"]} == {"ndr", "pdr"}
    service.get(f"/runs/{2:032x}/rates", status=404)


@pytest.mark.nightly
def test_a_sweep_has_both_curves_and_their_knees(service: Service) -> None:
    service.upload(dump_report(swept(1, sha(0), sha(1))))
    shown = service.get(f"/runs/{1:032x}/rates")
    base, head = shown["sweep"]["arms"]
    assert [one["pps"] for one in base["points"]] == [one["pps"] for one in head["points"]]
    least, most = head["points"][0], head["points"][-1]
    assert least["cpp"]["low"] < least["cpp"]["value"] < least["cpp"]["high"]
    assert least["cpp"]["value"] > most["cpp"]["value"] and least["cur"]["value"] < most["cur"]["value"]
    assert set(least["stages"]) == {"rx", "nat", "tx"} and least["stages"]["rx"]["cpp"]["value"] > 0
    assert (least["latency_p99_ns"], least["eipc"], least["stages"]["rx"]["ipp"]) == (None, None, None)
    assert base["knee"]["low"] < base["knee"]["pps"] < base["knee"]["high"]
    assert head["knee"]["high"] < base["knee"]["pps"] and shown["sweep"]["knee"]["high"] < 1
    assert shown["sweep"]["cpp"][0]["low"] > 1
    verdict = service.get(f"/runs/{1:032x}")["verdict"]
    moved = {m["stage"]: m for m in verdict["metrics"] if m["metric"] == "knee_pps"}
    knee = moved.pop(None)
    assert (knee["base"], knee["head"]) == (base["knee"]["pps"], head["knee"]["pps"])
    assert moved and moved.keys() <= {"rx", "nat", "tx"}
    assert all(one["head"] < one["base"] for one in moved.values())


@pytest.mark.nightly
def test_losses_at_the_load_are_not_those_of_the_sweep(service: Service) -> None:
    service.upload(dump_report(swept(1, sha(0), sha(1))))
    shown = service.get(f"/runs/{1:032x}/rates")
    assert [side["losses"] for side in shown["arms"]] == [[], []]
    assert shown["sweep"]["arms"][1]["points"][-1]["loss_ratio"]["value"] == pytest.approx(0.02, rel=0.01)


def test_a_run_without_a_sweep_has_no_curve(service: Service) -> None:
    service.upload(dump_report(rates(1, sha(0), sha(1))))
    assert service.get(f"/runs/{1:032x}/rates")["sweep"] is None


def test_a_rate_that_was_not_found_is_in_no_series_and_says_why(service: Service) -> None:
    service.upload(dump_report(unmeasured(1, sha(0), sha(1))))
    assert values(service, "ndr_pps") == [None]
    (p50,) = values(service, "latency_p50_ns")
    assert p50 is not None
    verdict = service.get(f"/runs/{1:032x}")["verdict"]
    (ndr,) = [one for one in verdict["metrics"] if one["metric"] == "ndr_pps"]
    assert (ndr["outcome"], ndr["head"]) == ("missing", None)
    assert "6 trials in a row were invalid" in ndr["reason"]


@pytest.mark.usefixtures("line")
def test_a_slower_tail_is_an_alert_that_is_measured_again(service: Service) -> None:
    bench = RateBench(service, slow={sha(number) for number in range(2, LENGTH)})
    assert not bench.work()
    for number in range(1, 4):
        service.upload(
            dump_report(rates(number, sha(number - 1), sha(number), slower=3000.0 * (number == 2)))
        )
    (found,) = service.get("/projects/demo/alerts")
    assert (found["sha"], found["scenario"], found["metric"]) == (sha(2), "sfc_a:rate", "latency_p99_ns")
    assert found["state"] == "new"
    bench.work_all()
    assert [lease["scenarios"] for lease in bench.leases] == [["sfc_a:rate"]]
    shown = service.get(f"/alerts/{found['id']}")
    assert shown["state"] == "confirmed" and "regressed again" in shown["history"][-1]["why"]


@pytest.mark.dialects
@pytest.mark.usefixtures("line")
def test_a_commit_that_takes_it_back_fixes_the_alert(service: Service) -> None:
    service.upload(dump_report(rates(1, sha(0), sha(1), slower=3000.0)))
    service.upload(dump_report(rates(2, sha(1), sha(2), slower=-3000.0)))
    (found,) = service.get("/projects/demo/alerts", state="fixed")
    assert (found["metric"], found["fixed_by_sha"]) == ("latency_p99_ns", sha(2))


@pytest.mark.usefixtures("line")
def test_a_partial_fix_says_what_remains_and_the_last_good_commit_against_it_decides(
    service: Service,
) -> None:
    service.upload(dump_report(rates(1, sha(0), sha(1))))
    service.upload(dump_report(rates(2, sha(1), sha(2), slower=3000.0)))
    service.upload(dump_report(rates(3, sha(2), sha(3), slower=-2000.0)))
    (found,) = service.get("/projects/demo/alerts", state="partly_fixed")
    (rest,) = service.get(f"/alerts/{found['id']}")["recovery"]
    assert (rest["metric"], rest["title"], rest["direct"]) == ("latency_p99_ns", "Latency p99", False)
    assert 1 < rest["low"] < rest["remains"] < rest["high"] < rest["lost"]
    service.upload(dump_report(rates(4, sha(1), sha(3))))
    shown = service.get(f"/alerts/{found['id']}")
    (rest,) = shown["recovery"]
    assert (shown["state"], rest["direct"], rest["run_id"]) == ("fixed", True, f"{4:032x}")
    assert rest["remains"] == pytest.approx(1, abs=0.02)
    assert "Latency p99: recovered " in shown["reason"]


@pytest.mark.nightly
@pytest.mark.dialects
@pytest.mark.usefixtures("line")
def test_one_that_is_not_seen_again_is_dismissed(service: Service) -> None:
    bench = RateBench(service, slow=())
    assert not bench.work()
    service.upload(dump_report(rates(1, sha(0), sha(1), slower=3000.0)))
    bench.work_all()
    (found,) = service.get("/projects/demo/alerts", state="dismissed")
    assert found["metric"] == "latency_p99_ns"


@pytest.mark.nightly
@pytest.mark.usefixtures("line")
def test_a_bisection_finds_the_commit(service: Service) -> None:
    expected = {"good": sha(0), "bad": sha(LENGTH - 1), "scenario": "sfc_a:rate"}
    bisect = int(service.post("/projects/demo/bisections", "admin", 201, expected)["id"])
    RateBench(service, slow={sha(number) for number in range(5, LENGTH)}).work_all()
    found = service.get(f"/bisections/{bisect}")
    assert (found["state"], found["high_sha"], found["direction"]) == ("found", sha(5), "regressed")


@pytest.mark.parametrize("other", ["lower", pytest.param("missing", marks=pytest.mark.nightly)])
@pytest.mark.usefixtures("line")
def test_an_alert_is_measured_again_by_its_own_figure(service: Service, other: str) -> None:
    """p99 is the same in the second run; full load is 10 % lower in it, or NDR could not be found."""
    second = both(lower=True) if other == "lower" else unmeasured(1, sha(0), sha(1))
    bench = RateBench(service, slow=(), measured=lambda base, head: second)
    assert not bench.work()
    service.upload(dump_report(rates(1, sha(0), sha(1), slower=3000.0)))
    bench.work_all()
    (found,) = service.get("/projects/demo/alerts", state="dismissed")
    assert found["metric"] == "latency_p99_ns"
    confirming = service.get(f"/alerts/{found['id']}")["confirming"]
    (measured,) = confirming["measurements"]
    assert (measured["metric"], measured["outcome"]) == ("latency_p99_ns", "same")
    assert 0.9 < measured["ratio"] < 1.1 and "Latency p99" in measured["why"]
    assert "Latency p99 of sfc_a:rate: same when measured again on bench-1" in confirming["why"]


def lower_from_3_and_later_from_6(base: str, head: str) -> RunReport:
    place = [sha(number) for number in range(LENGTH)].index
    first, last = place(base), place(head)
    return both(lower=first < 3 <= last, later_tail=first < 6 <= last)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("metric", "culprit", "message"),
    [
        pytest.param(None, 3, " regressed sfc_a:rate.", marks=pytest.mark.nightly),
        ("latency_p99_ns", 6, " regressed Latency p99 of sfc_a:rate."),
    ],
)
@pytest.mark.usefixtures("line")
def test_a_bisection_can_search_for_one_figure(
    service: Service, metric: str | None, culprit: int, message: str
) -> None:
    expected = {"good": sha(0), "bad": sha(LENGTH - 1), "scenario": "sfc_a:rate", "metric": metric}
    bisect = service.post("/projects/demo/bisections", "admin", 201, expected)
    assert bisect["metric"] == metric
    RateBench(service, slow=(), measured=lower_from_3_and_later_from_6).work_all()
    found = service.get(f"/bisections/{bisect['id']}")
    assert (found["state"], found["high_sha"]) == ("found", sha(culprit))
    assert found["message"].endswith(message)


@pytest.mark.nightly
@pytest.mark.usefixtures("line")
def test_a_push_of_several_commits_is_bisected_by_the_figure_of_its_alert(service: Service) -> None:
    bench = RateBench(service, slow=(), measured=lower_from_3_and_later_from_6)
    for base, head in ((2, 3), (3, LENGTH - 1)):
        pair = {"base": sha(base), "head": sha(head), "kind": "rate", "scenarios": ["sfc_a"]}
        service.post("/projects/demo/jobs", "admin", 201, pair)
        bench.work_all()
    (bisect,) = service.get("/projects/demo/bisections")
    assert (bisect["metric"], bisect["state"], bisect["high_sha"]) == ("latency_p99_ns", "found", sha(6))
    confirmed = service.get("/projects/demo/alerts", state="confirmed")
    found = {one["sha"]: one["metric"] for one in confirmed}
    assert found.keys() == {sha(3), sha(6)} and found[sha(6)] == "latency_p99_ns"


@pytest.mark.usefixtures("line")
def test_a_bisection_of_an_unknown_figure_names_those_of_the_runs(service: Service) -> None:
    requested = {"good": sha(0), "bad": sha(8), "scenario": "sfc_a:rate", "metric": "latency_max_ns"}
    service.upload(dump_report(rates(1, sha(0), sha(1))))
    refused = str(service.post("/projects/demo/bisections", "admin", 422, requested))
    assert "'latency_max_ns'" in refused and "mrr_pps, ndr_pps, " in refused
    assert refused.count("latency_max_ns") == 1, "it belongs to single packets: no comparison decides it"


def test_a_leak_is_an_alert_of_the_soak(service: Service) -> None:
    service.upload(dump_report(soak(1, sha(0), sha(1))))
    service.upload(dump_report(soak(2, sha(1), sha(2), leak=4.0)))
    (found,) = service.get("/projects/demo/alerts")
    assert (found["sha"], found["scenario"], found["metric"]) == (sha(2), "sfc_a:soak", "buffers_growth")
    assert values(service, "buffers_growth", "sfc_a:soak") == [
        pytest.approx(0, abs=0.1),
        pytest.approx(4, abs=0.3),
    ]
    assert len(service.get(f"/runs/{2:032x}/rates")["arms"][1]["soak"]) == 60


def test_exports(service: Service) -> None:
    service.upload(dump_report(unmeasured(1, sha(0), sha(1))))
    path = "/api/v1/projects/demo/export"
    answer = service.client.get(path, params={"table": "rates", "metric": "ndr_pps"})
    (row,) = csv.DictReader(io.StringIO(answer.text))
    assert (row["commit"], row["outcome"], row["of_head"]) == (sha(1), "missing", "")
    answer = service.client.get(path, params={"metric": "latency_p99_ns"})
    (row,) = csv.DictReader(io.StringIO(answer.text))
    assert (row["scenario"], row["unit"]) == ("sfc_a:rate", "ns")


@pytest.mark.usefixtures("line")
def test_a_tail_has_its_stage_in_the_alert_and_the_export(service: Service) -> None:
    tail = rate_run(waits=later(9000, 0.97, 0.999), packets=1_000, pauses={"nat": 900.0})
    service.upload(dump_report(of_commits(tail, 1, sha(0), sha(1))))
    (found,) = service.get("/projects/demo/alerts")
    assert (found["metric"], found["stage"]) == ("latency_p99_ns", "nat")
    (verdict,) = service.get(f"/projects/demo/commits/{sha(1)}")["verdicts"]
    assert verdict["stage"] == "nat"
    path, params = "/api/v1/projects/demo/export", {"table": "rates", "metric": "latency_p99_ns"}
    rows = list(csv.DictReader(io.StringIO(service.client.get(path, params=params).text)))
    assert [(row["stage"], row["outcome"], row["of_head"] == "") for row in rows] == [
        ("", "regressed", False),
        ("nat", "regressed", True),
    ]
    assert rows[1]["reason"].startswith("calls of at least ")


def test_a_schedule_of_rates(service: Service) -> None:
    expected = {"name": "rates", "cron": "0 1 * * *", "kind": "rate", "scenarios": ["sfc_a"]}
    made = service.post("/projects/demo/schedules", "admin", 201, expected)
    assert (made["kind"], made["scenarios"]) == ("rate", ["sfc_a:rate"])
    plain = service.post("/projects/demo/schedules", "admin", 201, {"name": "c", "cron": "0 1 * * *"})
    assert (plain["kind"], plain["scenarios"]) == ("cycles", None)


@pytest.mark.nightly
@pytest.mark.parametrize(("ndr", "p99"), [(0.93, 1.3), (1.07, 0.7)])
def test_a_step_between_measured_commits_is_found_in_the_history(
    service: Service, ndr: float, p99: float
) -> None:
    """Every second commit is measured, against its parent: no pair spans the step at commit 30."""
    noise = Random(2)
    for number in range(1, 23):
        there = number >= 15
        factors = {
            name: (by if there else 1.0) * (1 + noise.gauss(0, 0.001))
            for name, by in (("ndr_pps", ndr), ("latency_p99_ns", p99), ("mrr_pps", 1.0))
        }
        service.upload(dump_report(shifted(rates(number, sha(2 * number - 1), sha(2 * number)), factors)))
    tasks.drain(service.context)
    found = {one["metric"]: one for one in service.get("/projects/demo/change-points")}
    assert set(found) == {"ndr_pps", "latency_p99_ns"}
    worse = ndr < 1
    for name, by in (("ndr_pps", ndr), ("latency_p99_ns", p99)):
        one = found[name]
        assert (one["sha"], one["low_sha"], one["scenario"]) == (sha(30), sha(28), "sfc_a:rate")
        assert one["ratio"] == pytest.approx(by, rel=0.01)
        assert one["direction"] == ("worse" if worse else "better")
        assert one["significant"] and one["large"] and one["relevant"]
    alerts = service.get("/projects/demo/alerts")
    assert [(one["sha"], one["scenario"]) for one in alerts] == [(sha(30), "sfc_a:rate")] * worse
    shown = history(service, "latency_p99_ns")
    assert [one["sha"] for one in shown["change_points"]] == [sha(30)]


def test_a_push_whose_job_measures_rates_too(service: Service) -> None:
    """As `rates.with_jobs = ["push"]` makes the agent do: one job, two histories, one alert."""
    with service.context.sessions() as session:
        project = find(session, "demo")
        assert project is not None
        head = record(session, project.id, sha(1), sha(0))
        job = enqueue(session, head, sha(0), reason=JobReason.PUSH, why="push", now=service.clock())
        job.fence = 1
        for state in (JobState.LEASED, JobState.MEASURING):
            move(session, job, state, service.clock(), "test")
        session.commit()
        of = {"job_id": job.id, "fence": 1}
    service.upload(body_of(make_report(1, base=0, head=1)), token="agent", **of)
    service.upload(dump_report(rates(2, sha(0), sha(1), slower=3000.0)), token="agent", **of)
    service.post(f"/agent/jobs/{of['job_id']}/finish", "agent", 200, {"fence": 1, "outcome": "done"})
    commit = service.get(f"/projects/demo/commits/{sha(1)}")
    found = {one["scenario"]: one["outcome"] for one in commit["verdicts"]}
    assert found == {"sfc_a": "same", "sfc_a:rate": "regressed"}
    (alert,) = service.get("/projects/demo/alerts")
    assert (alert["sha"], alert["metric"], alert["scenarios"]) == (sha(1), "latency_p99_ns", ["sfc_a:rate"])
    (week,) = service.get("/projects/demo/weeks")["weeks"]
    assert (week["overall"]["averaged"], week["overall"]["regressed"], week["overall"]["same"]) == (1, 1, 1)


def test_a_report_whose_name_and_content_differ_is_refused(service: Service) -> None:
    wrong = rates(1, sha(0), sha(1), name="sfc_a")
    answer = service.upload(dump_report(wrong), status=422)
    assert "$.scenario.name" in str(answer)
