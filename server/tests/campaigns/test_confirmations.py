# SPDX-License-Identifier: Apache-2.0
"""A finding is measured again before a notification is sent: hosts, results, bisects, people's requests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from nalm_core.report.defaults import BUDGET_SECONDS
from nalm_server.alerts import lifecycle
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.states import AlertState
from nalm_server.campaigns import hosts
from nalm_server.campaigns.confirmation import queueing
from nalm_server.changepoints.models import ChangePointRow
from nalm_server.changepoints.significance import settle
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.agents.repository import find as find_host
from nalm_server.results.series.models import SeriesRow
from nalm_server_findings import Rig, alert_of, confirming, suspect_history, suspect_run
from nalm_server_harness import Service
from nalm_server_line import use_line
from nalm_server_reports import COSTS, body_of, make_report, sha
from sqlalchemy import select
from sqlalchemy.orm import Session

LENGTH = 9
SLOW = 200.0


@pytest.fixture(autouse=True)
def line(monkeypatch: pytest.MonkeyPatch) -> None:
    use_line(monkeypatch, LENGTH)


def rig(service: Service, culprit: int = 1, **outcomes: str) -> Rig:
    """outcomes: by host, with `_` in place of `-`."""
    costs = {sha(number): SLOW if number >= culprit else 150.0 for number in range(LENGTH)}
    return Rig(service, costs, {name.replace("_", "-"): outcome for name, outcome in outcomes.items()})


def measure(service: Service, bench: Rig, head: int = 1, base: int | None = None) -> list[str]:
    """Measures head against base on bench-1, at a person's request. Returns the ids of the runs."""
    pair = {"head": sha(head), "base": sha(head - 1 if base is None else base)}
    job = service.post("/projects/demo/jobs", "admin", 201, pair)
    lease = bench.work("bench-1")
    assert lease is not None
    assert lease["job_id"] == job["id"]
    runs: list[str] = service.get(f"/jobs/{job['id']}")["run_ids"]
    return runs


def found(service: Service, bench: Rig, *seen_by: str) -> int:
    """Makes a regression of commit 1, measured by bench-1. The hosts `seen_by` request work before."""
    for host in seen_by:
        service.lease(204, host)
    outcome = bench.outcomes.pop("bench-1", None)
    runs = measure(service, bench)
    if outcome is not None:
        bench.outcomes["bench-1"] = outcome
    return suspect_run(service, *runs)


def confirm_jobs(service: Service) -> list[dict[str, Any]]:
    return [job for job in service.get("/jobs", project="demo") if job["reason"] == "confirm"]


def test_it_is_measured_again_on_the_same_host_and_confirmed(service: Service) -> None:
    bench = rig(service)
    alert = found(service, bench)
    assert alert_of(service, alert).state == "new"
    bench.drain()
    (job,) = confirm_jobs(service)
    assert (job["alert_id"], job["only_host"], job["scenarios"]) == (alert, "bench-1", ["sfc_a"])
    assert confirming(service, alert).state == "measuring"
    bench.work_all("bench-1")
    assert alert_of(service, alert).state == "confirmed"
    reported = confirming(service, alert)
    assert (reported.state, reported.seen_on, reported.host_specific) == ("confirmed", ["bench-1"], False)
    assert reported.measurements[0].outcome == "regressed"
    assert reported.measurements[0].ratio is not None
    assert service.get(f"/alerts/{alert}")["confirming"] == reported.model_dump(mode="json")


def test_what_is_not_there_again_is_dismissed(service: Service) -> None:
    bench = rig(service, bench_1="same")
    alert = found(service, bench)
    bench.work_all("bench-1")
    assert alert_of(service, alert).state == "dismissed"
    assert "same when measured again on bench-1" in (confirming(service, alert).why or "")


