# SPDX-License-Identifier: Apache-2.0
"""The service judges itself: trials sent in, controls queued and taken, figures with their bounds."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from nalm_core.report.run_report import RunReport
from nalm_server.alerts import findings, lifecycle
from nalm_server.alerts import repository as alerts
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import AlertState
from nalm_server.app.application import make_app
from nalm_server.git.commits import repository as commits
from nalm_server.jobs.schemas import PRIORITY
from nalm_server.self_test import tasks
from nalm_server_access import TRIAL
from nalm_server_harness import AppClient, Service
from nalm_server_reports import COSTS, body_of, make_report, sha
from sqlalchemy.orm import Session

QUALITY = "/projects/demo/detection-quality"
DAY = 86_400.0


def trial(number: int, **given: Any) -> dict[str, Any]:
    return {**TRIAL, "key": f"{number:016x}", "measured_at": "2026-11-20T12:00:00Z", **given}


def planted(number: int, **given: Any) -> dict[str, Any]:
    mutant = {
        "kind": "mutant",
        "name": f"planted/{number}",
        "expected": "regressed",
        "category": "cache-miss",
        "size": 0.03,
        "outcome": "regressed",
        "stage_right": True,
        "cause_right": True,
    }
    return trial(number, **(mutant | given))


def send(service: Service, *trials: dict[str, Any]) -> Any:
    return service.post(f"{QUALITY}/trials", "upload", 201, {"trials": list(trials)})


def measured(service: Service, number: int = 1) -> None:
    """A commit of the default branch with a run."""
    service.upload(body_of(make_report(number)))


def control(service: Service, status: int = 200) -> Any:
    """The lease of the control that is due."""
    tasks.drain(service.context)
    return service.lease(status)


def finish(service: Service, lease: dict[str, Any], report: RunReport) -> str:
    """Uploads what came out of a lease and ends it; the job's state."""
    taken = 201 if report.status == "measured" else 200
    service.upload(body_of(report), taken, token="agent", job_id=lease["job_id"], fence=lease["fence"])
    reported = {"fence": lease["fence"], "outcome": "done"}
    state: str = service.post(f"/agent/jobs/{lease['job_id']}/finish", "agent", 200, reported)["state"]
    return state


def code_against_itself(service: Service, lease: dict[str, Any], number: int, **given: Any) -> str:
    """Measures what was leased."""
    report = make_report(number, base=lease["base_sha"], head=lease["head_sha"], **given)
    return finish(service, lease, report)


def test_with_nothing_known_nothing_is_claimed(service: Service) -> None:
    shown = service.get(QUALITY)
    sentence = "no planted change measured yet: `nalm-mutants run --upload`"
    assert shown["detection"]["all"] == {
        "hits": 0,
        "trials": 0,
        "rate": None,
        "low": 0.0,
        "high": 1.0,
        "sentence": sentence,
        "said": sentence,
    }
    assert shown["false_alarms"]["all"]["said"] == "nothing measured against itself yet"
    assert shown["delay"]["commits"] is None
    assert shown["findings"]["accepted"]["rate"] is None
    assert shown["false_discoveries"]["share"] is None
    assert shown["months"] == []
    assert (shown["controls_per_day"], shown["next_control_at"]) == (1, None)


def test_what_was_found_by_size_kind_and_scenario(service: Service) -> None:
    taken = send(
        service,
        planted(1),
        planted(2, size=0.004, outcome="same", correct=False, stage_right=None, cause_right=None),
        planted(3, size=0.004, scenario="sfc_b", cause_right=False),
        planted(4, size=None, category="lock", outcome="invalid", correct=False),
    )
    assert taken == {"new": 4, "known": 0}
    shown = service.get(QUALITY)["detection"]
    assert (shown["all"]["hits"], shown["all"]["trials"]) == (2, 4)
    assert 0 < shown["all"]["low"] < 0.5 < shown["all"]["high"] < 1
    by_size = [(one["name"], one["hits"], one["trials"]) for one in shown["by_size"]]
    assert by_size == [("0.2 to 0.5 %", 1, 2), ("2 to 5 %", 1, 1), ("not given", 0, 1)]
    assert [(one["name"], one["trials"]) for one in shown["by_category"]] == [("cache-miss", 3), ("lock", 1)]
    assert [(one["name"], one["hits"]) for one in shown["by_scenario"]] == [("sfc_a", 1), ("sfc_b", 1)]
    assert (shown["stage"]["hits"], shown["stage"]["trials"]) == (2, 2)
    assert (shown["cause"]["hits"], shown["cause"]["trials"]) == (1, 2)


