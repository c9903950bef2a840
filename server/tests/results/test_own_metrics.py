# SPDX-License-Identifier: Apache-2.0
"""Metrics beside packets and cycles: stored, in histories, comparisons and exports; one that gates alerts."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from nalm_core.report.own_metrics import OwnMetric, Threshold
from nalm_core.report.run_report import Arm, RunReport
from nalm_server.alerts.models import AlertRow
from nalm_server.notify import alert_messages
from nalm_server_findings import Rig
from nalm_server_harness import Service
from nalm_server_line import use_line
from nalm_server_reports import body_of, make_report, sha

pytestmark = pytest.mark.dialects


def metric(base: float | None, head: float | None, **given: Any) -> OwnMetric:
    document: dict[str, Any] = {
        **{"name": "sessions", "unit": "sessions/s", "better": "higher", "every": "build", "exact": True},
        **{"source": "command", "margin": 0.05, "gates": True},
        "values": {arm: [one] for arm, one in (("base", base), ("head", head)) if one is not None},
        "missing": {arm: "it printed 'no'" for arm, one in (("base", base), ("head", head)) if one is None},
    }
    return OwnMetric.model_validate(document | given)


def run(number: int, *metrics: OwnMetric, **given: Any) -> RunReport:
    report = make_report(number, base=number - 1, head=number, **given)
    return report.model_copy(update={"own_metrics": list(metrics)})


def history(service: Service, name: str, status: int = 200) -> Any:
    return service.get("/projects/demo/scenarios/sfc_a/history", status=status, metric=name)


def test_a_metric_of_nalm_toml_has_a_history_and_a_missing_value_is_none(service: Service) -> None:
    for number, head in ((1, 1000.0), (2, None), (3, 1010.0)):
        service.upload(body_of(run(number, metric(1000.0, head))))
    found = history(service, "sessions")
    assert found["metric"]["unit"] == "sessions/s" and found["metric"]["better"] == "higher"
    values = [one["values"]["chain"] for one in found["points"]]
    assert [value and value["value"] for value in values] == [1000.0, None, 1010.0]
    assert values[0]["source"] == "command"
    names = [one["name"] for one in service.get("/projects/demo/metrics")]
    assert names[0] == "cpp" and names[-1] == "sessions" and "code_bytes" in names
    assert "buffers_growth, sessions." in str(history(service, "seasons", 404))


def test_comparisons_and_exports_have_its_unit_and_direction(service: Service) -> None:
    for number, head in ((1, 1000.0), (2, 1100.0)):
        service.upload(body_of(run(number, metric(1000.0, head))))
    pairs = service.get("/projects/demo/compare/all", base=sha(1), head=sha(2))["series"]
    (compared,) = [one for one in pairs if one["metric"] == "sessions"]
    assert (compared["ratio"], compared["better"]) == (pytest.approx(1.1), "higher")
    path = "/api/v1/projects/demo/export"
    answer = service.client.get(path, params={"format": "csv", "metric": "sessions"})
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [(row["value"], row["unit"]) for row in rows] == [
        ("1000.0", "sessions/s"),
        ("1100.0", "sessions/s"),
    ]
    text = service.client.get(path, params={"format": "openmetrics"}).text
    assert "nalm_sessions{" in text and "A metric of the project's nalm.toml" in text


def test_one_beyond_its_margin_is_an_alert_that_nobody_measures_again(service: Service) -> None:
    rig = Rig(service, {})
    service.upload(body_of(run(1, metric(1000.0, 900.0))))
    rig.drain()
    (found,) = service.get("/projects/demo/alerts")
    assert (found["sha"], found["metric"], found["state"]) == (sha(1), "sessions", "confirmed")
    assert (found["ratio"], found["stage"]) == (pytest.approx(0.9), "chain")
    shown = service.get(f"/alerts/{found['id']}")
    assert shown["confirmed_at"] is None and shown["confirming"] is None
    assert "judged beside" in shown["history"][-1]["why"]
    state = {"state": "expected", "why": "sessions now keep their fragments"}
    service.post(f"/alerts/{found['id']}/state", "admin", 200, state)
    assert service.get(f"/alerts/{found['id']}")["reason"] == "sessions now keep their fragments"


def test_one_that_is_measured_again_by_hand_is_judged_by_itself(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cycles regress in the second run, and the metric does not."""
    use_line(monkeypatch, 3)
    rig = Rig(service, {sha(0): 150.0, sha(1): 200.0}, own_metrics=[metric(1000.0, 1000.0)])
    service.lease(204)
    service.upload(body_of(run(1, metric(1000.0, 900.0))))
    rig.drain()
    (found,) = service.get("/projects/demo/alerts")
    service.post(f"/alerts/{found['id']}/confirm", "admin", 200, {})
    rig.work_all("bench-1")
    confirming = service.get(f"/alerts/{found['id']}")["confirming"]
    assert confirming["state"] == "dismissed"
    (measured,) = confirming["measurements"]
    assert (measured["metric"], measured["outcome"]) == ("sessions", "same")


