# SPDX-License-Identifier: Apache-2.0
"""Chains, execution models and variants of one commit beside each other."""

from __future__ import annotations

from statistics import fmean

import pytest
from nalm_core.experiments.result import AblationResult, ModelRow, ModelsResult
from nalm_core.report.cell import Kind
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import dump_report
from nalm_core.verdict.change import Figure
from nalm_server.auth.access import project_repository as projects
from nalm_server.features.measured_repository import at_commit
from nalm_server.results.series.models import SeriesRow, SeriesValueRow
from nalm_server_harness import Scenes, Service
from nalm_server_rates import rates, shifted
from nalm_server_reports import COSTS, LAUNCHES, body_of, in_layouts, make_report, sha
from nalm_server_seeded import experiment
from sqlalchemy import select

PIPELINE = {**COSTS, "nat": 250.0}
CACHED = {**COSTS, "nat": 90.0}


def upload(service: Service, number: int, scenario: str, costs: dict[str, float], model: str = "rtc") -> None:
    report = make_report(number, head=1, base=0, scenario=scenario, base_costs=costs)
    made = report.scenario.model_copy(update={"model": model})
    service.upload(body_of(RunReport.model_validate(report.model_copy(update={"scenario": made}))))


def make_measured(service: Service) -> None:
    upload(service, 1, "sfc_a", COSTS)
    upload(service, 2, "sfc_a_pipeline", PIPELINE, "pipeline")
    upload(service, 3, "sfc_a_flow_cache", CACHED)
    upload(service, 4, "sfc_b", COSTS)


@pytest.fixture
def measured(service: Service, scenes: Scenes) -> Service:
    scenes.begin(service, "measured", make_measured)
    return service


def test_models_of_a_chain_stand_beside_each_other(measured: Service) -> None:
    found = measured.get("/projects/demo/models")
    assert found["commit"]["sha"] == sha(1)
    rows = {one["scenario"]: one for one in found["rows"]}
    assert rows["sfc_a"]["chain"] == "nat, l3fwd" and rows["sfc_a"]["ratio_cpp"] is None
    pipeline = rows["sfc_a_pipeline"]
    assert pipeline["model"] == "pipeline"
    assert pipeline["ratio_cpp"] == pytest.approx(360 / 260, abs=0.01)
    assert pipeline["low"] < pipeline["ratio_cpp"] < pipeline["high"]
    assert {"cpp", "ipp", "eipc", "pps"} <= set(pipeline["figures"])
    assert measured.get("/projects/demo/models", commit=sha(1)[:8]) == found


def test_a_variant_has_its_contribution_and_reach(measured: Service) -> None:
    variants = measured.get("/projects/demo/ablation")["variants"]
    (cache,) = variants
    assert cache["name"] == "flow_cache" and cache["reach"] == ["sfc_a"] and cache["harms"] == []
    assert cache["on"][0]["ratio_cpp"] == pytest.approx(200 / 260, abs=0.01)


COSTS_OF = {"sfc_a": 260.0, "sfc_b": 150.0, "sfc_c": 400.0, "sfc_d": 320.0}


@pytest.mark.dialects
def test_cost_stands_beside_the_no_drop_rate(service: Service) -> None:
    for number, (scenario, cost) in enumerate(COSTS_OF.items(), 1):
        upload(service, number, scenario, {stage: cost / len(COSTS) for stage in COSTS})
        factor = 1.3 if scenario == "sfc_c" else 260 / cost  # costs most, and is not the slowest
        report = shifted(rates(10 + number, sha(0), sha(1), name=f"{scenario}:rate"), {"ndr_pps": factor})
        if scenario != "sfc_d":
            service.upload(dump_report(report))
    (host,) = service.get("/projects/demo/models")["rates"]
    assert [one["scenario"] for one in host["scenarios"]] == ["sfc_b", "sfc_a", "sfc_c"]
    first = host["scenarios"][0]
    assert (first["run_id"], first["rate_run_id"]) == (f"{2:032x}", f"{12:032x}")
    assert host["rank_correlation"] is None  # three scenarios
    service.upload(dump_report(shifted(rates(14, sha(0), sha(1), name="sfc_d:rate"), {"ndr_pps": 0.7})))
    (host,) = service.get("/projects/demo/models")["rates"]
    assert [one["cpp"] for one in host["scenarios"]] == pytest.approx([150, 260, 320, 400], rel=0.01)
    assert host["rank_correlation"] == pytest.approx(-0.4)


