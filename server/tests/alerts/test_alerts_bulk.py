# SPDX-License-Identifier: Apache-2.0
"""Triage of many alerts: filters and counts on the server, one change for several."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from nalm_server.auth.access.project_repository import find
from nalm_server.auth.tokens import service as tokens
from nalm_server.git.commits.order import CommitInfo, record
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha

pytestmark = pytest.mark.dialects

COMMITS = {
    2: ("nat: longer keys", "Ada Moreau", {"nat": 200.0}),
    4: ("l3fwd: deeper tables", "Bo Lindqvist", {"l3fwd": 90.0}),
    6: ("nat: count flows", "Ada Moreau", {"nat": 190.0}),
}


@pytest.fixture
def alerts(service: Service) -> Service:
    """Three alerts, the oldest two days before the others."""
    for number, (subject, author, costs) in COMMITS.items():
        with service.context.sessions() as session:
            project = find(session, "demo")
            assert project is not None
            record(session, project.id, sha(number), sha(number - 1), CommitInfo(subject, author, None))
            session.commit()
        service.upload(body_of(make_report(number, head_costs=costs)))
        if number == min(COMMITS):
            service.clock.pass_seconds(2 * 86_400)
    return service


def heads(service: Service, **params: Any) -> set[int]:
    known = {sha(number): number for number in COMMITS}
    return {known[one["sha"]] for one in service.get("/projects/demo/alerts", **params)}


def test_filters_by_stage_author_text_and_age(alerts: Service) -> None:
    assert heads(alerts, stage="nat") == {2, 6}
    assert heads(alerts, author="lindq") == {4}
    assert heads(alerts, text="nat ada") == {2, 6}
    assert heads(alerts, text="sfc_a keys") == {2}
    assert heads(alerts, text=sha(4)[:8]) == {4}
    day_ago = (alerts.clock() - timedelta(days=1)).isoformat()
    assert heads(alerts, since=day_ago) == {4, 6}
    assert heads(alerts, until=day_ago) == {2}
    alerts.get("/projects/demo/alerts", 422, text=" ")


def test_counts_tell_what_the_filters_offer(alerts: Service) -> None:
    facets = alerts.get("/projects/demo/alerts/facets")
    assert facets == {
        "states": {"new": 3},
        "stages": {"nat": 2, "l3fwd": 1},
        "authors": {"Ada Moreau": 2, "Bo Lindqvist": 1},
        "assignees": {},
    }
    assert alerts.get("/projects/demo/alerts/facets", author="Bo")["stages"] == {"l3fwd": 1}


def ids(service: Service) -> list[int]:
    return sorted(one["id"] for one in service.get("/projects/demo/alerts"))


def test_one_change_is_applied_to_all_that_may_take_it(alerts: Service) -> None:
    first, second, third = ids(alerts)
    done = {"state": "acknowledged", "why": "taken up"}
    alerts.post(f"/alerts/{first}/state", "admin", 200, done)
    expected = {"alerts": [first, second, third, 999, second], "change": done}
    result = alerts.post("/projects/demo/alerts/bulk", "admin", 200, expected)
    assert result["changed"] == [second, third]
    assert [one["alert"] for one in result["refused"]] == [first, 999]
    assert "no alert 999" in result["refused"][1]["message"]
    assert {one["state"] for one in alerts.get("/projects/demo/alerts")} == {"acknowledged"}
    steps = alerts.get(f"/alerts/{second}")["history"]
    assert [one["state"] for one in steps] == ["new", "acknowledged"]


def test_what_one_alert_refuses_is_not_half_done(alerts: Service) -> None:
    first, second, _ = ids(alerts)
    expected = {
        "alerts": [first, second],
        "change": {"state": "expected", "why": "planned", "bound": 0.5},
        "assign": {"assignee": None},
    }
    result = alerts.post("/projects/demo/alerts/bulk", "admin", 200, expected)
    assert result["changed"] == [] and len(result["refused"]) == 2
    assert alerts.get("/projects/demo/expectations") == []
    assert {one["state"] for one in alerts.get("/projects/demo/alerts")} == {"new"}


def test_bulk_changes_need_a_change_and_the_role(alerts: Service) -> None:
    one = {"alerts": ids(alerts)[:1]}
    assert (
        "nothing to change"
        in alerts.post("/projects/demo/alerts/bulk", "admin", 422, one)["error"]["message"]
    )
    change = {**one, "change": {"state": "acknowledged", "why": "x"}}
    alerts.request("POST", "/projects/demo/alerts/bulk", None, 401, json=change)
    alerts.post("/projects/demo/alerts/bulk", "admin", 422, {"alerts": [], "change": change["change"]})


def undone(service: Service, numbers: list[int], token: str = "admin") -> Any:
    return service.post("/projects/demo/alerts/undo", token, 200, {"alerts": numbers})


DECISIONS: list[dict[str, Any]] = [
    {"state": "acknowledged", "why": "taken up"},
    {"state": "expected", "why": "planned", "bound": 1.5},
    {"state": "false_alarm", "why": "the host was noisy"},
    {"state": "fixed", "why": "reverted", "fixed_by": sha(6)},
]


@pytest.mark.nightly
@pytest.mark.parametrize("decision", DECISIONS, ids=lambda one: one["state"])
def test_a_decision_is_undone_with_all_that_it_did(alerts: Service, decision: dict[str, Any]) -> None:
    first, second, third = ids(alerts)

    def seen() -> dict[str, Any]:
        shown = {one: alerts.get(f"/alerts/{one}") for one in (first, second)}
        for one in shown.values():
            del one["updated_at"], one["history"]
        rules = {name: alerts.get(f"/projects/demo/{name}") for name in ("floors", "expectations")}
        return {**shown, **rules, "open": alerts.get("/projects/demo")["alerts_open"]}

    before = seen()
    request = {"alerts": [first, second], "change": decision, "assign": {"assignee": None}}
    assert alerts.post("/projects/demo/alerts/bulk", "admin", 200, request)["refused"] == []
    assert seen() != before
    alerts.clock.pass_seconds(60)
    result = undone(alerts, [first, second, third])
    assert result["changed"] == [second, first]
    assert [one["message"] for one in result["refused"]] == [f"Alert {third} has no change to undo."]
    assert seen() == before
    steps = alerts.get(f"/alerts/{first}")["history"]
    assert [one["state"] for one in steps] == ["new", decision["state"], "new"]
    assert steps[-1]["why"] == f"undone: {decision['state']}"


def test_an_earlier_floor_and_bound_come_back(alerts: Service) -> None:
    (first, *_) = ids(alerts)
    for decision in (
        DECISIONS[1],
        {"state": "false_alarm", "why": "noise"},
        {"state": "reopened", "why": "real"},
    ):
        alerts.post(f"/alerts/{first}/state", "admin", 200, decision)
        floors = alerts.get("/projects/demo/floors")
        alerts.clock.pass_seconds(5)
        assert undone(alerts, [first])["changed"] == [first]
        if decision["state"] == "reopened":
            assert floors == [] and alerts.get("/projects/demo/floors") != []
        else:
            alerts.post(f"/alerts/{first}/state", "admin", 200, decision)
    assert [one["bound"] for one in alerts.get("/projects/demo/expectations")] == [1.5]
    assert alerts.get(f"/alerts/{first}")["state"] == "false_alarm"


def test_only_the_last_change_is_undone_by_its_author_and_soon(alerts: Service) -> None:
    first, second, third = ids(alerts)
    for one in (first, second, third):
        alerts.post(f"/alerts/{one}/state", "admin", 200, DECISIONS[0])
    with alerts.context.sessions() as session:
        alerts.tokens["other"] = tokens.issue(session, tokens.Scope.ADMIN, "other", alerts.clock())
        session.commit()
    assert "only they can undo it" in undone(alerts, [first], "other")["refused"][0]["message"]
    alerts.clock.pass_seconds(1)
    alerts.post(f"/alerts/{first}/state", "other", 200, {"state": "fixed", "why": "done"})
    assert undone(alerts, [first], "other")["changed"] == [first]
    assert alerts.get(f"/alerts/{first}")["state"] == "acknowledged"
    assert "no change" in undone(alerts, [first], "other")["refused"][0]["message"]
    alerts.clock.pass_seconds(601)
    assert "older than 10 minutes" in undone(alerts, [second])["refused"][0]["message"]
    alerts.request("POST", "/projects/demo/alerts/undo", None, 401, json={"alerts": [second]})
