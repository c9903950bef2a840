# SPDX-License-Identifier: Apache-2.0
"""What the newest value of a history alone shows is measured again, and becomes a change or is discarded."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from nalm_core.report.own_metrics import Threshold
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import dump_report
from nalm_server.app import workers
from nalm_server.campaigns.remeasurements import service as remeasurements
from nalm_server.changepoints import tasks
from nalm_server_findings import Rig
from nalm_server_harness import Scenes, Service
from nalm_server_line import Bench, use_line
from nalm_server_rates import RateBench, both, rates, shifted
from nalm_server_reports import COSTS, body_of, make_report, sha

LAST = 20
"""Measured commits before the newest: every second one, against its parent, so that no pair spans a step."""
HISTORY = "/projects/demo/scenarios/sfc_a/history"
LIST = "/projects/demo/remeasurements"


@pytest.fixture
def bench(service: Service, scenes: Scenes, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """Twenty commits at one level; a host has requested for work."""
    use_line(monkeypatch, 2 * LAST + 20)
    scenes.begin(service, "twenty", twenty_commits)
    yield Bench(service, {sha(number): 150.0 for number in range(2 * LAST + 20)}, {}, [])


def twenty_commits(service: Service) -> None:
    service.lease(204)
    noise = Random(3)
    for number in range(1, LAST + 1):
        measure(service, number, 150.0 * (1 + noise.gauss(0, 0.003)))
    tasks.drain(service.context)
    assert suspicions(service) == service.get(LIST) == []


def measure(service: Service, number: int, nat: float, *, first_run: int = 0, **what: Any) -> None:
    ends = {"base": 2 * number - 1, "head": 2 * number}
    report = make_report(first_run + 2 * number, base_costs={**COSTS, "nat": nat}, **ends, **what)
    service.upload(body_of(report))


def suspicions(service: Service) -> list[dict[str, Any]]:
    found = service.get("/projects/demo/change-points")
    return [one for one in found if one["state"] in ("suspected", "discarded")]


def suspect(service: Service, number: int = LAST + 1, nat: float = 165.0, **what: Any) -> dict[str, Any]:
    """The newest commit is off; its remeasurement."""
    measure(service, number, nat, **what)
    tasks.drain(service.context)
    (found, *_) = service.get(LIST)
    assert isinstance(found, dict)
    return found


@pytest.mark.nightly
def test_the_newest_value_is_measured_again_against_the_old_level(service: Service, bench: Bench) -> None:
    requested = suspect(service)
    assert (requested["state"], requested["scenario"], requested["metrics"]) == ("running", "sfc_a", ["cpp"])
    assert (requested["base_sha"], requested["head_sha"]) == (sha(2 * LAST), sha(2 * LAST + 2))
    assert {one["state"] for one in suspicions(service)} == {"suspected"}
    assert service.get("/projects/demo/alerts") == []
    tasks.drain(service.context)
    assert len(service.get(LIST)) == 1, "once for each commit"
    bench.work_all()
    assert bench.measured == [(requested["base_sha"], requested["head_sha"])]
    (job,) = service.get("/jobs")
    assert (job["reason"], job["scenarios"]) == ("suspicion", ["sfc_a"])
    assert job["priority"] > 7, "behind all that people wait for"


def test_a_suspicion_that_does_not_show_again_is_discarded(service: Service, bench: Bench) -> None:
    points = service.get(HISTORY, values="measured")["points"]
    requested = suspect(service)
    bench.work_all()
    done = service.get(f"/remeasurements/{requested['id']}")
    assert (done["state"], done["run_id"] is None) == ("discarded", False)
    assert {one["state"] for one in suspicions(service)} == {"discarded"}
    shown = service.get(HISTORY, values="measured")
    assert {one["remeasured"]["outcome"] for one in shown["change_points"]} == {"discarded"}
    assert shown["points"][: len(points)] == points, "its run is in no history"
    tasks.drain(service.context)
    assert {one["state"] for one in suspicions(service)} == {"discarded"}
    assert service.get("/projects/demo/alerts") == []
    measure(service, LAST + 2, 150.0)
    tasks.drain(service.context)
    assert suspicions(service) == [], "the value was an outlier"


def test_a_suspicion_that_shows_again_is_a_change_with_an_alert(service: Service, bench: Bench) -> None:
    bench.costs = {**bench.costs, sha(2 * LAST + 2): 165.0}
    requested = suspect(service)
    bench.work()
    tasks.drain(service.context)
    bench.work_all()
    assert service.get(f"/remeasurements/{requested['id']}")["state"] == "held"
    (alert,) = service.get("/projects/demo/alerts")
    assert (alert["sha"], alert["after_sha"]) == (sha(2 * LAST + 2), sha(2 * LAST))
    assert alert["state"] == "confirmed", "measured again as any finding"
    why = [one["why"] for one in service.get(f"/alerts/{alert['id']}")["history"]]
    assert f"the history's newest value suspected it: remeasurement {requested['id']}" in why
    points = service.get(HISTORY)["change_points"]
    assert {(one["state"], one["alert_id"]) for one in points} == {("standing", alert["id"])}
    assert {one["remeasured"]["outcome"] for one in points} == {"held"}


@pytest.mark.nightly
def test_three_values_make_a_discarded_suspicion_a_change(service: Service, bench: Bench) -> None:
    suspect(service)
    bench.work_all()
    for number in range(LAST + 2, LAST + 6):
        measure(service, number, 165.0)
        tasks.drain(service.context)
    assert suspicions(service) == []
    assert {one["state"] for one in service.get(HISTORY)["change_points"]} == {"standing"}


@pytest.mark.parametrize("queued", [True, pytest.param(False, marks=pytest.mark.nightly)])
def test_a_job_that_later_values_make_needless_is_dropped(
    service: Service, bench: Bench, *, queued: bool
) -> None:
    requested = suspect(service)
    if queued:
        workers.drain_jobs(service.context)
    assert len(service.get("/jobs")) == queued
    measure(service, LAST + 2, 150.0)
    tasks.drain(service.context)
    bench.work_all()
    assert bench.measured == []
    done = service.get(f"/remeasurements/{requested['id']}")
    assert done["state"] == "not_measured" and "later values decided" in done["message"]


@pytest.mark.nightly
def test_so_many_a_day_and_no_more(service: Service, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remeasurements, "MOST_PER_DAY", 1)
    suspect(service)
    noise = Random(4)
    for number in range(1, LAST + 2):
        nat = 165.0 if number > LAST else 150.0 * (1 + noise.gauss(0, 0.003))
        measure(service, number, nat, first_run=500, scenario="sfc_b")
    tasks.drain(service.context)
    assert [one["scenario"] for one in service.get(LIST)] == ["sfc_a"]
    service.clock.pass_seconds(86_400)
    measure(service, LAST + 2, 165.0, first_run=500, scenario="sfc_b")
    tasks.drain(service.context)
    (requested, _) = service.get(LIST)
    assert (requested["scenario"], requested["head_sha"]) == ("sfc_b", sha(2 * LAST + 2))


def test_what_a_pair_found_is_left_to_its_confirmation(service: Service, bench: Bench) -> None:
    measure(service, LAST + 1, 150.0, head_costs={"nat": 165.0})
    tasks.drain(service.context)
    assert suspicions(service) != [] and service.get(LIST) == []
    assert len(service.get("/projects/demo/alerts")) == 1


def test_a_person_cancels_it(service: Service, bench: Bench) -> None:
    requested = suspect(service)
    service.post(f"/remeasurements/{requested['id']}/cancel", "upload", 403, {})
    cancelled = service.post(f"/remeasurements/{requested['id']}/cancel", "admin", 200, {})
    assert cancelled["state"] == "cancelled"
    bench.work_all()
    assert bench.measured == []


class Watching(Rig):
    """Its reports have a threshold for the stage."""

    def _report(self, lease: dict[str, Any], outcome: str, scenario: str) -> RunReport:
        report = super()._report(lease, outcome, scenario)
        threshold = Threshold(metric="cpp", stage="nat", margin=0.5)
        return report.model_copy(update={"thresholds": [threshold]})


@pytest.mark.nightly
@pytest.mark.usefixtures("bench")
def test_a_stage_that_is_the_same_does_not_discard_a_suspicion_of_the_chain(service: Service) -> None:
    requested = suspect(service)
    Watching(service, {}, {"bench-1": "undecided"}).work_all("bench-1")
    done = service.get(f"/remeasurements/{requested['id']}")
    assert done["state"] == "undecided"
    verdict = service.get(f"/runs/{done['run_id']}")["verdict"]
    assert (verdict["outcome"], verdict["metrics"][0]["outcome"]) == ("inconclusive", "same")


@pytest.mark.nightly
@pytest.mark.parametrize("lower", [False, True])
def test_latency_is_measured_again_too(
    service: Service, monkeypatch: pytest.MonkeyPatch, lower: bool
) -> None:
    """lower: full load moves in the second run, which says nothing of latency."""
    use_line(monkeypatch, 30)
    host = RateBench(service, slow=(), measured=(lambda base, head: both(lower=True)) if lower else None)
    assert not host.work()
    noise = Random(5)
    for number in range(1, 16):
        factor = 1.3 if number == 15 else 1 + noise.gauss(0, 0.003)
        report = shifted(rates(number, sha(number - 1), sha(number)), {"latency_p99_ns": factor})
        service.upload(dump_report(report))
    tasks.drain(service.context)
    (requested,) = service.get(LIST)
    assert (requested["scenario"], requested["metrics"]) == ("sfc_a:rate", ["latency_p99_ns"])
    host.work_all()
    assert (host.leases[0]["scenarios"], host.leases[0]["head_sha"]) == (["sfc_a:rate"], sha(15))
    assert service.get(f"/remeasurements/{requested['id']}")["state"] == "discarded"
