# SPDX-License-Identifier: Apache-2.0
"""Histories of C functions: stored, bounded, listed and read beside stages, on both databases."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_core.report.catalogue import METRICS
from nalm_core.report.profile import Profile, ProfiledFunction
from nalm_core.report.run_report import Arm, RunReport
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.results import function_backfill, functions
from nalm_server.results.series import functions_repository
from nalm_server.results.series.models import FUNCTION_BYTES, FunctionSeriesRow, FunctionValueRow
from nalm_server.views.history import functions as functions_view
from nalm_server_harness import Scenes, Service
from nalm_server_reports import PACKETS, body_of, make_report
from sqlalchemy import delete, func, select, update

HISTORY = "/projects/demo/scenarios/sfc_a/history"
LISTED = "/projects/demo/scenarios/sfc_a/functions"
LINES = "/projects/demo/lines"
NAT = {"flow_find": 280, "checksum": 45, "log_once": 1}
L3FWD = {"fib_lookup": 90}


def report(number: int, *, flow_find: int = 280, **given: Any) -> RunReport:
    named = {"nat": NAT | {"flow_find": flow_find}, "l3fwd": L3FWD}
    return make_report(number, functions=named, **given)


def make_stored(service: Service) -> None:
    """flow_find costs 281 at commit 1, 282 at 2."""
    for number in (1, 2):
        service.upload(body_of(report(number, flow_find=280 + number)))


@pytest.fixture
def stored(service: Service, scenes: Scenes) -> Service:
    scenes.begin(service, "stored", make_stored)
    return service


def names(service: Service, **requested: Any) -> list[tuple[str, str]]:
    return [(one["stage"], one["name"]) for one in service.get(LISTED, **requested)]


@pytest.mark.dialects
def test_the_costliest_are_listed_and_searched(stored: Service) -> None:
    assert names(stored) == [("nat", "flow_find"), ("l3fwd", "fib_lookup"), ("nat", "checksum")]
    assert stored.get(LISTED)[0] == {
        "stage": "nat",
        "name": "flow_find",
        "ipp": 282,
        "calls": (PACKETS // 32) / PACKETS,
        "gone": False,
    }
    assert names(stored, part="FIB_") == [("l3fwd", "fib_lookup")]
    assert names(stored, part="nat", limit=1) == [("nat", "flow_find")]
    assert names(stored, part="%") == []


def test_one_that_ran_no_more_is_listed_last_and_has_a_gap(stored: Service) -> None:
    stored.upload(body_of(make_report(3, functions={"l3fwd": L3FWD})))
    assert [(one["name"], one["gone"]) for one in stored.get(LISTED)] == [
        ("fib_lookup", False),
        ("flow_find", True),
        ("checksum", True),
    ]
    (line,) = stored.get(LINES, scenario="sfc_a", metric="ipp", function="nat>flow_find")["lines"]
    assert line["stages"][0]["value"] == [281, 282, None]


@pytest.mark.dialects
def test_functions_stand_beside_the_stages_requested_or_alone(stored: Service) -> None:
    requested = {"scenario": "sfc_a", "metric": "ipp", "function": ["nat>flow_find", "l3fwd>fib_lookup"]}
    (alone,) = stored.get(LINES, **requested)["lines"]
    assert [(one["stage"], one["function"]) for one in alone["stages"]] == [
        ("nat", "flow_find"),
        ("l3fwd", "fib_lookup"),
    ]
    assert alone["stages"][0]["value"] == alone["stages"][0]["low"] == [281, 282]
    (beside,) = stored.get(LINES, **requested, stage="nat")["lines"]
    assert [(one["stage"], one["function"]) for one in beside["stages"][:2]] == [
        ("nat", None),
        ("nat", "flow_find"),
    ]
    history = stored.get(HISTORY, metric="ipp", function="nat>flow_find")
    assert history["stages"] == ["nat>flow_find"]
    assert [one["values"]["nat>flow_find"]["value"] for one in history["points"]] == [281, 282]
    assert history["points"][0]["values"]["nat>flow_find"]["source"] == "simulated"


def test_calls_are_of_functions(stored: Service) -> None:
    (line,) = stored.get(LINES, scenario="sfc_a", metric="calls", function="nat>flow_find")["lines"]
    assert line["stages"][0]["value"] == [(PACKETS // 32) / PACKETS] * 2
    assert "choose at least one" in stored.get(HISTORY, metric="calls")["missing"]


def sampled(number: int, flow_find: int, every: int = 1000) -> RunReport:
    """flow_find has these of all samples."""
    function = ProfiledFunction(name="flow_find", object="nf", samples=flow_find, stage="nat")
    profile = Profile(arm=Arm.HEAD, event="cpu-clock", frequency_hz=4000, samples=every, functions=[function])
    return report(number).model_copy(update={"profiles": [profile]})


@pytest.mark.dialects
def test_cycles_of_functions_have_the_error_of_their_samples(service: Service) -> None:
    for number, samples in ((1, 400), (2, 24)):
        service.upload(body_of(sampled(number, samples)))
    requested = {"scenario": "sfc_a", "function": "nat>flow_find"}
    chain = service.get(HISTORY, metric="cpp")["points"][0]["values"]["chain"]["value"]
    (line,) = service.get(LINES, **requested, metric="cpp")["lines"]
    (cycles,) = line["stages"]
    assert cycles["value"] == [pytest.approx(0.4 * chain), None], "24 samples carry no figure"
    half = functions_view.DEVIATIONS * 0.02 * chain
    assert cycles["low"][0] == pytest.approx(0.4 * chain - half)
    assert cycles["high"][0] == pytest.approx(0.4 * chain + half)
    shown = service.get(HISTORY, metric="eipc", function="nat>flow_find")["points"][0]["values"]
    eipc = shown["nat>flow_find"]
    assert eipc["value"] == pytest.approx(280 / (0.4 * chain))
    assert eipc["low"] < eipc["value"] < eipc["high"]
    assert eipc["source"] == "tsc+samples+simulated"
    assert service.get(HISTORY, metric="cpp", function="nat>flow_find")["missing"] is None


def test_functions_without_samples_have_no_cycles_and_it_is_said(stored: Service) -> None:
    history = stored.get(HISTORY, metric="cpp", function="nat>flow_find")
    assert [one["values"] for one in history["points"]] == [{"nat>flow_find": None}] * 2
    assert "its cycles are missing" in history["missing"]


@pytest.mark.parametrize("path", [HISTORY, LINES])
def test_what_functions_do_not_have_is_said(stored: Service, path: str) -> None:
    requested = {"scenario": "sfc_a"} if path == LINES else {}
    unfit = stored.get(path, 422, **requested, metric="cur", function="nat>flow_find")
    assert "C functions have ipp and calls and cpp and eipc" in unfit["error"]["message"]
    unknown = stored.get(path, 404, **requested, metric="ipp", function="nat>missing")
    assert "'nat>missing'" in unknown["error"]["message"]
    stored.get(path, 422, **requested, metric="ipp", function="flow_find")


def test_a_scenario_without_the_function_is_shown_beside_one_that_has_it(stored: Service) -> None:
    stored.upload(body_of(make_report(3, scenario="sfc_b")))
    lines = stored.get(LINES, scenario=["sfc_a", "sfc_b"], metric="ipp", function="nat>flow_find")["lines"]
    assert [len(line["stages"]) for line in lines] == [1, 0]


@pytest.mark.dialects
def test_without_a_run_of_the_default_branch_there_is_no_point(stored: Service) -> None:
    with stored.context.sessions() as session:
        session.execute(update(CommitRow).values(listed=False))
        session.commit()
    (line,) = stored.get(LINES, scenario="sfc_a", metric="ipp", function="nat>flow_find")["lines"]
    assert (line["at"], [one["value"] for one in line["stages"]]) == ([], [[]])
    assert stored.get(HISTORY, metric="ipp", function="nat>flow_find")["points"] == []


def test_one_with_a_series_is_recorded_however_cheap_it_grows(stored: Service) -> None:
    stored.upload(body_of(report(3, flow_find=1)))
    (line,) = stored.get(LINES, scenario="sfc_a", metric="ipp", function="nat>flow_find")["lines"]
    assert line["stages"][0]["value"] == [281, 282, 1]


@pytest.mark.dialects
def test_a_run_begins_no_more_series_than_the_bound_and_none_for_a_name_too_long(service: Service) -> None:
    many = {f"f{number}": 500 - number for number in range(functions.MOST + 10)}
    service.upload(body_of(make_report(1, functions={"nat": {"x" * (FUNCTION_BYTES + 1): 1000, **many}})))
    assert names(service, limit=1000) == [("nat", f"f{number}") for number in range(functions.MOST)]


def test_invalid_runs_enter_none(service: Service) -> None:
    service.upload(body_of(report(1, failed_check=True)))
    assert names(service) == []


@pytest.mark.dialects
def test_a_project_takes_its_functions_with_it(stored: Service) -> None:
    with stored.context.sessions() as session:
        session.execute(delete(ProjectRow).where(ProjectRow.name == "demo"))
        for table in (FunctionSeriesRow, FunctionValueRow):
            assert session.scalar(select(func.count()).select_from(table)) == 0


@pytest.mark.dialects
def test_reports_from_before_are_filled_in_once(stored: Service) -> None:
    with stored.context.sessions() as session:
        project = session.scalars(select(ProjectRow.id).where(ProjectRow.name == "demo")).one()
        session.execute(delete(FunctionSeriesRow))
        session.commit()
    assert names(stored) == []
    assert sum(function_backfill.fill(stored.context, project)) == 2
    assert list(function_backfill.fill(stored.context, project)) == []
    (line,) = stored.get(LINES, scenario="sfc_a", metric="ipp", function="nat>flow_find")["lines"]
    assert line["stages"][0]["value"] == [281, 282]
    assert line["run_id"] == [f"{number:032x}" for number in (1, 2)]


def test_metrics_of_functions_are_the_catalogues() -> None:
    of_functions = {name for name, one in METRICS.items() if "function" in one.scopes}
    assert set(functions_repository.METRICS) == of_functions