def test_a_confirmation_raises_no_second_alert_and_is_the_commits_newest_run(service: Service) -> None:
    bench = rig(service, bench_1="same")
    found(service, bench)
    bench.work_all("bench-1")
    with service.context.read_sessions() as session:
        assert session.query(AlertRow).count() == 1
    (commit,) = [one for one in service.get("/projects/demo/commits") if one["sha"] == sha(1)]
    assert [one["outcome"] for one in commit["verdicts"]] == ["same"]
    history = service.get("/projects/demo/scenarios/sfc_a/history")
    assert len(history["points"]) == 1


def test_the_alert_has_the_figures_of_the_commits_newest_run(service: Service) -> None:
    bench = rig(service)
    alert = found(service, bench)
    first = service.get(f"/alerts/{alert}")
    bench.costs = {**bench.costs, sha(1): SLOW * 1.2}
    bench.work_all("bench-1")
    now = service.get(f"/alerts/{alert}")
    (commit,) = [one for one in service.get("/projects/demo/commits") if one["sha"] == sha(1)]
    (verdict,) = commit["verdicts"]
    assert now["ratio"] > first["ratio"]
    assert [now[name] for name in ("ratio", "low", "high")] == [
        verdict[name] for name in ("ratio_cpp", "low", "high")
    ]
    assert {one["run_id"] for one in now["moves"]} == {verdict["run_id"]}
    assert now["explanation"] != first["explanation"]


@pytest.mark.parametrize("ended", ["by its time", pytest.param("by hand", marks=pytest.mark.nightly)])
def test_what_was_muted_is_measured_again_when_it_ends(service: Service, ended: str) -> None:
    bench = rig(service)
    expected = {"scenario": "sfc_*", "why": "the host moves", "until": "2026-11-21T10:00:00Z"}
    mute = service.post("/projects/demo/mutes", "admin", 201, expected)
    measure(service, bench)
    bench.work_all("bench-1")
    (alert,) = service.get("/projects/demo/alerts")
    assert (alert["state"], alert["muted"], confirm_jobs(service)) == ("new", True, [])
    if ended == "by hand":
        service.request("DELETE", f"/projects/demo/mutes/{mute['id']}", "admin", 204)
    else:
        service.clock.pass_seconds(3600)
    bench.work_all("bench-1")
    (alert,) = service.get("/projects/demo/alerts")
    assert (alert["state"], alert["muted"]) == ("confirmed", False)
    said = [step["why"] for step in service.get(f"/alerts/{alert['id']}")["history"]]
    assert said.count("its mute has ended") == 1


@pytest.mark.nightly
def test_a_scenario_that_joins_while_it_is_measured_is_measured_too(service: Service) -> None:
    bench = rig(service)
    alert = found(service, bench)
    bench.drain()
    assert confirming(service, alert).state == "measuring"
    job = service.get(f"/jobs/{confirm_jobs(service)[0]['id']}")
    costs: dict[str, Any] = {"base_costs": COSTS, "head_costs": {**COSTS, "nat": SLOW}}
    service.upload(body_of(make_report(99, base=sha(0), head=sha(1), scenario="sfc_b", **costs)))
    bench.work_all("bench-1")
    reported = confirming(service, alert)
    assert [(one.scenario, one.outcome) for one in reported.measurements] == [
        ("sfc_a", "regressed"),
        ("sfc_b", "regressed"),
    ]
    assert (reported.state, job["scenarios"]) == ("confirmed", ["sfc_a"])
    assert alert_of(service, alert).scenarios == ["sfc_a", "sfc_b"]


@pytest.mark.nightly
@pytest.mark.parametrize(
    "order", [("bench-1", "bench-2"), pytest.param(("bench-2", "bench-1"), marks=pytest.mark.nightly)]
)
def test_another_host_that_does_not_see_it_makes_it_host_specific(
    service: Service, order: tuple[str, str]
) -> None:
    bench = rig(service, bench_2="same")
    alert = found(service, bench, "bench-2")
    bench.work_all(*order)
    reported = confirming(service, alert)
    assert alert_of(service, alert).state == "confirmed"
    assert (reported.seen_on, reported.not_seen_on, reported.host_specific) == (
        ["bench-1"],
        ["bench-2"],
        True,
    )
    expected = {job["only_host"]: job["not_host"] for job in confirm_jobs(service)}
    assert expected == {"bench-1": None, None: "bench-1"}


