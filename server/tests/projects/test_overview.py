# SPDX-License-Identifier: Apache-2.0
"""All projects at a glance: what is open, what changed since then, what waits; only what one may read."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from nalm_server.alerts.weeks import tasks
from nalm_server.git.commits.order import CommitInfo, record
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report, sha

pytestmark = pytest.mark.dialects

NAT = (150.0, 165.0, 200.0)
"""What nat costs at commit 0, 1 and 2."""


def slower(service: Service, number: int) -> None:
    before, after = ({**COSTS, "nat": NAT[one]} for one in (number - 1, number))
    report = make_report(number, base=number - 1, head=number, base_costs=before, head_costs=after)
    service.upload(body_of(report))


def overview(service: Service, token: str | None = None, **params: Any) -> dict[str, Any]:
    return dict(service.request("GET", "/overview", token, params=params))


def test_open_alerts_are_ordered_by_severity_and_suspected_ones_are_not_reported(service: Service) -> None:
    slower(service, 1)
    slower(service, 2)
    assert overview(service)["alerts"] == []
    service.confirm_alerts()
    found = overview(service)
    assert [one["sha"] for one in found["alerts"]] == [sha(2), sha(1)]
    assert found["alerts_open"] == service.get("/projects/demo")["alerts_open"] == 2


def test_each_alert_that_moved_since_then_is_reported_once_by_its_last_step(service: Service) -> None:
    slower(service, 1)
    slower(service, 2)
    service.confirm_alerts()
    seen = overview(service)
    assert seen["changed"] == 2
    assert [one["state"] for one in seen["changes"]] == ["confirmed", "confirmed"]
    service.clock.pass_seconds(60)
    number = seen["alerts"][0]["id"]
    for state in ("acknowledged", "fixed"):
        service.post(f"/alerts/{number}/state", "admin", 200, {"state": state, "why": "it is mended"})
    (one,) = overview(service, since=service.clock().isoformat())["changes"]
    assert (one["alert"]["id"], one["state"], one["why"]) == (number, "fixed", "it is mended")
    service.clock.pass_seconds(60)
    later = overview(service, since=service.clock().isoformat())
    assert (later["changes"], later["changed"], later["judged"]) == ([], 0, [])


def test_runs_are_counted_by_what_is_shown_of_their_verdict(service: Service) -> None:
    slower(service, 1)
    for number in (2, 3):
        service.upload(body_of(make_report(number)))
    assert overview(service)["judged"] == [
        {"project": "demo", "display": "regressed", "runs": 1},
        {"project": "demo", "display": "same", "runs": 2},
    ]


def test_a_trend_is_the_product_of_weeks_as_stored(service: Service) -> None:
    slower(service, 1)
    assert overview(service)["trends"] == [], "the week is not computed yet"
    tasks.drain(service.context)
    (trend,) = overview(service)["trends"]
    assert (trend["project"], [one["week"] for one in trend["points"]]) == ("demo", ["2026-W47"])
    assert trend["points"][0]["level"] == pytest.approx(ratio_of(1), rel=1e-3)
    service.clock.pass_seconds(7 * 24 * 3600)
    with service.context.sessions() as session:
        record(session, 1, sha(2), sha(1), CommitInfo("nat: slower again", None, service.clock()))
        session.commit()
    slower(service, 2)
    tasks.drain(service.context)
    (trend,) = overview(service)["trends"]
    assert [one["week"] for one in trend["points"]] == ["2026-W47", "2026-W48"]
    assert trend["points"][1]["level"] == pytest.approx(ratio_of(2), rel=1e-3)
    service.clock.pass_seconds(12 * 7 * 24 * 3600)
    (trend,) = overview(service)["trends"]
    assert [one["level"] for one in trend["points"]] == [pytest.approx(ratio_of(2) / ratio_of(1), rel=1e-3)]


def ratio_of(number: int) -> float:
    """The chain's cost at this commit, of that at commit 0."""
    return (sum(COSTS.values()) + NAT[number] - NAT[0]) / sum(COSTS.values())


def test_a_week_is_reported_by_default_and_never_more_than_90_days(service: Service) -> None:
    now = service.clock()

    def reported(**params: Any) -> str:
        return str(overview(service, **params)["since"])[:19]

    assert reported() == (now - timedelta(days=7)).isoformat()[:19]
    assert reported(since="2020-01-01T00:00:00Z") == (now - timedelta(days=90)).isoformat()[:19]


def test_a_stranger_sees_nothing_of_a_private_project(service: Service) -> None:
    slower(service, 1)
    service.confirm_alerts()
    service.post("/projects/demo/jobs", "admin", 201, {"head": sha(1), "base": sha(0)})
    tasks.drain(service.context)
    service.request("PATCH", "/projects/demo", "admin", json={"public": False})
    assert overview(service, "admin")["jobs_waiting"] >= 1
    found = overview(service)
    hidden = ("alerts", "alerts_open", "changes", "changed", "judged", "trends", "jobs_waiting")
    assert [found[name] for name in hidden] == [[], 0, [], 0, [], [], 0]
