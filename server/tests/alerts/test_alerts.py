# SPDX-License-Identifier: Apache-2.0
"""Alerts from the report to triage over HTTP, on both databases: display, decisions, floors and mutes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import NEXT, AlertState, may_become
from nalm_server.auth.access.project_repository import find
from nalm_server.auth.accounts import repository as accounts
from nalm_server.auth.tokens import service as tokens
from nalm_server.git.commits.order import CommitInfo, record
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason, JobState
from nalm_server.jobs.service import enqueue, move
from nalm_server.results.models import VerdictRow
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report, sha
from sqlalchemy import select

SLOWER = {"nat": 200.0}


def commit(service: Service, number: int, message: str) -> None:
    with service.context.sessions() as session:
        project = find(session, "demo")
        assert project is not None
        info = CommitInfo(message, "Ann <ann@example.org>", None)
        record(session, project.id, sha(number), sha(number - 1), info)
        session.commit()


def slow(service: Service, run: int, head: int, **given: Any) -> None:
    """Makes a run of commit `head` against the previous commit; by default head is slower."""
    given = {"head_costs": SLOWER} | given
    service.upload(body_of(make_report(run, base=head - 1, head=head, **given)))


def only(service: Service, **params: Any) -> dict[str, Any]:
    (found,) = service.get("/projects/demo/alerts", **params)
    return dict(found)


def say(service: Service, number: int, state: str, status: int = 200, **given: Any) -> Any:
    body = {"state": state, "why": f"it is {state}", **given}
    return service.post(f"/alerts/{number}/state", "admin", status, body)


def test_a_regression_is_one_alert_with_culprit_cause_and_evidence(service: Service) -> None:
    commit(service, 1, "nat: longer keys")
    slow(service, 1, 1, head_ipps={"nat": 400})
    service.upload(body_of(make_report(2, base=0, head=1, scenario="sfc_b")))
    found = only(service)
    assert (found["state"], found["sha"], found["after_sha"]) == ("new", sha(1), sha(0))
    assert (found["author"], found["stage"], found["cause"]) == (
        "Ann <ann@example.org>",
        "nat",
        "instructions",
    )
    assert found["low"] <= found["ratio"] <= found["high"] and found["scenarios"] == ["sfc_a"]
    shown = service.get(f"/alerts/{found['id']}")
    assert shown["scenarios_same"] == ["sfc_b"]
    assert {(one["stage"], one["run_id"]) for one in shown["moves"]} == {
        ("chain", f"{1:032x}"),
        ("nat", f"{1:032x}"),
    }
    assert shown["explanation"]["stage"] == "nat"
    assert shown["confirming"]["head_sha"] == sha(1)
    assert service.get("/projects/demo")["alerts_open"] == 0, "nobody was told yet"
    service.confirm_alerts()
    assert service.get("/projects/demo")["alerts_open"] == 1
    assert [(one["state"], one["who"], one["told"]) for one in shown["history"]] == [("new", None, False)]


@pytest.mark.dialects
def test_the_worthiest_goes_first_and_filters_hold(service: Service) -> None:
    slow(service, 1, 1)
    service.clock.pass_seconds(60)
    slow(service, 2, 5, head_costs={"nat": 165.0})
    gain = [one["sha"] for one in service.get("/projects/demo/alerts")]
    newest = [one["sha"] for one in service.get("/projects/demo/alerts", order="new")]
    assert (gain, newest) == ([sha(1), sha(5)], [sha(5), sha(1)])
    assert service.get("/projects/demo/alerts", limit=1, offset=1)[0]["sha"] == sha(5)
    assert only(service, since="2026-11-21T09:00:30Z")["sha"] == sha(5)
    assert service.get("/projects/demo/alerts", scenario="other") == []
    assert service.get("/projects/demo/alerts", state="fixed") == []


def test_pull_requests_and_other_branches_make_no_alert(service: Service) -> None:
    with service.context.sessions() as session:
        project = find(session, "demo")
        assert project is not None
        head = record(session, project.id, sha(1), sha(0), listed=False)
        given = {"reason": JobReason.PULL_REQUEST, "why": "opened", "pull_request": 3}
        job = enqueue(session, head, sha(0), now=service.clock(), **given)
        job.fence = 1
        for state in (JobState.LEASED, JobState.MEASURING):
            move(session, job, state, service.clock(), "test")
        session.commit()
        number = job.id
    body = body_of(make_report(1, base=0, head=1, head_costs=SLOWER))
    service.upload(body, token="agent", job_id=number, fence=1)
    assert service.get("/projects/demo/alerts") == []
    with service.context.read_sessions() as session:
        assert session.get_one(JobRow, number).pull_request == 3


@pytest.mark.dialects
@pytest.mark.parametrize("proposed", [True, False])
def test_an_upload_of_a_pull_request_makes_no_alert_and_is_in_no_list(
    service: Service, proposed: bool
) -> None:
    """proposed: its sender says it; else the forge has told of the pull request."""
    commit(service, 1, "nat: longer keys")
    if not proposed:
        end = {"ref": "main", "sha": sha(1), "repo": {"id": 1}}
        request = {"number": 7, "head": {**end, "ref": "topic", "sha": sha(2)}, "base": end}
        opened = {"action": "opened", "number": 7, "pull_request": request}
        service.hook(json.dumps(opened).encode(), 202, event="pull_request")
    given = {"proposed": "true"} if proposed else {}
    body = body_of(make_report(1, base=1, head=2, head_costs=SLOWER))
    assert service.upload(body, **given)["outcome"] == "regressed"
    assert service.get("/projects/demo/alerts") == []
    assert [one["sha"] for one in service.get("/projects/demo/commits")] == [sha(1)]
    commit(service, 2, "merged by a fast-forward")
    assert len(service.get("/projects/demo/commits")) == 2


def test_an_improvement_fixes_it_by_itself_and_each_is_reported_once(service: Service) -> None:
    slow(service, 1, 1)
    service.confirm_alerts()
    faster = {"base_costs": COSTS | SLOWER, "head_costs": {"nat": 150.0}}
    slow(service, 2, 4, **faster)
    slow(service, 3, 4, **faster)
    found = only(service)
    assert (found["state"], found["fixed_by_sha"]) == ("fixed", sha(4))
    history = service.get(f"/alerts/{found['id']}")["history"]
    reported = [("new", False), ("confirmed", True), ("fixed", True)]
    assert [(one["state"], one["told"]) for one in history] == reported
    slow(service, 4, 7)
    assert [one["sha"] for one in service.get("/projects/demo/alerts", state="new")] == [sha(7)]


@pytest.mark.dialects
def test_a_pair_that_sees_it_go_is_a_measured_fix_and_no_confirmation(service: Service) -> None:
    slow(service, 1, 1)
    slow(service, 2, 4, base_costs=COSTS | SLOWER, head_costs={"nat": 150.0})
    found = only(service)
    assert (found["state"], found["fixed_by_sha"]) == ("fixed", sha(4))
    assert found["confirmed_at"] is None, "it was measured once, and then its fix"
    assert found["fix_measured_at"] is not None
    history = service.get(f"/alerts/{found['id']}")["history"]
    assert [(one["state"], one["told"]) for one in history] == [("new", False), ("fixed", True)]


def test_what_a_commit_that_was_not_measured_declares_holds_for_its_range(service: Service) -> None:
    commit(service, 1, "first")
    commit(service, 2, "nat: longer keys\n\nNalm-Expect: sfc_* cpp +25% keys are longer\nNalm-Expect: x")
    commit(service, 3, "last")
    service.upload(body_of(make_report(1, base=1, head=3, head_costs=SLOWER)))
    shown = service.get(f"/alerts/{only(service, state='expected')['id']}")
    assert shown["sha"] == sha(3)
    assert [one["sha"] for one in shown["expectations"]] == [sha(2)]
    assert len(shown["mistakes"]) == 1
    assert shown["history"][0]["why"] == "within what its commits declare"


def test_what_a_commit_declares_is_expected_within_its_bound(service: Service) -> None:
    commit(service, 1, "nat: longer keys\n\nNalm-Expect: sfc_* cpp +25% keys are longer\nNalm-Expect: x")
    commit(service, 2, "nat: longer still\n\nNalm-Expect: * cpp +3% a little")
    slow(service, 1, 1)
    slow(service, 2, 2)
    expected = only(service, state="expected")
    assert expected["sha"] == sha(1)
    assert service.get(f"/alerts/{expected['id']}")["mistakes"][0].startswith("line 4, Nalm-Expect")
    beyond = only(service, state="new")
    assert (beyond["sha"], beyond["bound"]) == (sha(2), 1.03)
    assert {one["reason"] for one in service.get("/projects/demo/expectations")} == {
        "keys are longer",
        "a little",
    }


def test_a_false_alarm_teaches_visibly_and_reopening_takes_it_back(service: Service) -> None:
    slow(service, 1, 1, head_costs={"nat": 155.0})
    number = only(service)["id"]
    say(service, number, "false_alarm")
    floors = service.get("/projects/demo/floors")
    assert {one["alert_id"] for one in floors} == {number}
    assert all(0 < one["left"] <= 0.03 for one in floors)
    assert all(one["floor"] for one in service.get(f"/alerts/{number}")["moves"])
    slow(service, 2, 5, head_costs={"nat": 155.0})
    assert only(service)["id"] == number, "the same movement makes no alert again"
    say(service, number, "reopened")
    assert service.get("/projects/demo/floors") == []
    slow(service, 3, 8, head_costs={"nat": 155.0})
    assert len(service.get("/projects/demo/alerts")) == 2


@pytest.mark.dialects
def test_a_maintainer_resets_a_floor(service: Service) -> None:
    slow(service, 1, 1, head_costs={"nat": 155.0})
    say(service, only(service)["id"], "false_alarm")
    for one in service.get("/projects/demo/floors"):
        service.request("DELETE", f"/projects/demo/floors/{one['id']}", "admin", 204)
    assert service.get("/projects/demo/floors") == []
    service.request("DELETE", "/projects/demo/floors/4711", "admin", 404)


@pytest.mark.parametrize("state", AlertState)
def test_a_person_can_change_every_state_to_another_one(state: AlertState) -> None:
    offered = may_become(state)
    assert offered and set(offered) <= NEXT[state] - {AlertState.NEW, AlertState.CONFIRMED}
    assert state not in offered


@pytest.mark.dialects
def test_people_triage_and_each_step_says_who_and_why(service: Service) -> None:
    slow(service, 1, 1)
    number = only(service)["id"]
    acknowledged = say(service, number, "acknowledged")
    assert acknowledged["may_become"] == ["expected", "fixed", "false_alarm"]
    refused = say(service, number, "acknowledged", 409)
    assert "from acknowledged it can become" in refused["error"]["message"]
    service.post(f"/alerts/{number}/comments", "admin", 201, {"text": "the keys, I think"})
    service.post(f"/alerts/{number}/assign", "admin", 422, {"assignee": "nobody-here"})
    service.post("/accounts", "admin", 201, {"name": "ann"})
    service.request("PUT", "/projects/demo/people/ann", "admin", 200, json={"role": "developer"})
    assigned = service.post(f"/alerts/{number}/assign", "admin", 200, {"assignee": "ann"})
    assert assigned["assignee"] == "ann" and only(service, assignee="ann")["id"] == number
    shown = say(service, number, "expected", bound=1.5)
    assert [(one["state"], one["who"]) for one in shown["history"]][1:] == [
        ("acknowledged", "admin"),
        ("expected", "admin"),
    ]
    assert (shown["comments"][0]["text"], shown["bound"]) == ("the keys, I think", 1.5)
    slow(service, 2, 1)
    assert only(service)["state"] == "expected", "measured again it stays so"
    log = service.request("GET", "/projects/demo/audit", "admin")
    assert {"alert.state", "alert.comment", "alert.assign"} <= {one["action"] for one in log}


@pytest.mark.dialects
def test_a_mute_tells_nobody_until_it_ends(service: Service) -> None:
    target = {"scenario": "sfc_*", "why": "the host moves", "until": "2026-11-21T10:00:00Z"}
    mute = service.post("/projects/demo/mutes", "admin", 201, target)
    service.post("/projects/demo/mutes", "admin", 422, target | {"until": "2026-11-21T08:00:00Z"})
    slow(service, 1, 1)
    service.confirm_alerts()
    assert only(service)["muted"]
    assert not any(one["told"] for one in service.get(f"/alerts/{only(service)['id']}")["history"])
    assert [one["id"] for one in service.get("/projects/demo/mutes")] == [mute["id"]]
    service.clock.pass_seconds(2 * 3600)
    assert service.get("/projects/demo/mutes") == []
    slow(service, 2, 5)
    assert not only(service, state="new")["muted"]
    service.request("DELETE", f"/projects/demo/mutes/{mute['id']}", "admin", 204)
    service.request("DELETE", f"/projects/demo/mutes/{mute['id']}", "admin", 404)


@pytest.mark.dialects
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/alerts/1/state", {"state": "fixed", "why": "x"}),
        ("POST", "/alerts/1/assign", {"assignee": None}),
        ("POST", "/alerts/1/comments", {"text": "x"}),
        ("DELETE", "/projects/demo/mutes/1", None),
        ("DELETE", "/projects/demo/floors/1", None),
    ],
)
def test_readers_only_read(service: Service, method: str, path: str, body: Any) -> None:
    slow(service, 1, 1)
    with service.context.read_sessions() as session:
        assert session.scalars(select(AlertRow.id)).all() == [1]
    service.request(method, path, None, 401, json=body)
    service.request(method, path, "agent", 403, json=body)
    assert only(service)["state"] == "new"


@pytest.mark.dialects
def test_a_watch_list_is_an_accounts_own(service: Service) -> None:
    service.request("GET", "/me/alerts", None, 401)
    service.request("GET", "/me/alerts", "admin", 401)
    service.post("/accounts", "admin", 201, {"name": "ann"})
    with service.context.sessions() as session:
        ann = accounts.find(session, "ann")
        assert ann is not None
        service.tokens["ann"] = tokens.issue(
            session, tokens.Scope.MEASURE, "ann", service.clock(), account_id=ann.id
        )
        session.commit()
    commit(service, 1, "nat: longer keys")
    slow(service, 1, 1)
    assert service.request("GET", "/me/alerts", "ann") == []
    mine = service.post(
        "/me/subscriptions", "ann", 201, {"scenario": "sfc_*", "stage": "nat", "author": "Ann*"}
    )
    assert (
        service.post("/me/subscriptions", "ann", 201, {"scenario": "sfc_*", "stage": "nat", "author": "Ann*"})
        == mine
    )
    service.post("/me/subscriptions", "ann", 201, {"stage": "l3fwd"})
    (found,) = service.request("GET", "/me/alerts", "ann")
    assert found["sha"] == sha(1)
    service.request("DELETE", f"/me/subscriptions/{mine['id']}", "ann", 204)
    assert service.request("GET", "/me/alerts", "ann") == []
    assert [one["stage"] for one in service.request("GET", "/me/subscriptions", "ann")] == ["l3fwd"]


@pytest.mark.dialects
def test_an_expected_change_leaves_nothing_to_undo(service: Service) -> None:
    slow(service, 1, 1)
    number = only(service)["id"]
    say(service, number, "expected")
    slow(service, 2, 4, base_costs=COSTS | SLOWER, head_costs={"nat": 150.0})
    assert only(service)["state"] == "expected"
    with service.context.read_sessions() as session:
        verdicts = session.scalars(select(VerdictRow).order_by(VerdictRow.run_id)).all()
    assert [(one.outcome, one.fixes_sha) for one in verdicts] == [("regressed", None), ("improved", None)]
