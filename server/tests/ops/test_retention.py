# SPDX-License-Identifier: Apache-2.0
"""Raw reports, deliveries and logs age out by rule; runs, verdicts and series do not."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from nalm_server.base.settings import Settings
from nalm_server.db.reports.store import StoreAwayError, path_of
from nalm_server.git.refs.models import TagRow
from nalm_server.jobs.models import JobRow
from nalm_server.ops.retention import sweep
from nalm_server.ops.retention.schemas import Rules
from nalm_server.webhooks.models import DeliveryRow
from nalm_server.webhooks.signature import sign
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha
from sqlalchemy import select, update

DAY = 86_400.0
SLOW: dict[str, Any] = {"head_costs": {"nat": 190.0}, "head_ipps": {"nat": 420}}


def swept(service: Service) -> dict[str, int]:
    sweep.drain(service.context)
    removed = service.get("/projects/demo/retention")["removed"]
    return {one["kind"]: one["number"] for one in removed}


def test_report_ages_out_and_its_summary_stays(service: Service) -> None:
    report = make_report(1)
    service.upload(body_of(report))
    before = service.get(f"/runs/{report.run_id}")
    history = service.get("/projects/demo/scenarios/sfc_a/history")
    service.clock.pass_seconds(364 * DAY)
    assert swept(service) == {}
    service.clock.pass_seconds(2 * DAY)
    due = service.get("/projects/demo/retention")["due"][0]
    assert (due["kind"], due["number"]) == ("reports", 1)
    assert due["bytes"] > 500
    assert swept(service) == {"reports": 1}
    assert swept(service) == {"reports": 1}
    assert service.get(f"/runs/{report.run_id}") == {**before, "report_expired": True}
    assert service.get("/projects/demo/scenarios/sfc_a/history") == history
    gone = service.get(f"/runs/{report.run_id}/report", 410)["error"]
    assert gone["name"] == "report_expired"
    assert "2027-11-22" in gone["message"]
    # The upload that comes again is still known by its digest.
    assert not service.upload(body_of(report), 200)["new"]


def test_comparison_of_an_aged_pair_has_its_verdict_and_says_what_is_missing(service: Service) -> None:
    for number in (1, 2):
        service.upload(body_of(make_report(number)))
    service.clock.pass_seconds(366 * DAY)
    swept(service)
    pair = service.get("/projects/demo/compare", base=sha(0), head=sha(1))
    assert pair["verdict"]["outcome"] == "same"
    assert pair["rounds"] == {"base": [], "head": [], "head_as_base": []}
    assert "aged out" in pair["notes"][-1]


def test_an_aged_pair_of_separate_runs_has_what_other_comparisons_say_of_it(service: Service) -> None:
    for number in (1, 2):
        service.upload(body_of(make_report(number, head_costs={"tx": 30.3})))
    service.clock.pass_seconds(366 * DAY)
    assert swept(service) == {"reports": 2}
    apart = {"base": sha(0), "head": sha(2)}
    pair = service.get("/projects/demo/compare", **apart)
    assert (pair["paired"], pair["verdict"], pair["chain"], pair["stages"]) == (False, None, None, [])
    assert pair["run_ids"] == [f"{number:032x}" for number in (1, 2)]
    assert "aged out on 2027-11-22" in pair["notes"][0]
    chain = pair["linked"][0]
    assert chain["stage"] == "chain" and chain["ratio"] == pytest.approx(1.0023, abs=3e-4)
    assert service.get("/projects/demo/compare/code", 410, **apart)["error"]["name"] == "report_expired"


def test_an_aged_pair_that_is_swapped_has_the_inverted_figures(service: Service) -> None:
    service.upload(body_of(make_report(1, head_costs={"tx": 30.3})))
    both = [{"base": sha(one), "head": sha(1 - one)} for one in (0, 1)]
    stored = service.get("/projects/demo/compare", **both[1])
    service.clock.pass_seconds(366 * DAY)
    assert swept(service) == {"reports": 1}
    pair, turned = (service.get("/projects/demo/compare", **one) for one in both)
    chain, other = pair["chain"], turned["chain"]
    assert chain["ratio_cpp"] > 1.0005
    assert (other["base"], other["head"]) == (chain["head"], chain["base"])
    for one, old in [(other, chain), *zip(turned["stages"], pair["stages"], strict=True)]:
        for name, its in {"ratio_cpp": "ratio_cpp", "low": "high", "high": "low"}.items():
            assert one[name] == pytest.approx(1 / old[its])
        assert one["ln_cpp"] == -old["ln_cpp"] and one["ln_ipp"] == -old["ln_ipp"]
    assert other["ratio_cpp"] == pytest.approx(stored["chain"]["ratio_cpp"], rel=1e-3)
    added = [one["contribution_cycles"] for one in turned["stages"]]
    assert added == [-one["contribution_cycles"] for one in pair["stages"]]
    assert (turned["verdict"], turned["paired"], turned["decomposition"]) == (None, False, None)
    assert turned["run_ids"] == pair["run_ids"] and turned["host"] == pair["host"]
    assert "inverted" in turned["notes"][0] and "aged out" in turned["notes"][1]


def test_regressions_improvements_and_releases_are_kept(service: Service) -> None:
    service.upload(body_of(make_report(1, **SLOW)))
    service.upload(body_of(make_report(2)))
    with service.context.sessions() as session:
        session.add(TagRow(project_id=1, name="v1", sha=sha(2), updated_at=service.clock()))
        session.commit()
    service.clock.pass_seconds(4000 * DAY)
    assert swept(service) == {}
    for number in (1, 2):
        assert service.client.get(f"/api/v1/runs/{number:032x}/report").status_code == 200


@pytest.mark.dialects
def test_unreadable_report_stays_due_until_it_is_repaired_and_stops_no_other(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep, "REPORTS_AT_ONCE", 2)
    bodies = [body_of(make_report(number)) for number in range(1, 5)]
    for body in bodies:
        service.upload(body)
    files = [
        service.context.settings.state_dir / "reports" / path_of(hashlib.sha256(body).hexdigest())
        for body in bodies
    ]
    files[0].unlink()
    files[2].write_bytes(b"damaged")
    service.clock.pass_seconds(366 * DAY)
    assert swept(service) == {"reports": 2}
    assert service.get("/projects/demo/retention")["due"][0]["number"] == 2
    assert service.get(f"/runs/{1:032x}/report", 500)["error"]["name"] == "report_unreadable"
    service.upload(bodies[0], 200)
    assert swept(service) == {"reports": 3}
    assert service.get(f"/runs/{1:032x}")["report_expired"]


def test_project_that_cannot_be_swept_stops_no_other(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.post("/projects", "admin", 201, {"name": "other", "repository": "/srv/other.git"})
    swept_ones: list[int] = []

    def fails_once(_session: object, project_id: int, settings: Settings) -> Rules:
        swept_ones.append(project_id)
        if len(swept_ones) == 1:
            raise StoreAwayError("The report store gave no valid answer.")
        return Rules(report_days=settings.report_days, log_days=settings.log_days)

    monkeypatch.setattr(sweep, "rules_of", fails_once)
    sweep.drain(service.context)
    assert len({*swept_ones}) == 2


@pytest.mark.dialects
def test_deliveries_and_logs_of_ended_jobs_go_and_the_job_stays(service: Service) -> None:
    """And a delivery that was not processed yet."""
    for number in (1, 2):
        push = {"ref": "refs/heads/main", "before": sha(number - 1), "after": sha(number)}
        service.hook(json.dumps(push).encode(), 202)
    push = {"ref": "refs/heads/main", "before": sha(2), "after": sha(3)}
    body, secret = json.dumps(push).encode(), service.secret
    headers = {"X-GitHub-Event": "push", "X-Hub-Signature-256": sign(secret, body)}
    assert service.client.post("/api/v1/hooks/github", content=body, headers=headers).status_code == 202
    with service.context.sessions() as session:
        session.execute(update(JobRow).values(log_tail="built"))
        session.execute(update(JobRow).where(JobRow.head_sha == sha(1)).values(state="done"))
        session.commit()
    service.clock.pass_seconds(91 * DAY)
    assert swept(service) == {"deliveries": 2, "logs": 1}
    with service.context.read_sessions() as session:
        (waiting,) = session.scalars(select(DeliveryRow))
        assert waiting.status == "received"
        tails = {row[0]: row[1] for row in session.execute(select(JobRow.head_sha, JobRow.log_tail))}
    assert tails == {sha(1): None, sha(2): "built"}


@pytest.mark.dialects
def test_projects_rule_is_a_maintainers_to_change_and_is_recorded(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.clock.pass_seconds(8 * DAY)
    rules = {"report_days": 7, "log_days": 30}
    headers = {"Authorization": f"Bearer {service.tokens['admin']}"}
    assert service.client.put("/api/v1/projects/demo/retention", json=rules).status_code == 401
    answer = service.client.put("/api/v1/projects/demo/retention", json=rules, headers=headers).json()
    assert (answer["rules"], answer["own"], answer["due"][0]["number"]) == (rules, True, 1)
    assert swept(service) == {"reports": 1}


@pytest.mark.parametrize("days", [0, -1, 36_501])
def test_senseless_rule_is_refused(service: Service, days: int) -> None:
    headers = {"Authorization": f"Bearer {service.tokens['admin']}"}
    rules = {"report_days": days, "log_days": 30}
    assert (
        service.client.put("/api/v1/projects/demo/retention", json=rules, headers=headers).status_code == 422
    )