def test_a_bisection_of_one(service: Service) -> None:
    service.upload(body_of(run(1, metric(1000.0, 900.0))))
    requested = {"good": sha(0), "bad": sha(1), "scenario": "sfc_a", "metric": "seasons"}
    refused = service.post("/projects/demo/bisections", "admin", 422, requested)
    assert "those of its newest run are cpp, sessions." in str(refused)


def expected_of(service: Service, alert: int, bound: float | None = None, status: int = 200) -> list[Any]:
    """What the state `expected` of the alert declares: (metric, bound)."""
    change = {"state": "expected", "why": "fewer on purpose", "bound": bound}
    service.post(f"/alerts/{alert}/state", "admin", status, change)
    return [(one["metric"], one["bound"]) for one in service.get("/projects/demo/expectations")]


def test_the_state_expected_declares_less_of_what_should_be_more(service: Service) -> None:
    service.upload(body_of(run(1, metric(1000.0, 900.0))))
    (found,) = service.get("/projects/demo/alerts")
    assert expected_of(service, found["id"], 1.1, 422) == []
    assert expected_of(service, found["id"]) == [("sessions", pytest.approx(0.9))]
    assert service.get(f"/alerts/{found['id']}")["bound"] == pytest.approx(0.9)
    again = make_report(9, base=0, head=1)
    again = again.model_copy(update={"own_metrics": [metric(1000.0, 910.0)]})
    service.upload(body_of(again))
    (move,) = service.get(f"/alerts/{found['id']}")["moves"]
    assert (move["ratio"], move["fate"]) == (pytest.approx(0.91), "expected")


def test_a_bound_is_of_the_metric_that_leads(service: Service) -> None:
    service.upload(body_of(run(1, metric(1000.0, 500.0), head_costs={"nat": 200.0})))
    (found,) = service.get("/projects/demo/alerts")
    declared = dict(expected_of(service, found["id"], 1.4))
    assert declared == {"cpp": 1.4, "sessions": pytest.approx(0.5)}


def test_a_change_from_zero_is_an_alert_whose_texts_show_no_ratio(service: Service) -> None:
    drops = metric(0.0, 12.0, name="drops", better="lower", unit="packets")
    service.upload(body_of(run(1, drops)))
    (found,) = service.get("/projects/demo/alerts")
    assert (found["metric"], found["ratio"], found["low"]) == ("drops", None, None)
    assert found["severity"] == pytest.approx(0.7)
    (moved,) = service.get(f"/alerts/{found['id']}")["moves"]
    assert (moved["metric"], moved["ratio"], moved["fate"]) == ("drops", None, "alert")
    with service.context.read_sessions() as session:
        row = session.get_one(AlertRow, found["id"])
        text = alert_messages.message(session, row, "measured", service.clock()).text
    assert "regressed drops from 0 in chain" in text
    assert expected_of(service, found["id"], 1.5) == [("drops", None)]
    service.upload(body_of(run(2, metric(500.0, 0.0))))
    assert {one["metric"]: one["ratio"] for one in service.get("/projects/demo/alerts")} == {
        "drops": None,
        "sessions": None,
    }


@pytest.mark.parametrize("gates", [True, False])
def test_what_is_only_shown_makes_no_alert(service: Service, gates: bool) -> None:
    service.upload(body_of(run(1, metric(1000.0, 1300.0, gates=gates), metric(None, 1.0, name="gone"))))
    service.upload(body_of(run(2, metric(1000.0, 100.0, gates=False))))
    assert service.get("/projects/demo/alerts") == []


def test_cycles_lead_an_alert_and_a_metric_beside_them_keeps_it_open(service: Service) -> None:
    service.upload(body_of(run(1, metric(1000.0, 500.0), head_costs={"nat": 200.0})))
    (found,) = service.get("/projects/demo/alerts")
    assert (found["metric"], found["stage"], found["state"]) == ("cpp", "nat", "new")
    moves = service.get(f"/alerts/{found['id']}")["moves"]
    assert {(one["stage"], one["metric"]) for one in moves} == {
        ("chain", "cpp"),
        ("nat", "cpp"),
        ("chain", "sessions"),
    }


def test_a_stage_beyond_its_own_threshold_is_an_alert_of_the_stage(service: Service) -> None:
    report = run(1, head_costs={"nat": 152.0})
    wide = report.settings.model_copy(update={"margin": 0.1})
    limits = [Threshold(metric="cpp", stage="nat", margin=0.005)]
    service.upload(body_of(report.model_copy(update={"settings": wide, "thresholds": limits})))
    (found,) = service.get("/projects/demo/alerts")
    assert (found["metric"], found["stage"], found["state"]) == ("cpp", "nat", "confirmed")


def test_the_verdict_names_each_metric(service: Service) -> None:
    service.upload(body_of(run(1, metric(1000.0, 900.0), metric(1.0, None, name="gone"))))
    verdict = service.get(f"/runs/{1:032x}")["verdict"]
    assert verdict["outcome"] == "same"
    assert [(one["metric"], one["outcome"]) for one in verdict["metrics"]] == [
        ("sessions", "regressed"),
        ("gone", "missing"),
    ]
    assert verdict["metrics"][1]["reason"] == f"{Arm.HEAD}: it printed 'no'"