@pytest.mark.dialects
def test_a_trial_is_taken_once(service: Service) -> None:
    assert send(service, trial(1), trial(2)) == {"new": 2, "known": 0}
    assert send(service, trial(2, outcome="regressed", correct=False), trial(3)) == {"new": 1, "known": 1}
    shown = service.get(QUALITY)["false_alarms"]["all"]
    assert (shown["hits"], shown["trials"]) == (0, 3)
    assert [one["name"] for one in service.get(f"{QUALITY}/trials")] == ["a-a/001"] * 3


def test_false_alarms_are_what_was_called_without_a_change(service: Service) -> None:
    equal = {"kind": "equal", "category": "rename"}
    send(
        service,
        *(trial(number) for number in range(40)),
        trial(40, outcome="inconclusive"),
        trial(41, outcome="invalid", correct=False),
        trial(42, outcome="improved", correct=False, **equal),
    )
    shown = service.get(QUALITY)["false_alarms"]
    by_kind = {one["name"]: one for one in shown["by_kind"]}
    assert by_kind["aa"]["said"] == "0 of 41: below 7.05 % at 95 %"
    assert (by_kind["equal"]["hits"], by_kind["equal"]["trials"]) == (1, 1)
    assert (shown["all"]["hits"], shown["all"]["trials"], shown["inconclusive"]) == (1, 42, 1)


def test_how_many_findings_are_false(service: Service) -> None:
    send(service, *(trial(number) for number in range(99)), trial(99, outcome="regressed", correct=False))
    for number in range(1, 11):
        slow = {"nat": COSTS["nat"] * 1.2} if number <= 2 else None
        service.upload(body_of(make_report(number, head_costs=slow)))
    shown = service.get(QUALITY)["false_discoveries"]
    assert (shown["judged"], shown["found"]) == (10, 2)
    assert shown["share"] == pytest.approx(0.01 * 10 / 2)
    assert shown["share"] < shown["at_most"] < 1


def finding(service: Service, number: int) -> None:
    """Something suspects the commit."""
    with service.context.sessions() as session:
        commit = commits.find(session, 1, sha(number))
        assert commit is not None
        moved = [findings.Moved("sfc_a", "vm-2", findings.CHAIN, "cpp", 1.2, 1.1, 1.3)]
        suspicion = findings.Suspicion(1, commit.id, None, "pair", "regression", moved)
        findings.suspect(session, suspicion, service.clock())
        session.commit()


def becomes(service: Service, number: int, *steps: Callable[[Session, AlertRow], Any]) -> None:
    """The finding of the commit lives on."""
    with service.context.sessions() as session:
        commit = commits.find(session, 1, sha(number))
        assert commit is not None
        alert = alerts.of_commit(session, commit.id)
        assert alert is not None
        for step in steps:
            step(session, alert)
        session.commit()


def test_delay_and_what_became_of_findings(service: Service) -> None:
    """Of four: two seen again, of which a person accepts one; one not seen again; one marked as false."""
    confirmed, dismissed = "seen again", "not seen again"
    for number in range(1, 6):
        measured(service, number)
        service.clock.pass_seconds(600)
        if number > 1:
            finding(service, number)
    now = service.clock()
    becomes(service, 2, lambda session, alert: findings.confirm(session, alert, confirmed, now))
    becomes(service, 3, lambda session, alert: findings.confirm(session, alert, confirmed, now))
    becomes(service, 4, lambda session, alert: findings.dismiss(session, alert, dismissed, now))
    becomes(
        service,
        2,
        lambda session, alert: lifecycle.enter(session, alert, AlertState.ACKNOWLEDGED, "mine", now, who="a"),
    )
    becomes(
        service,
        5,
        lambda session, alert: lifecycle.enter(session, alert, AlertState.FALSE_ALARM, "noise", now, who="a"),
    )
    shown = service.get(QUALITY)
    assert (shown["delay"]["commits"]["count"], shown["delay"]["commits"]["median"]) == (2, 2.5)
    assert shown["delay"]["commits"]["longest"] == 3
    assert shown["delay"]["minutes"] is None, (
        "uploaded without a job: nobody knows when it was to be measured"
    )
    assert shown["findings"]["accepted"]["said"].startswith("1 of 2")
    dismissed_share = shown["findings"]["dismissed"]
    assert (dismissed_share["hits"], dismissed_share["trials"]) == (1, 3)
    assert [(one["month"], one["accepted"]["trials"]) for one in shown["months"]] == [("2026-11", 2)]