@pytest.mark.nightly
def test_a_run_on_another_host_enters_no_series_and_overrules_nothing(service: Service) -> None:
    bench = rig(service, bench_2="same")
    found(service, bench, "bench-2")
    bench.work_all("bench-1", "bench-2")
    (commit,) = [one for one in service.get("/projects/demo/commits") if one["sha"] == sha(1)]
    assert [one["outcome"] for one in commit["verdicts"]] == ["regressed"]
    (point,) = service.get("/projects/demo/scenarios/sfc_a/history")["points"]
    on = {one["run_id"]: one["job_id"] for one in service.get(f"/projects/demo/commits/{sha(1)}")["runs"]}
    beside = {job["id"] for job in confirm_jobs(service) if job["not_host"]}
    assert on[point["run_id"]] not in beside
    assert beside <= set(on.values()), "it is stored all the same"


@pytest.mark.nightly
def test_another_host_alone_can_confirm(service: Service) -> None:
    bench = rig(service, bench_1="undecided")
    alert = found(service, bench, "bench-2")
    bench.work_all("bench-1", "bench-2")
    assert alert_of(service, alert).state == "confirmed"
    assert confirming(service, alert).seen_on == ["bench-2"]


@pytest.mark.parametrize("by_toml", [BUDGET_SECONDS, pytest.param(600.0, marks=pytest.mark.nightly)])
def test_undecided_twice_stays_new_and_says_so(service: Service, by_toml: float) -> None:
    bench = rig(service, bench_1="undecided")
    bench.budget_seconds = by_toml
    alert = found(service, bench)
    bench.work_all("bench-1")
    reported = confirming(service, alert)
    assert (alert_of(service, alert).state, reported.state) == ("new", "inconclusive")
    assert (reported.why or "").startswith("sfc_a: not confirmed: inconclusive on bench-1")
    assert [one.budget_seconds for one in reported.measurements] == [None, 2 * by_toml]


def test_a_job_that_fails_leaves_it_open(service: Service) -> None:
    bench = rig(service, bench_1="lost")
    alert = found(service, bench)
    bench.work_all("bench-1")
    reported = confirming(service, alert)
    assert (alert_of(service, alert).state, reported.state) == ("new", "inconclusive")
    assert "no such file" in (reported.measurements[0].why or "")


@pytest.mark.nightly
def test_a_silent_agents_job_is_given_out_again(service: Service) -> None:
    bench = rig(service)
    alert = found(service, bench)
    bench.drain()
    service.lease(200, "bench-1")
    service.clock.pass_seconds(service.context.settings.lease_seconds + 1)
    bench.work_all("bench-1")
    assert alert_of(service, alert).state == "confirmed"


def test_a_host_that_does_not_come_is_replaced_and_cannot_dismiss(service: Service) -> None:
    bench = rig(service, bench_2="same")
    alert = found(service, bench)
    bench.drain()
    service.clock.now += hosts.PATIENCE + timedelta(seconds=1)
    assert bench.work("bench-2") is not None
    reported = confirming(service, alert)
    assert (alert_of(service, alert).state, reported.state) == ("new", "inconclusive")
    assert "the host that measured it first has left the pool" in (reported.why or "")
    assert reported.measurements[0].remeasurement == "instead"


def test_a_revoked_host_is_not_waited_for(service: Service) -> None:
    bench = rig(service)
    alert = found(service, bench)
    with service.context.sessions() as session:
        host = find_host(session, "bench-1")
        assert host is not None
        host.revoked_at = service.clock()
        session.commit()
    service.lease(204, "bench-2")
    bench.work_all("bench-2")
    assert alert_of(service, alert).state == "confirmed"


