# SPDX-License-Identifier: Apache-2.0
"""A maintainer accepts what a pull request's run found: its status, its bound, the commit that it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from nalm_core.report.own_metrics import OwnMetric
from nalm_core.verdict.metric_change import MetricChange
from nalm_core.verdict.verdict import Verdict
from nalm_server.alerts import acceptance
from nalm_server.alerts.rules import expectations
from nalm_server.alerts.rules.models import ExpectationRow
from nalm_server.auth.access.project_repository import find
from nalm_server.git.commits.order import record
from nalm_server.jobs.models import JobRow
from nalm_server.jobs.schemas import JobReason, JobState
from nalm_server.jobs.service import enqueue, move
from nalm_server.notify.forges.current_state import comment_of, status_of
from nalm_server.notify.forges.job_status import JobSaid, Said, conclude
from nalm_server.notify.forges.protocol import ForgeState, Status
from nalm_server.results.acceptance import judged
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha

pytestmark = pytest.mark.dialects

HEAD, MERGED = 7, 8
WHY = {"why": "the keys are twice as long"}


def topic(service: Service, run: int = 1, nat: float = 200.0, metrics: Sequence[OwnMetric] = ()) -> str:
    """A run of a pull request's head against a commit of the default branch; the address to accept it."""
    with service.context.sessions() as session:
        project = find(session, "demo")
        assert project is not None
        head = record(session, project.id, sha(HEAD), sha(0), listed=False)
        given = {"reason": JobReason.PULL_REQUEST, "why": "opened", "pull_request": 3}
        job = enqueue(session, head, sha(0), now=service.clock(), **given)
        job.fence = 1
        for state in (JobState.LEASED, JobState.MEASURING):
            move(session, job, state, service.clock(), "test")
        session.commit()
        number = job.id
    report = make_report(run, base=0, head=HEAD, head_costs={"nat": nat})
    report = report.model_copy(update={"own_metrics": list(metrics)})
    service.upload(body_of(report), token="agent", job_id=number, fence=1)
    with service.context.sessions() as session:
        move(session, session.get_one(JobRow, number), JobState.DONE, service.clock(), "test")
        session.commit()
    return f"/runs/{report.run_id}/acceptance"


def status(service: Service) -> Status:
    with service.context.read_sessions() as session:
        project = find(session, "demo")
        assert project is not None
        found = status_of(session, project, sha(HEAD), "http://nalm")
    assert found is not None
    return found


def comment(service: Service) -> str:
    with service.context.read_sessions() as session:
        project = find(session, "demo")
        assert project is not None
        found = comment_of(session, project, 3, "http://nalm")
    assert found is not None
    return found.body


def test_the_comment_says_who_accepted_it_and_why(service: Service) -> None:
    address = topic(service)
    assert "Accepted" not in comment(service)
    service.post(address, "admin", 200, {**WHY, "bound": 1.01})
    assert "Accepted" not in comment(service), "the finding is larger"
    shown = service.post(address, "admin", 200, WHY)
    (one,) = shown["expectations"]
    said = comment(service).splitlines()[1]
    assert said == f"Accepted in `{one['scenario']}` by `{one['who']}`: {WHY['why']}"
    assert "regressed" in comment(service)


def test_an_accepted_finding_is_a_success_with_its_reason(service: Service) -> None:
    address = topic(service)
    assert service.get("/projects/demo/alerts") == []
    before = service.get(address)
    assert (before["possible"], before["accepted"], before["expectations"]) == (True, False, [])
    assert status(service).state is ForgeState.FAILURE
    found = service.post(address, "admin", 200, WHY)
    (one,) = found["expectations"]
    assert found["accepted"] and found == service.get(address)
    assert (one["metric"], one["reason"], one["source"], one["sha"]) == (
        "cpp",
        WHY["why"],
        "triage",
        sha(HEAD),
    )
    assert 1.1 < one["bound"] < 1.3 and one["who"]
    now = status(service)
    assert now.state is ForgeState.SUCCESS and now.text.startswith("accepted: regressed")
    assert [row["id"] for row in service.get("/projects/demo/expectations")] == [one["id"]]
    (entry,) = [row for row in service.request("GET", "/audit", "admin") if row["action"] == "run.accept"]
    assert entry["detail"] == WHY["why"]


def test_more_than_was_accepted_stays_a_failure(service: Service) -> None:
    address = topic(service)
    shown = service.post(address, "admin", 200, {**WHY, "bound": 1.01})
    assert (shown["possible"], shown["accepted"], shown["expectations"][0]["bound"]) == (True, False, 1.01)
    assert status(service).state is ForgeState.FAILURE
    assert service.post(address, "admin", 200, {**WHY, "bound": 3.0})["accepted"]
    assert status(service).state is ForgeState.SUCCESS


