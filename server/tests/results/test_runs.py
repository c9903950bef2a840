# SPDX-License-Identifier: Apache-2.0
"""Run reports are stored once, judged, and shown as commits, history and comparison."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from nalm_core.report.offered_load import OfferedLoad
from nalm_core.report.serialization import ReportError, parse_report
from nalm_core.verdict.verdict import judge
from nalm_core.verdict.wording import interval_note, stage_notes
from nalm_server.results import ports
from nalm_server.results.isolated_parsing import check_apart
from nalm_server.views.compare.schemas import SeriesComparisons
from nalm_server.views.history.schemas import History
from nalm_server_harness import Service
from nalm_server_reports import COSTS, at_load, body_of, make_report, sha

SLOW_NAT = {"nat": 190.0}
SLOW_NAT_IPP = {"nat": 420}


def test_upload_twice_changes_nothing(service: Service) -> None:
    body = body_of(make_report(1))
    first = service.upload(body)
    assert first == {
        "run_id": f"{1:032x}",
        "outcome": "same",
        "display": "same",
        "summary": first["summary"],
        "new": True,
    }
    # Equal content in another layout, compressed, is the same run.
    spaced = gzip.compress(json.dumps(json.loads(body), indent=3).encode())
    headers = {"Authorization": f"Bearer {service.tokens['upload']}", "Content-Encoding": "gzip"}
    again = service.client.post("/api/v1/reports", content=spaced, headers=headers)
    assert again.status_code == 200
    assert again.json() == {**first, "new": False}
    assert service.get("/projects/demo/scenarios")[0]["runs"] == 1


def test_run_id_with_another_content_is_refused(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    other = make_report(1, head_costs=SLOW_NAT)
    assert service.upload(body_of(other), 409)["error"]["name"] == "conflict"
    assert service.get(f"/runs/{1:032x}")["verdict"]["outcome"] == "same"


@pytest.mark.dialects
def test_a_run_at_a_load_shows_it_and_is_in_other_series(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    offered = OfferedLoad(
        name="0.5MRR/geometric", pps=3_000_000, arrivals="geometric", found="0.5 of 6,000,000"
    )
    taken = service.upload(body_of(at_load(make_report(2, head_costs=SLOW_NAT), offered)))
    assert taken["outcome"] == "regressed"
    run = service.get(f"/runs/{2:032x}")
    assert run["load"] == offered.name and run["offered"] == offered.model_dump()
    assert service.get(f"/runs/{1:032x}")["load"] == "closed"
    loaded = run["verdict"]["at_load"]
    assert 0 < loaded["cur"]["base"] < loaded["cur"]["head"] < 1
    assert loaded["batch_size"]["base"] == pytest.approx(32, rel=0.01)
    assert "At 3,000,000 packets/s (0.5 of 6,000,000): CUR 0." in run["verdict"]["reason"]
    assert service.get("/projects/demo/scenarios")[0]["load"] == offered.name
    points = service.get("/projects/demo/scenarios/sfc_a/history")["points"]
    assert [one["values"]["chain"]["source"] for one in points] == ["tsc", f"tsc@{offered.name}"]
    shown = service.get("/projects/demo/scenarios/sfc_a/history", metric="batch_size", values="measured")[
        "points"
    ]
    assert [one["values"]["chain"] is None for one in shown] == [True, False]


def test_stored_report_is_the_uploaded_one(service: Service) -> None:
    report = make_report(1)
    service.upload(body_of(report))
    answer = service.client.get(f"/api/v1/runs/{report.run_id}/report")
    assert answer.content == body_of(report)
    assert parse_report(answer.content) == report
    assert service.get(f"/runs/{2:032x}/report", 404)["error"]["name"] == "not_found"


def test_project_of_the_report_must_be_the_tokens(service: Service) -> None:
    service.post("/projects", "admin", 201, {"name": "other", "repository": "/srv/other.git"})
    body = body_of(make_report(1, project="other"))
    unseen = service.upload(body, 404)["error"]
    unknown = service.upload(body_of(make_report(2, project="unknown")), 404)["error"]
    assert unseen["message"] == unknown["message"]
    service.request("PATCH", "/projects/other", "admin", json={"public": True})
    assert service.upload(body, 403)["error"]["name"] == "forbidden"
    assert service.upload(body, 201, "admin")["new"]


def test_an_agent_uploads_results_of_its_jobs_only(service: Service) -> None:
    body = body_of(make_report(1))
    assert service.upload(body, 403, "agent")["error"]["name"] == "forbidden"
    assert service.upload(body, 403, "agent", job_id=1)["error"]["name"] == "forbidden"
    assert service.upload(body, 404, "agent", job_id=1, fence=1)["error"]["name"] == "not_found"


def test_report_of_a_job_belongs_to_the_jobs_project(service: Service) -> None:
    """nalm.toml may call the project otherwise than the server does."""
    push = {"ref": "refs/heads/main", "before": sha(0), "after": sha(1)}
    service.hook(json.dumps(push).encode(), 202)
    lease = service.lease()
    body = body_of(make_report(1, project="name-in-nalm-toml"))
    assert service.upload(body, 201, "agent", job_id=lease["job_id"], fence=lease["fence"])["new"]
    assert service.get(f"/runs/{1:032x}")["project"] == "demo"


def test_verdict_is_cores_own(service: Service) -> None:
    report = make_report(1, head_costs=SLOW_NAT, head_ipps=SLOW_NAT_IPP)
    service.upload(body_of(report))
    shown = service.get(f"/runs/{report.run_id}")["verdict"]
    own = judge(report)
    extra = {
        "display": "regressed",
        "fixes_sha": None,
        "recovery": None,
        "unchanged": False,
        "stage_notes": stage_notes(own.stages, own.culprit_stages),
        "interval_note": interval_note(own.chain, own.stages),
    }
    assert shown == {**own.model_dump(mode="json"), **extra}
    assert (shown["outcome"], shown["culprit_stages"], shown["cause"]) == (
        "regressed",
        ["nat"],
        "instructions",
    )


def test_run_shows_everything_recorded(service: Service) -> None:
    report = make_report(1)
    service.upload(body_of(report))
    run = service.get(f"/runs/{report.run_id}")
    assert run["fingerprint"]["cpu_model"] == "synthetic"
    assert run["sources"]["pmu"] == "no PMU on this host"
    assert [check["name"] for check in run["checks"]] == [check.name for check in report.checks]
    assert (run["rounds_kept"], run["rounds_set_aside"], run["launches"]) == (36, 0, 6)
    assert run["arms"]["head"]["build"]["commit"] == sha(1)


@pytest.mark.parametrize(
    ("given", "outcome", "in_history"),
    [
        ({"failed_check": True}, "invalid", False),
        ({"status": "failed"}, "invalid", False),
        ({"status": "broken"}, "broken", True),
        ({"status": "unchanged"}, "same", True),
    ],
)
def test_run_without_valid_figures_enters_no_series(
    service: Service, given: dict[str, Any], outcome: str, in_history: bool
) -> None:
    service.upload(body_of(make_report(1)))
    taken = service.upload(body_of(make_report(2, **given)))
    assert taken["outcome"] == outcome
    history = service.get("/projects/demo/scenarios/sfc_a/history")
    assert [point["sha"] for point in history["points"]] == [sha(1)] + [sha(2)] * in_history
    if in_history:
        measured = service.get("/projects/demo/scenarios/sfc_a/history", values="measured")["points"]
        assert set(measured[1]["values"].values()) == {None}
        before, level = (point["values"]["chain"] for point in history["points"])
        assert (level and level["value"]) == (before["value"] if outcome == "same" else None)
    assert service.get("/projects/demo/commits")[0]["verdicts"][0]["outcome"] == outcome


def test_history_is_along_the_first_parent_whatever_came_first(service: Service) -> None:
    for number in (3, 1, 2):
        costs = {"nat": 150.0 + number}
        service.upload(body_of(make_report(number, base_costs={**COSTS, **costs})))
    history = service.get("/projects/demo/scenarios/sfc_a/history", metric="cpp")
    History.model_validate(history)  # nothing on the way to the answer holds it to its schema
    assert history["metric"]["unit"] == "cycles/packet"
    assert history["stages"] == ["chain", "rx", "nat", "l3fwd", "tx"]
    assert [point["sha"] for point in history["points"]] == [sha(1), sha(2), sha(3)]
    for number, point in enumerate(history["points"], start=1):
        values = point["values"]
        assert values["nat"]["value"] == pytest.approx(150 + number, rel=0.02)
        assert values["nat"]["low"] <= values["nat"]["value"] <= values["nat"]["high"]
        assert values["chain"]["value"] == pytest.approx(
            sum(value["value"] for stage, value in values.items() if stage != "chain"), rel=0.001
        )
        assert values["nat"]["source"] == "tsc"
    newest = service.get("/projects/demo/scenarios/sfc_a/history", limit=2)
    assert [point["sha"] for point in newest["points"]] == [sha(2), sha(3)]


@pytest.mark.dialects
def test_history_of_some_stages(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    path = "/projects/demo/scenarios/sfc_a/history"
    whole = service.get(path)
    some = service.get(path, stage=["nat", "chain"])
    History.model_validate(some)
    assert some["stages"] == ["nat", "chain"]
    assert some["points"][0]["values"] == {
        stage: whole["points"][0]["values"][stage] for stage in ("nat", "chain")
    }
    refused = service.get(path, 404, stage="crypto")["error"]["message"]
    assert "'crypto'" in refused
    assert "chain, l3fwd, nat, rx, tx" in refused


@pytest.mark.parametrize(
    ("metric", "stage", "value", "source"),
    [("ipp", "nat", 330, "simulated"), ("eipc", "nat", 2.2, "tsc+simulated"), ("cur", "chain", 1.0, "tsc")],
)
def test_history_of_other_metrics(
    service: Service, metric: str, stage: str, value: float, source: str
) -> None:
    service.upload(body_of(make_report(1)))
    history = service.get("/projects/demo/scenarios/sfc_a/history", metric=metric)
    found = history["points"][0]["values"][stage]
    assert found["value"] == pytest.approx(value, rel=0.02)
    assert found["source"] == source


def test_host_classes_are_not_mixed(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(2, host_class="metal-16")))
    scenario = service.get("/projects/demo/scenarios")[0]
    assert sorted(scenario["host_classes"]) == ["metal-16", "vm-2"]
    for host_class, commit in (("vm-2", sha(1)), ("metal-16", sha(2))):
        history = service.get("/projects/demo/scenarios/sfc_a/history", host_class=host_class)
        assert [point["sha"] for point in history["points"]] == [commit]


def test_fix_is_named_even_when_the_regression_comes_in_later(service: Service) -> None:
    slow = {**COSTS, **SLOW_NAT}
    fix = make_report(3, base_costs=slow, head_costs={"nat": COSTS["nat"]})
    service.upload(body_of(fix))
    assert service.get(f"/runs/{fix.run_id}")["verdict"]["fixes_sha"] is None
    service.upload(body_of(make_report(2, base_costs=slow)))
    service.upload(body_of(make_report(1, head_costs=SLOW_NAT, head_ipps=SLOW_NAT_IPP)))
    commits = service.get("/projects/demo/commits")
    assert [one["verdicts"][0]["outcome"] for one in commits] == ["improved", "same", "regressed"]
    assert commits[0]["verdicts"][0]["fixes_sha"] == sha(1)
    assert commits[0]["verdicts"][0]["stage"] == "nat"


@pytest.mark.dialects
def test_commit_shows_its_runs_and_newest_verdict(service: Service) -> None:
    service.upload(body_of(make_report(1, head_costs=SLOW_NAT, head_ipps=SLOW_NAT_IPP)))
    service.upload(body_of(make_report(101, base=0, head=1)))
    service.upload(body_of(make_report(102, base=0, head=1, scenario="sfc_b")))
    commit = service.get(f"/projects/demo/commits/{sha(1)[:9]}")
    assert commit["sha"] == sha(1)
    assert commit["base_sha"] == sha(0)
    assert sorted(run["run_id"] for run in commit["runs"]) == [f"{n:032x}" for n in (1, 101, 102)]
    newest = {verdict["scenario"]: verdict["run_id"] for verdict in commit["verdicts"]}
    assert newest == {"sfc_a": f"{101:032x}", "sfc_b": f"{102:032x}"}
    filtered = service.get("/projects/demo/commits", scenario="sfc_b")
    assert [verdict["scenario"] for verdict in filtered[0]["verdicts"]] == ["sfc_b"]
    (listed,) = service.get("/projects/demo/commits/search")["commits"]
    assert service.get("/projects/demo")["last_verdict"] == listed["verdicts"][0]


def test_a_project_shows_the_most_urgent_verdict_of_its_newest_measured_commit(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(2, head_costs=SLOW_NAT, head_ipps=SLOW_NAT_IPP)))
    service.upload(body_of(make_report(102, head=2, base=1, scenario="sfc_b")))
    (newest, _) = service.get("/projects/demo/commits/search")["commits"]
    shown = service.get("/projects/demo")["last_verdict"]
    assert (shown["scenario"], shown["display"]) == ("sfc_a", "regressed")
    assert shown == newest["verdicts"][0]


def test_a_commit_is_reported_against_its_parent_whatever_a_bisection_compared_it_with(
    service: Service,
) -> None:
    service.upload(body_of(make_report(1, head_costs=SLOW_NAT, head_ipps=SLOW_NAT_IPP)))
    service.upload(body_of(make_report(2)))
    service.upload(body_of(make_report(102, base=0, head=2, head_costs=SLOW_NAT, head_ipps=SLOW_NAT_IPP)))
    service.upload(body_of(make_report(103, base=0, head=2, scenario="sfc_b")))
    newest = {one["scenario"]: one for one in service.get(f"/projects/demo/commits/{sha(2)}")["verdicts"]}
    assert (newest["sfc_a"]["run_id"], newest["sfc_a"]["outcome"]) == (f"{2:032x}", "same")
    assert newest["sfc_b"]["run_id"] == f"{103:032x}"
    listed = service.get("/projects/demo/commits")[0]
    assert (listed["sha"], listed["verdicts"][0]["run_id"]) == (sha(2), f"{2:032x}")


def test_compare_in_all_series(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(2, head_costs={"nat": 300.0})))
    service.upload(body_of(make_report(2, scenario="sfc_b").model_copy(update={"run_id": "f" * 32})))
    found = service.get("/projects/demo/compare/all", base=sha(1), head=sha(2))
    SeriesComparisons.model_validate(found)
    assert (found["base"]["sha"], found["head"]["sha"]) == (sha(1), sha(2))
    assert {one["scenario"] for one in found["series"]} == {"sfc_a"}
    assert (found["only_base"], found["only_head"]) == (0, len(found["series"]))
    names = [(one["host_class"], one["stage"], one["metric"]) for one in found["series"]]
    assert names == sorted(names)
    by_name = {(one["stage"], one["metric"]): one for one in found["series"]}
    nat, rx = by_name["nat", "cpp"], by_name["rx", "cpp"]
    assert nat["ratio"] == pytest.approx(2, rel=0.02)
    assert (nat["better"], nat["apart"], rx["apart"]) == ("lower", True, False)


@pytest.mark.dialects
def test_compare_of_a_pair_is_its_run(service: Service) -> None:
    report = make_report(1, head_costs=SLOW_NAT, head_ipps=SLOW_NAT_IPP)
    service.upload(body_of(report))
    found = service.get("/projects/demo/compare", base=sha(0), head=sha(1), scenario="sfc_a")
    assert found["paired"]
    assert found["verdict"]["outcome"] == "regressed"
    assert found["chain"]["ratio_cpp"] == pytest.approx(300 / 260, rel=0.01)
    nat = next(stage for stage in found["stages"] if stage["stage"] == "nat")
    assert nat["ln_cpp"] == pytest.approx(nat["ln_ipp"] - nat["ln_eipc"])
    assert len(found["rounds"]["base"]) == len(found["rounds"]["head"]) == 18
    assert found["rounds"]["head"][0]["cpp"] == pytest.approx(300, rel=0.05)
    assert found["host"]["host_class"] == "vm-2"
    assert found["checks"]


def test_compare_of_two_runs_has_no_verdict_and_says_why(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(2, base_costs={**COSTS, "nat": 180.0})))
    found = service.get("/projects/demo/compare", base=sha(0), head=sha(2))
    assert not found["paired"]
    assert found["verdict"] is None
    assert found["scenario"] == "sfc_a"
    assert found["chain"]["ratio_cpp"] == pytest.approx(290 / 260, rel=0.02)
    assert any("side by side" in note for note in found["notes"])
    assert found["run_ids"] == [f"{1:032x}", f"{2:032x}"]


def test_ambiguous_commit_is_a_conflict(service: Service) -> None:
    service.upload(body_of(make_report(1, base="a" * 40, head="abcdef0" + "1" * 33)))
    service.upload(body_of(make_report(2, base="b" * 40, head="abcdef0" + "2" * 33)))
    assert service.get("/projects/demo/commits/abcdef0", 409)["error"]["name"] == "conflict"


def test_a_change_is_explained_to_whoever_listens(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[dict[str, Any] | None] = []
    monkeypatch.setattr(ports, "run_stored", lambda session, judged, now: reported.append(judged.explanation))
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(2, head_costs=SLOW_NAT, head_ipps=SLOW_NAT_IPP)))
    same, slower = reported
    assert same is None and slower is not None
    assert (slower["stage"], slower["cause"], slower["detail"]) == (
        "nat",
        "instructions",
        "more_instructions",
    )
    assert service.get(f"/runs/{1:032x}")["explanation"] is None
    assert service.get(f"/runs/{2:032x}")["explanation"] == slower


@pytest.mark.parametrize("kills", [1, 2])
def test_a_check_that_is_killed_is_made_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kills: int
) -> None:
    """As for lack of memory: a refused report is lost."""
    left = tmp_path / "left"
    left.write_text("x" * kills)
    program = tmp_path / "python"
    program.write_text(
        f'#!/bin/sh\n[ -s {left} ] && truncate -s -1 {left} && kill -9 $$\nexec {sys.executable} "$@"\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    if kills == 1:
        check_apart(body_of(make_report(1)))
        return
    with pytest.raises(ReportError, match="killed twice"):
        check_apart(body_of(make_report(1)))


@pytest.mark.nightly
def test_a_report_of_any_size_has_the_memory_to_be_checked() -> None:
    document = json.loads(body_of(make_report(1)))
    own = max(one["launch"] for one in document["rounds"]) + 1
    times = range(0, 60_000_000 // len(json.dumps(document["rounds"])))
    document["rounds"] = [
        one | {"launch": one["launch"] + own * time} for time in times for one in document["rounds"]
    ]
    check_apart(json.dumps(document).encode())
