# SPDX-License-Identifier: Apache-2.0
"""Properties of hosts that move measurements, over the runs that the caller may read."""

from __future__ import annotations

from datetime import timedelta

from nalm_server.jobs.agents.models import HostRow
from nalm_server.jobs.hosts.models import HealthRow
from nalm_server.results.models import RunRow
from nalm_server_harness import Service
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
            session.execute(update(RunRow).where(RunRow.id == run.id).values(started_at=at))
            steal = 0.2 if number % 4 == 1 else 0.0
            row = HealthRow(host_id=hosts["bench-b" if number % 3 == 0 else "bench-a"], at=at, kept_until=at)
            row.steal, row.load = steal, 1.0
            session.add(row)
        session.commit()


def test_the_largest_properties_have_their_size_and_advice(service: Service) -> None:
    upload_runs(service)
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


def test_few_runs_show_nothing_and_it_needs_a_sign_in(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    found = service.request("GET", "/host-factors", "admin")
    assert (found["runs"], found["factors"], found["needed"]) == (1, [], 30)
    service.request("GET", "/host-factors", None, 401)
    service.request("GET", "/host-factors", "admin", 422, params={"days": 0})