@pytest.mark.dialects
@pytest.mark.parametrize("relinked", [True, False])
def test_launches_of_one_layout_are_not_independent(service: Service, relinked: bool) -> None:
    """Three layouts of code with two launches each are three values; six launches of one layout are six."""
    for number, scenario, level in ((1, "sfc_a", 1.0), (2, "sfc_a_flow_cache", 0.85)):
        report = make_report(number, head=1, base=0, scenario=scenario)
        effects = [level * one for one in (0.9, 1.0, 1.1)]
        service.upload(body_of(in_layouts(report, effects, relinked=relinked)))
    (cache,) = service.get("/projects/demo/ablation")["variants"]
    (pair,) = cache["on"]
    assert pair["ratio_cpp"] == pytest.approx(0.85, abs=0.01)
    assert cache["reach"] == ([] if relinked else ["sfc_a"])
    assert (pair["low"] < 1 < pair["high"]) is relinked
    with service.context.read_sessions() as session:
        _, found = at_commit(session, projects.get(session, 1), None)
        assert [len(one.units) for one in found] == [3 if relinked else LAUNCHES] * 2
        assert [len(one.rates) for one in found] == [3 if relinked else LAUNCHES] * 2
        stored = session.execute(
            select(SeriesValueRow.launches, SeriesValueRow.units)
            .join(SeriesRow, SeriesRow.id == SeriesValueRow.series_id)
            .where(SeriesRow.metric == "cpp", SeriesRow.stage == "chain")
        )
        for launches, units in stored:
            assert units == (
                pytest.approx([fmean(launches[at : at + 2]) for at in (0, 2, 4)]) if relinked else None
            )


def test_nothing_measured_is_not_found(service: Service) -> None:
    assert "Nothing has been measured" in service.get("/projects/demo/models", 404)["error"]["message"]
    assert service.get("/projects/demo/ablation", 404, commit="v1")["error"]


def test_what_experiments_found_at_the_commit_is_shown_beside_it(measured: Service) -> None:
    base = Figure(cpp=260.0, sources={"cpp": "tsc"})
    row = ModelRow(
        chain="sfc_a", model="rtc", figure=base, pps=7e6, stages={}, ratio_cpp=None, low=None, high=None
    )
    whole = {"cells": 1, "taken": 1, "partial": False, "unusable": {}}
    found = {
        Kind.MODELS: ModelsResult(rows=[row], **whole),
        Kind.ABLATION: AblationResult(contributions=[], **whole),
    }
    now = measured.clock()
    with measured.context.sessions() as session:
        for number, (kind, result) in enumerate(found.items()):
            times = {"created_at": now, "updated_at": now}
            document = result.model_dump(mode="json")
            session.add(experiment(2 * number + 1, kind, sha(1), document, **times))
            session.add(experiment(2 * number + 2, kind, sha(1), **times))
        session.commit()
    (models,) = measured.get("/projects/demo/models")["experiments"]
    assert models["result"]["rows"][0]["figure"]["cpp"] == 260
    (ablation,) = measured.get("/projects/demo/ablation")["experiments"]
    assert ablation["host_class"] == "vm-2"


def test_practices_say_what_the_projects_variants_measured(measured: Service) -> None:
    found = measured.get("/projects/demo/practices")
    (first, *_) = found["practices"]
    assert first["rule"] == "first-packet-decides" and first["text"]
    (effect,) = first["measured"]
    assert effect["says"].startswith("flow_cache saved 23.1 % [") and "sfc_a's cycles" in effect["says"]
    assert not effect["side_by_side"]
    (cache,) = found["variants"]
    assert (cache["reached"], cache["chains"]) == (1, 1)
    assert cache["contribution"] == pytest.approx(1.3, abs=0.01)