def test_without_any_host_it_is_reported_as_it_was_seen(service: Service) -> None:
    run = service.upload(body_of(make_report(1, head_costs={"nat": SLOW})))["run_id"]
    alert = suspect_run(service, run)
    rig(service).drain()
    assert alert_of(service, alert).state == "confirmed"
    assert "no host that could measure it again" in (confirming(service, alert).why or "")
    shown = service.get(f"/alerts/{alert}")
    assert (shown["state"], shown["confirmed_at"]) == ("confirmed", None), "no second measurement saw it"


def test_a_broken_head_is_run_again(service: Service) -> None:
    bench = rig(service, bench_1="broken")
    service.lease(204, "bench-1")
    alert = suspect_run(service, *measure(service, bench), kind="broken")
    bench.outcomes.clear()
    bench.work_all("bench-1")
    assert alert_of(service, alert).state == "dismissed"


def test_what_a_person_closes_is_not_measured(service: Service) -> None:
    bench = rig(service)
    alert = found(service, bench)
    bench.drain()
    with service.context.sessions() as session:
        lifecycle.enter(
            session, session.get_one(AlertRow, alert), AlertState.FALSE_ALARM, "noise", service.clock()
        )
        session.commit()
    bench.drain()
    assert [job["state"] for job in confirm_jobs(service)] == ["superseded"]
    assert confirming(service, alert).state == "closed"


@pytest.mark.nightly
def test_a_project_has_a_few_confirmations_at_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queueing, "MOST_OPEN", 1)
    bench = Rig(service, {sha(1): SLOW, sha(2): SLOW, sha(3): 2 * SLOW})
    runs = [*measure(service, bench, 1), *measure(service, bench, 3)]
    first, second = (suspect_run(service, one) for one in runs)
    bench.drain()
    assert [confirming(service, one).state for one in (first, second)] == ["measuring", "waiting"]
    assert len(confirm_jobs(service)) == 1
    bench.work_all("bench-1")
    assert {alert_of(service, one).state for one in (first, second)} == {"confirmed"}


def test_a_step_between_measured_commits_is_bisected_to_its_culprit(service: Service) -> None:
    bench = rig(service, culprit=5)
    measure(service, bench, 1)
    measure(service, bench, 8, base=7)
    alert = suspect_history(service, after=1, culprit=8)
    bench.work_all("bench-1")
    row = alert_of(service, alert)
    assert row.state == "confirmed"
    with service.context.read_sessions() as session:
        assert session.get_one(CommitRow, row.commit_id).sha == sha(5)
    reported = confirming(service, alert)
    assert (reported.base_sha, reported.head_sha, reported.gradual) == (sha(4), sha(5), False)
    assert reported.measurements[0].remeasurement == "bisect"


def test_no_change_between_the_ends_is_dismissed(service: Service) -> None:
    bench = rig(service, culprit=LENGTH)
    measure(service, bench, 1)
    measure(service, bench, 8, base=7)
    alert = suspect_history(service, after=1, culprit=8)
    bench.work_all("bench-1")
    assert alert_of(service, alert).state == "dismissed"


@pytest.mark.nightly
def test_a_slow_drift_is_confirmed_and_nobody_is_the_culprit(service: Service) -> None:
    bench = Rig(service, {sha(number): 150.0 * 1.008**number for number in range(LENGTH)})
    measure(service, bench, 1)
    measure(service, bench, 8, base=7)
    alert = suspect_history(service, after=1, culprit=8)
    bench.work_all("bench-1")
    reported = confirming(service, alert)
    assert (alert_of(service, alert).state, reported.gradual) == ("confirmed", True)
    assert (reported.base_sha, reported.head_sha) == (sha(1), sha(8))


def test_a_step_of_one_commit_is_measured_as_a_pair(service: Service) -> None:
    bench = rig(service, culprit=8)
    measure(service, bench, 7, base=6)
    measure(service, bench, 8, base=6)
    alert = suspect_history(service, after=7, culprit=8)
    bench.work_all("bench-1")
    assert alert_of(service, alert).state == "confirmed"
    (job,) = confirm_jobs(service)
    assert (job["base_sha"], job["head_sha"]) == (sha(7), sha(8))


