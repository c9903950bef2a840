# SPDX-License-Identifier: Apache-2.0
"""Models from measured runs: what a run gives, answers, and refusals by the input's name."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_core.models.documents import queue as queues
from nalm_core.report.batch_sizes import LcoreBatches
from nalm_core.report.host_supply import HostSupply
from nalm_core.report.offered_load import OfferedLoad
from nalm_core.report.run_report import Arm, RunReport
from nalm_server.views.predictions import service as predictions
from nalm_server_harness import Service, counted
from nalm_server_reports import COSTS, TSC_HZ, at_load, body_of, make_report

DEMO = "/projects/demo/predictions"
LINE = {"base_ns": 100, "packet_ns": 50}


def upload(service: Service, number: int, scenario: str, lcores: int, **scenario_of: Any) -> str:
    report = make_report(number, head=1, base=0, scenario=scenario, base_costs=COSTS)
    made = report.scenario.model_copy(update={"lcores": lcores, **scenario_of})
    service.upload(body_of(RunReport.model_validate(report.model_copy(update={"scenario": made}))))
    return report.run_id


def answer(service: Service, model: str, given: dict[str, Any], status: int = 200) -> dict[str, Any]:
    found = service.post(f"{DEMO}/{model}", "admin", status, given)
    assert isinstance(found, dict)
    return found


def refusal(service: Service, model: str, given: dict[str, Any]) -> str:
    error = answer(service, model, given, 422)["error"]
    return f"{error['message']} {[one['path'] for one in error['details']]}"


def test_runs_of_a_commit_and_what_one_gives(service: Service) -> None:
    one = upload(service, 1, "sfc_a", 1)
    two = upload(service, 2, "sfc_a_2", 2)
    upload(service, 3, "sfc_b", 4, traffic="other.pcap")
    with counted(service) as few:
        found = service.get(DEMO)
    assert [run["scenario"] for run in found["runs"]] == ["sfc_a", "sfc_a_2", "sfc_b"]
    assert found["runs"][0]["run_id"] == one and found["runs"][0]["cpp"] == pytest.approx(260, rel=0.01)
    inputs = service.get(f"/runs/{two}/model-inputs")
    assert inputs["frequency_hz"] == TSC_HZ and inputs["lcores"] == 2 and inputs["model"] == "rtc"
    assert [(rates["lcores"], len(rates["rates"])) for rates in inputs["rates"]] == [(1, 6), (2, 6)]
    assert inputs["work"] is None and "expected a pipeline" in inputs["missing"]["work"]
    assert inputs["l1d_bytes"] is None or "l1d_bytes" not in inputs["missing"]
    upload(service, 4, "sfc_c", 1)
    with counted(service) as many:
        assert len(service.get(DEMO)["runs"]) == 4
    assert len(many) == len(few)


def test_measured_batches_are_an_input_of_the_queue(service: Service) -> None:
    report = make_report(1, head=1, base=0)
    assert service.get(f"/runs/{upload(service, 2, 'sfc_b', 1)}/model-inputs")["batches"] is None
    sizes = {0: (100, 20_000), 16: (900, 900_000), 32: (900, 1_500_000)}
    batches = {Arm.HEAD: [LcoreBatches(lcore=0, sizes=sizes)]}
    service.upload(body_of(RunReport.model_validate(report.model_copy(update={"batches": batches}))))
    inputs = service.get(f"/runs/{report.run_id}/model-inputs")
    assert inputs["batches"]["batches"]["32"] == [900, 1_500_000] and inputs["batches"]["tsc_hz"] == TSC_HZ
    assert inputs["load"] == "closed" and "batches" not in inputs["missing"]
    given = {"pps": [5e6], "queue": 256, "batch": 32, "measured": inputs["batches"]}
    found = answer(service, "queue", given)
    assert found["agreement"]["divergence"] > 0 and {0, 16, 32}.isdisjoint(found["fitted_sizes"])


def test_a_queue_is_not_solved_again(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[list[float]] = []

    def solve(one: queues.QueueInput) -> queues.QueueAnswer:
        solved.append(one.pps)
        return queues.queue_answer(one)

    monkeypatch.setattr(predictions, "queue_answer", solve)
    given: dict[str, Any] = {"pps": [7_000_000], "queue": 256, "batch": 32, "line": LINE}
    first = answer(service, "queue", given)
    assert answer(service, "queue", given) == first and solved == [given["pps"]]
    assert answer(service, "queue", given | {"queue": 512})["queue"] == 512 and len(solved) == 2


def test_every_scenario_has_its_bound_beside_its_rate(service: Service) -> None:
    upload(service, 1, "sfc_a", 1)
    report = make_report(2, head=1, base=0, scenario="sfc_b", host_class="metal")
    supply = HostSupply(
        one={"instructions": 9e9}, together={"instructions": 16e9}, cpus=2, core_hz=3e9, missing={}
    )
    host = report.host.model_copy(update={"supply": supply, "latencies_at": report.finished_at})
    service.upload(body_of(RunReport.model_validate(report.model_copy(update={"host": host}))))
    found = service.get(f"{DEMO}/bounds")
    rows = {one["scenario"]: one for one in found["scenarios"]}
    assumed, measured = rows["sfc_a"], rows["sfc_b"]
    ipp = 4 * TSC_HZ / assumed["bounds_pps"]["cores"]
    assert measured["bounds_pps"]["cores"] == pytest.approx(9e9 / ipp)
    for one in (assumed, measured):
        assert one["bottleneck"] == "cores" and one["missing"] is None
        assert one["share"] == pytest.approx(one["measured_pps"] / one["bounds_pps"]["cores"])
        assert one["share"] <= 1
    assert any("assumed to do 4 instructions per cycle" in note for note in assumed["notes"])
    assert not any("assumed" in note for note in measured["notes"])
    assert any("caches and memory bound nothing here" in note for note in found["notes"])


def test_a_run_at_a_partial_load_gives_no_inputs(service: Service) -> None:
    upload(service, 1, "sfc_a", 1)
    report = make_report(2, head=1, base=0, scenario="half", base_costs=COSTS)
    service.upload(body_of(at_load(report, OfferedLoad(name="0.5MRR", pps=3_000_000))))
    assert [run["scenario"] for run in service.get(DEMO)["runs"]] == ["sfc_a"]
    refused = service.get(f"/runs/{report.run_id}/model-inputs", 404)
    assert "is of the load 0.5MRR; use a run at full load" in refused["error"]["message"]


def test_nothing_measured(service: Service) -> None:
    assert "Nothing has been measured" in service.get(DEMO, 404)["error"]["message"]
    service.get(f"/runs/{'0' * 32}/model-inputs", 404)


def test_twenty_mpps_on_eight_lcores(service: Service) -> None:
    upload(service, 1, "sfc_a", 1)
    given = {"pps": 20e6, "lcores": 8, "frequency_hz": TSC_HZ, "cpp": 260.0, "measured_lcores": 1}
    found = answer(service, "budget", given)
    assert found["share"] == 1 and found["lcores_needed"] == 3 and found["extrapolated"]
    queue = {"pps": [20e6], "lcores": 8, "queue": 256, "batch": 32, "line": LINE}
    (load,) = answer(service, "queue", queue)["loads"]
    assert load["loss"] < 1e-9 and load["lcores"] == 8


def test_inputs_that_a_model_cannot_carry_are_refused_by_name(service: Service) -> None:
    upload(service, 1, "sfc_a", 1)
    few = {"rates": [{"lcores": 1, "rates": [1e6]}, {"lcores": 2, "rates": [2e6]}]}
    assert "core counts: 2 given, expected at least 3" in refusal(service, "speedup", few)
    npu: dict[str, Any] = {"chip": "npu", "demand": {"cores": 104, "cache": 25}}
    assert "load: 1000.000 Mpps is above the capacity" in refusal(
        service, "capacity", npu | {"load_pps": 1e9}
    )
    queue: dict[str, Any] = {"pps": [1e6], "line": LINE}
    assert "queue: 64 packets are fewer" in refusal(service, "queue", queue | {"queue": 64, "batch": 128})
    assert "time of a batch: expected either" in refusal(service, "queue", {"pps": [1e6]})
    assert "pps: 64 loads" in refusal(service, "queue", queue | {"pps": [1e6] * 64})
    assert "body.lcores" in refusal(service, "budget", {"lcores": 0, "frequency_hz": 1e9, "cpp": 1, "pps": 1})
    tiny = {"chip": "npu", "demand": {"cores": 1e-308}}
    assert "too large or too small" in refusal(service, "capacity", tiny)


def test_the_fewest_lcores_take_the_time_of_those_that_are_tried(service: Service) -> None:
    queue = {"pps": [20e6], "queue": 1024, "batch": 32, "line": LINE, "loss": 1e-5}
    found = answer(service, "queue", queue | {"most_lcores": 8})
    (load,) = found["loads"]
    assert load["lcores"] == 2 and load["loss"] <= 1e-5 and found["loss_with_fewer"][0] > 0.05
    assert "pps: 1 loads" in refusal(service, "queue", queue | {"most_lcores": 256})