@pytest.mark.dialects
def test_delay_in_minutes_counts_from_the_push(service: Service) -> None:
    push = {"ref": "refs/heads/main", "before": sha(1), "after": sha(2)}
    service.hook(json.dumps(push).encode(), 202)
    service.clock.pass_seconds(90)
    lease = service.lease()
    service.clock.pass_seconds(90)
    finish(service, lease, make_report(2))
    finding(service, 2)
    service.clock.pass_seconds(300)
    now = service.clock()
    becomes(service, 2, lambda session, alert: findings.confirm(session, alert, "seen again", now))
    shown = service.get(QUALITY)["delay"]
    assert shown["minutes"]["median"] == pytest.approx(8)
    assert shown["commits"]["median"] == 0


def test_prometheus_counts_trials_by_what_was_said(service: Service) -> None:
    send(service, trial(1), trial(2), trial(3, outcome="improved", correct=False))
    text = AppClient(make_app(service.context), client=("127.0.0.1", 5000)).get("/metrics").text
    assert 'nalm_quality_trials{kind="aa",outcome="same"} 2.0' in text
    assert 'nalm_quality_trials{kind="aa",outcome="improved"} 1.0' in text


def test_months_and_days_are_kept_apart(service: Service) -> None:
    send(
        service,
        planted(1, measured_at="2026-01-31T23:59:59Z"),
        planted(2, measured_at="2026-11-01T00:00:00Z", outcome="same", correct=False),
        trial(3, measured_at="2026-11-02T00:00:00Z"),
        trial(4, measured_at="2025-11-30T23:59:59Z"),
    )
    shown = service.get(QUALITY)
    months = [(one["month"], one["detection"]["trials"]) for one in shown["months"]]
    assert months == [("2026-01", 1), ("2026-11", 1)]
    assert shown["detection"]["all"]["trials"] == 1
    assert service.get(QUALITY, days=3650)["false_alarms"]["all"]["trials"] == 2
    assert service.get(QUALITY, months=13)["months"][0]["month"] == "2025-11"


def test_a_control_is_queued_once_its_share_of_the_day_is_over(service: Service) -> None:
    control(service, status=204)
    measured(service)
    service.clock.pass_seconds(DAY - 60)
    control(service, status=204)
    service.clock.pass_seconds(60)
    lease = control(service)
    assert lease["control"] is True
    assert (lease["reason"], lease["scenarios"]) == ("control", ["sfc_a"])
    assert lease["base_sha"] == lease["head_sha"] == sha(1)
    service.clock.pass_seconds(10)
    tasks.drain(service.context)
    assert len([one for one in service.get("/jobs") if one["reason"] == "control"]) == 1


def test_a_control_is_a_trial_and_no_run(service: Service) -> None:
    measured(service)
    commits = service.get("/projects/demo/commits")
    history = service.get("/projects/demo/scenarios/sfc_a/history")
    service.clock.pass_seconds(DAY)
    lease = control(service)
    assert code_against_itself(service, lease, 500) == "done"
    (found,) = service.get(f"{QUALITY}/trials")
    assert (found["kind"], found["outcome"], found["correct"]) == ("aa", "same", True)
    assert (found["job_id"], found["host"], found["has_report"]) == (lease["job_id"], "bench-1", False)
    assert found["cpp"] == pytest.approx(sum(COSTS.values()), rel=0.05)
    assert service.get("/projects/demo/commits") == commits
    assert service.get("/projects/demo/scenarios/sfc_a/history") == history
    service.get(f"/runs/{500:032x}", status=404)
    service.get(f"{QUALITY}/trials/{found['id']}/report", status=404)