@pytest.mark.nightly
def test_a_regression_over_several_commits_is_reported_and_then_bisected(service: Service) -> None:
    bench = rig(service, culprit=3)
    runs = measure(service, bench, 6, base=0)
    alert = suspect_run(service, *runs)
    bench.work_all("bench-1")
    row = alert_of(service, alert)
    assert row.state == "confirmed"
    with service.context.read_sessions() as session:
        assert session.get_one(CommitRow, row.commit_id).sha == sha(3)


@pytest.mark.nightly
def test_a_developer_has_it_measured_again(service: Service) -> None:
    bench = rig(service, bench_1="undecided")
    alert = found(service, bench)
    service.post(f"/alerts/{alert}/confirm", "admin", 409, {})
    bench.work_all("bench-1")
    assert confirming(service, alert).state == "inconclusive"
    bench.outcomes.clear()
    service.clock.pass_seconds(1)
    assert service.post(f"/alerts/{alert}/confirm", "admin", 200, {})["state"] == "waiting"
    bench.work_all("bench-1")
    assert alert_of(service, alert).state == "confirmed"
    service.post(f"/alerts/{alert}/bisect", "admin", 409, {})
    service.post("/alerts/999/confirm", "admin", 404, {})


def change_point(session: Session, low: int, high: int, ratio: float) -> None:
    """Adds a change of the chain's CPP after commit `low`, at commit `high`; `settle` weighs it."""
    series = session.scalars(
        select(SeriesRow).where(SeriesRow.metric == "cpp", SeriesRow.stage == "chain")
    ).one()
    ids = {
        number: session.scalars(select(CommitRow.id).where(CommitRow.sha == sha(number))).one()
        for number in (low, high)
    }
    row = ChangePointRow(series_id=series.id, commit_id=ids[high], low_commit_id=ids[low])
    row.high_commit_id, row.ratio, row.probability, row.p_value = ids[high], ratio, 1 - 1e-9, 1e-9
    row.state, row.chain_share, row.detected_at = "new", ratio - 1, datetime(2026, 11, 21, tzinfo=UTC)
    session.add(row)


@pytest.mark.parametrize(
    ("ratio", "state"),
    [
        pytest.param(150 / SLOW, "fixed", marks=pytest.mark.nightly),
        ((150 / SLOW) ** 0.4, "partly_fixed"),
        pytest.param(0.97, "confirmed", marks=pytest.mark.nightly),
    ],
)
def test_a_history_that_is_back_at_its_level_fixes_it(service: Service, ratio: float, state: str) -> None:
    bench = rig(service)
    alert = found(service, bench)
    bench.work_all("bench-1")
    measure(service, bench, 5)
    with service.context.sessions() as session:
        change_point(session, 4, 5, ratio)
        session.commit()
    settle(service.context, 1)
    row = alert_of(service, alert)
    assert row.state == state
    with service.context.read_sessions() as session:
        fixed_by = session.get(CommitRow, row.fixed_by_id) if row.fixed_by_id else None
    assert (fixed_by.sha if fixed_by else None) == (None if state == "confirmed" else sha(5))


@pytest.mark.nightly
def test_one_improvement_fixes_one_finding_the_newest(service: Service) -> None:
    bench = Rig(service, {sha(n): 150.0 * 1.3 ** ((n >= 1) + (n >= 3)) for n in range(LENGTH)})
    older = suspect_run(service, *measure(service, bench, 1))
    newer = suspect_run(service, *measure(service, bench, 3))
    bench.work_all("bench-1")
    measure(service, bench, 5)
    with service.context.sessions() as session:
        change_point(session, 4, 5, 1 / 1.3)
        session.commit()
    for _ in range(2):
        settle(service.context, 1)
    assert [alert_of(service, one).state for one in (older, newer)] == ["confirmed", "fixed"]
