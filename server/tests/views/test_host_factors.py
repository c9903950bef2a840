# SPDX-License-Identifier: Apache-2.0
"""Properties of hosts that move measurements, over the runs that the caller may read."""

from __future__ import annotations

from datetime import timedelta

import pytest
from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.hosts.models import HealthRow
from nalm_server.results.links import linked
from nalm_server.results.models import RunRow
from nalm_server.views.host_factors import service as host_factors
from nalm_server.views.host_factors.repository import FactorRun, Sample
from nalm_server_harness import Scenes, Service, counted
from nalm_server_reports import COSTS, STARTED, body_of, make_report
from sqlalchemy import select, update

RUNS = 36


def upload_runs(service: Service) -> None:
    """Equal commits on two hosts, of which the second costs 5 % more; a stolen CPU costs 4 %."""
    for number in range(1, RUNS + 1):
        second, stolen = number % 3 == 0, number % 4 == 1
        factor = (1.05 if second else 1.0) * (1.04 if stolen else 1.0)
        report = make_report(number, base_costs={name: cost * factor for name, cost in COSTS.items()})
        name = "bench-b" if second else "bench-a"
        host = report.host.model_copy(update={"name": name, "kernel": "6.6" if second else "6.1"})
        service.upload(body_of(report.model_copy(update={"host": host})))
    with service.context.sessions() as session:
        hosts = {row.name: row.id for row in session.scalars(select(HostRow))}
        for number, run in enumerate(session.scalars(select(RunRow).order_by(RunRow.id)), 1):
            at = STARTED + timedelta(hours=number)
            when = {"started_at": at, "finished_at": at + timedelta(seconds=40)}
            session.execute(update(RunRow).where(RunRow.id == run.id).values(when))
            steal = 0.2 if number % 4 == 1 else 0.0
            row = HealthRow(host_id=hosts["bench-b" if number % 3 == 0 else "bench-a"], at=at, kept_until=at)
            row.steal, row.load = steal, 1.0
            session.add(row)
        session.commit()


@pytest.mark.nightly
def test_the_largest_properties_have_their_size_and_advice(service: Service, scenes: Scenes) -> None:
    scenes.begin(service, "runs", upload_runs)
    found = service.request("GET", "/host-factors", "admin", params={"days": 365})
    assert found["runs"] == RUNS
    by_name = {one["name"]: one for one in found["factors"]}
    assert [by_name[name]["significant"] for name in ("host", "kernel", "steal")] == [True] * 3
    assert by_name["host"]["together"] == ["kernel"]
    (usual, other) = by_name["host"]["effects"]
    assert (usual["value"], other["value"]) == ("bench-a", "bench-b")
    assert abs(other["change"] - 0.05) < 0.01
    assert "load" not in by_name, "it never differed"
    advised = [one["name"] for one in found["factors"] if one["advice"]]
    assert set(advised) == {"host", "kernel", "steal"}
    assert found["explained"] > 0.8


def statements(service: Service, days: int) -> int:
    with counted(service) as found:
        service.request("GET", "/host-factors", "admin", params={"days": days})
    return len(found)


def test_an_answer_serves_until_a_run_or_an_hour_has_come(service: Service) -> None:
    """All runs of 90 days take seconds."""
    service.upload(body_of(make_report(1)))
    first, again = statements(service, 90), statements(service, 90)
    assert again < first / 2
    service.upload(body_of(make_report(2)))
    assert service.request("GET", "/host-factors", "admin")["runs"] == 2
    assert statements(service, 90) == again
    service.clock.pass_seconds(3600)
    assert statements(service, 90) > again


def test_many_scenarios_take_as_many_statements_as_few(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(scenarios: range) -> None:
        for number in scenarios:
            service.upload(body_of(make_report(number, scenario=f"s{number}")))

    measure(range(1, 3))
    statements(service, 90)
    few = statements(service, 91)
    measure(range(3, 9))
    statements(service, 90)
    assert statements(service, 91) == few
    monkeypatch.setattr(linked, "AT_ONCE", 3)
    split = service.request("GET", "/host-factors", "admin", params={"days": 92})
    monkeypatch.undo()
    whole = service.request("GET", "/host-factors", "admin", params={"days": 93})
    assert split | {"since": ""} == whole | {"since": ""}


@pytest.mark.parametrize(
    ("samples", "expected"),
    [
        ({-3: 0.1, 18: 0.9}, 0.1),
        ({-18: 0.9, -2: 0.8, 3: 0.1}, 0.8),
        ({-1: 0.9, 0.5: 0.1, 4: 0.8}, 0.1),
        ({-22: 0.9, 24: 0.9}, None),
        ({-19: 0.4}, 0.4),
        ({}, None),
    ],
    ids=["before", "nearest", "within", "far", "alone", "none"],
)
def test_health_is_that_of_the_sample_nearest_to_the_run(
    samples: dict[float, float], expected: float | None
) -> None:
    end = STARTED + timedelta(minutes=1)
    run = FactorRun(1, "vm-2", "cycles", "head", 1, "bench", STARTED, end, None, 1.0)
    known = [
        Sample(1, STARTED + timedelta(minutes=at), 1.0, steal, None, None) for at, steal in samples.items()
    ]
    assert host_factors.health(run, known)["steal"] == expected


@pytest.mark.nightly
def test_health_after_a_run_says_nothing_of_it(service: Service, scenes: Scenes) -> None:
    """A sample lies within each run; one 15 minutes later has the opposite."""
    scenes.begin(service, "runs", upload_runs)
    with service.context.sessions() as session:
        for row in list(session.scalars(select(HealthRow))):
            later = HealthRow(
                host_id=row.host_id, at=row.at + timedelta(minutes=15), kept_until=row.kept_until
            )
            later.steal, later.load = 0.2 - (row.steal or 0.0), 1.0
            session.add(later)
        session.commit()
    found = service.request("GET", "/host-factors", "admin", params={"days": 365})
    (steal,) = (one for one in found["factors"] if one["name"] == "steal")
    assert steal["effects"][0]["change"] == pytest.approx(0.04, abs=0.01)


@pytest.mark.nightly
def test_huge_pages_are_a_factor_of_a_host_that_ran_with_and_without(service: Service) -> None:
    for number in range(1, RUNS + 1):
        pages, factor = ("huge", 1.0) if number % 2 else ("nohuge", 1.06)
        kind = f"epyc-2c-2.6ghz-{pages}"
        costs = {name: cost * factor * (1 + 0.001 * (number % 5)) for name, cost in COSTS.items()}
        report = make_report(number, base_costs=costs, host_class=kind)
        host = report.host.model_copy(update={"name": "bench-a", "huge_pages": pages == "huge"})
        service.upload(body_of(report.model_copy(update={"host": host})))
    found = service.request("GET", "/host-factors", "admin", params={"days": 365})
    (pages,) = (one for one in found["factors"] if one["name"] == "huge_pages")
    assert pages["significant"] and pages["share"] > 0.8 and pages["advice"]
    by_value = {one["value"]: one["change"] for one in pages["effects"]}
    assert sorted(by_value) == ["off", "on"]
    assert abs(by_value["off"] - by_value["on"]) == pytest.approx(0.06, abs=0.01)


def test_few_runs_show_nothing_and_it_needs_a_sign_in(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    found = service.request("GET", "/host-factors", "admin")
    assert (found["runs"], found["factors"], found["needed"]) == (1, [], 30)
    service.request("GET", "/host-factors", None, 401)
    service.request("GET", "/host-factors", "admin", 422, params={"days": 0})