@pytest.mark.dialects
def test_a_control_that_alarms_keeps_its_report_and_tells_nobody(service: Service) -> None:
    measured(service)
    service.clock.pass_seconds(DAY)
    lease = control(service)
    code_against_itself(service, lease, 500, head_costs={"nat": COSTS["nat"] * 1.2})
    (found,) = service.get(f"{QUALITY}/trials", kind="aa")
    assert (found["outcome"], found["correct"]) == ("regressed", False)
    assert service.get(f"{QUALITY}/trials/{found['id']}/report")["run_id"] == f"{500:032x}"
    shown = service.get(QUALITY)["false_alarms"]["all"]
    assert (shown["hits"], shown["trials"]) == (1, 1)
    (commit,) = service.get("/projects/demo/commits")
    assert [one["outcome"] for one in commit["verdicts"]] == ["same"]


@pytest.mark.dialects
def test_a_control_sent_twice_is_one_trial(service: Service) -> None:
    measured(service)
    service.clock.pass_seconds(DAY)
    lease = control(service)
    body = body_of(make_report(500, base=lease["base_sha"], head=lease["head_sha"]))
    of = {"token": "agent", "job_id": lease["job_id"], "fence": lease["fence"]}
    assert service.upload(body, 201, **of)["new"] is True
    assert service.upload(body, 200, **of)["new"] is False
    assert len(service.get(f"{QUALITY}/trials")) == 1


def test_an_agent_that_does_not_measure_equal_code_makes_no_trial(service: Service) -> None:
    measured(service)
    service.clock.pass_seconds(DAY)
    lease = control(service)
    assert code_against_itself(service, lease, 500, status="unchanged") == "failed"
    assert service.get(f"{QUALITY}/trials") == []


def test_commits_of_equal_code_are_measured_as_controls(service: Service) -> None:
    measured(service)
    service.upload(body_of(make_report(2, status="unchanged")))
    service.clock.pass_seconds(DAY)
    lease = control(service)
    assert (lease["base_sha"], lease["head_sha"]) == (sha(1), sha(2))
    code_against_itself(service, lease, 500)
    (found,) = service.get(f"{QUALITY}/trials")
    assert found["kind"] == "moved"  # the reports' code digests differ, their functions' do not
    service.clock.pass_seconds(DAY)
    again = control(service)
    assert again["base_sha"] == again["head_sha"] == sha(2)


def test_each_scenario_has_its_turn(service: Service) -> None:
    for number, scenario in ((1, "sfc_a"), (2, "sfc_b")):
        service.upload(body_of(make_report(number, base=0, head=1, scenario=scenario)))
    requested = []
    for number in range(3):
        service.clock.pass_seconds(DAY)
        lease = control(service)
        requested += lease["scenarios"]
        code_against_itself(service, lease, 500 + number, scenario=lease["scenarios"][0])
    assert requested == ["sfc_a", "sfc_b", "sfc_a"]


@pytest.mark.dialects
def test_how_often_is_the_maintainers_choice(service: Service) -> None:
    measured(service)
    path = f"{QUALITY}/controls"
    assert service.request("PUT", path, "admin", json={"controls_per_day": 0})
    service.clock.pass_seconds(10 * DAY)
    control(service, status=204)
    assert service.get(QUALITY)["next_control_at"] is None
    service.request("PUT", path, "admin", json={"controls_per_day": 4})
    control(service)
    assert service.get(QUALITY)["next_control_at"] is not None
    service.request("PUT", path, "admin", 422, json={"controls_per_day": 1000})
    service.request("PUT", path, status=401, json={"controls_per_day": 1})


def test_a_control_waits_for_everything_else(service: Service) -> None:
    measured(service)
    service.clock.pass_seconds(DAY)
    tasks.drain(service.context)
    (queued,) = service.get("/jobs")
    others = [place for reason, place in PRIORITY.items() if reason not in ("link", "refine")]
    assert (queued["reason"], queued["priority"]) == ("control", max(others))
    assert service.lease()["job_id"] == queued["id"]