def test_the_commit_that_the_request_becomes_inherits_it(service: Service) -> None:
    service.post(topic(service), "admin", 200, WHY)
    with service.context.sessions() as session:
        project = find(session, "demo")
        assert project is not None
        merged = record(session, project.id, sha(MERGED), sha(0), None, listed=True)
        accepted = expectations.triaged(session, project.id, sha(HEAD))
        expectations.inherit(session, merged, accepted, service.clock())
        session.commit()
    service.upload(body_of(make_report(3, base=0, head=MERGED, head_costs={"nat": 200.0})))
    (alert,) = service.get("/projects/demo/alerts")
    assert (alert["state"], alert["sha"]) == ("expected", sha(MERGED))


def test_what_cannot_be_accepted_is_refused(service: Service) -> None:
    same = topic(service, nat=100.0)
    assert "there is no slower figure" in service.post(same, "admin", 409, WHY)["error"]["message"]
    report = make_report(5, base=0, head=1, head_costs={"nat": 200.0})
    service.upload(body_of(report))
    refused = service.post(f"/runs/{report.run_id}/acceptance", "admin", 409, WHY)
    assert "accept its finding on the alert" in refused["error"]["message"]
    service.post(same, "admin", 422, {"why": " "})


def own(name: str, better: str, base: float, head: float) -> OwnMetric:
    document = {
        "unit": "1",
        "every": "build",
        "exact": True,
        "source": "command",
        "margin": 0.05,
        "gates": True,
    }
    return OwnMetric.model_validate(
        {**document, "name": name, "better": better, "values": {"base": [base], "head": [head]}}
    )


def inherited(service: Service, *metrics: OwnMetric) -> str:
    """The state of the alert on the commit that the request became, whose run has these metrics."""
    with service.context.sessions() as session:
        project = find(session, "demo")
        assert project is not None
        merged = record(session, project.id, sha(MERGED), sha(0), None, listed=True)
        expectations.inherit(
            session, merged, expectations.triaged(session, project.id, sha(HEAD)), service.clock()
        )
        session.commit()
    report = make_report(3, base=0, head=MERGED)
    service.upload(body_of(report.model_copy(update={"own_metrics": list(metrics)})))
    (alert,) = service.get("/projects/demo/alerts")
    return str(alert["state"])


@pytest.mark.parametrize(("merged", "state"), [(90.0, "expected"), (50.0, "confirmed")])
def test_less_of_what_should_be_more_is_accepted_up_to_its_size(
    service: Service, merged: float, state: str
) -> None:
    address = topic(service, nat=100.0, metrics=[own("sessions", "higher", 100.0, 90.0)])
    shown = service.post(address, "admin", 200, WHY)
    assert shown["accepted"] and shown["expectations"][0]["bound"] == pytest.approx(0.9)
    assert inherited(service, own("sessions", "higher", 100.0, merged)) == state


@pytest.mark.parametrize(("better", "base", "head"), [("lower", 0.0, 12.0), ("higher", 12.0, 0.0)])
def test_a_change_from_or_to_zero_is_a_finding_of_its_own(
    service: Service, better: str, base: float, head: float
) -> None:
    counted = own("counted", better, base, head)
    address = topic(service, metrics=[counted])
    shown = service.post(address, "admin", 200, WHY)
    assert {row["metric"]: row["bound"] is None for row in shown["expectations"]} == {
        "cpp": False,
        "counted": True,
    }
    assert shown["accepted"]
    assert inherited(service, counted) == "expected"


def test_accepting_cycles_alone_does_not_accept_a_metric_that_grew_from_zero(service: Service) -> None:
    verdict = judged(
        make_report(1, base=0, head=HEAD, head_costs={"nat": 200.0}).model_copy(
            update={"own_metrics": [own("drops", "lower", 0.0, 12.0)]}
        )
    )
    assert [one.metric for one in acceptance.findings(verdict)] == ["cpp", "drops"]
    cycles = ExpectationRow(scenario="*", metric="cpp", bound=9.0, source="triage", project_id=1)
    every = ExpectationRow(scenario="*", metric="drops", bound=None, source="triage", project_id=1)
    assert acceptance.accepted_by(verdict, "sfc_a", [cycles]) is None
    assert acceptance.accepted_by(verdict, "sfc_a", [cycles, every]) is every


def said(**more: Any) -> Said:
    verdict = Verdict(outcome="same", reason="no change", summary="same", scenario="sfc_a", **more)
    return Said("sfc_a", "0" * 32, verdict)


def test_a_gating_metric_that_regressed_fails_the_status() -> None:
    memory = MetricChange(
        metric="rss", unit="bytes", better="lower", outcome="regressed", gates=True, ratio=1.4, margin=0.05
    )
    job = JobSaid(JobState.DONE, None, None)
    failed = conclude(job, [said(metrics=[memory])])
    assert failed is not None and failed[0] is ForgeState.FAILURE
    assert failed[1].startswith("rss regressed: same")
    passed = conclude(job, [said(metrics=[memory.model_copy(update={"gates": False})])])
    assert passed is not None and passed[0] is ForgeState.SUCCESS
