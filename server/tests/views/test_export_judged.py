# SPDX-License-Identifier: Apache-2.0
"""What was judged, written out: each format read back by a reader of its own, on both databases."""

from __future__ import annotations

import csv
import io
from typing import Any

import pyarrow.parquet as pq
import pytest
from nalm_core.report.serialization import dump_report
from nalm_server.changepoints.models import ChangePointRow
from nalm_server.results.series.models import SeriesRow
from nalm_server.views.exports.tables import SOURCES, Table
from nalm_server_experiments import UNDER_LOAD
from nalm_server_features import FEATURES, WITH_DPI, with_features
from nalm_server_harness import Scenes, Service
from nalm_server_rates import rates
from nalm_server_reports import COSTS, body_of, make_report, sha
from nalm_server_seeded import add_judged, experiment
from sqlalchemy import select

PATH = "/api/v1/projects/demo/export"
WITHOUT_TIME = (Table.PRICES, Table.NCPP)


def make_judged(service: Service) -> None:
    """Something in each table: a merge that adds dpi, and what was said of the commit before it."""
    service.upload(body_of(make_report(1, functions={"nat": {"flow_find": 280, "checksum": 50}})))
    sides = {"base": (COSTS, FEATURES), "head": (WITH_DPI, (*FEATURES, "dpi")), "head_as_base": COSTS}
    service.upload(body_of(with_features(2, **sides)))
    service.upload(dump_report(rates(3, sha(2), sha(3))))
    add_judged(service)
    times = {"created_at": service.clock(), "updated_at": service.clock(), "finished_at": service.clock()}
    with service.context.sessions() as session:
        series = session.scalars(select(SeriesRow.id).where(SeriesRow.metric == "cpp").limit(1)).one()
        point = ChangePointRow(series_id=series, commit_id=1, low_commit_id=2, high_commit_id=1)
        point.ratio, point.probability, point.p_value, point.significant = 1.07, 0.999, 0.001, True
        point.state, point.detected_at = "standing", service.clock()
        session.add(point)
        for number, (kind, document) in enumerate(UNDER_LOAD.items(), start=2):
            session.add(experiment(number, kind, result=document, **times))
        session.commit()


@pytest.fixture
def judged(service: Service, scenes: Scenes) -> Service:
    scenes.begin(service, "judged", make_judged)
    return service


def rows_of(service: Service, form: str, table: str, **given: Any) -> list[dict[str, Any]]:
    answer = service.client.get(PATH, params={"format": form, "table": table, **given})
    assert answer.status_code == 200, answer.text
    if form == "csv":
        return list(csv.DictReader(io.StringIO(answer.text)))
    if form == "parquet":
        return list(pq.read_table(io.BytesIO(answer.content)).to_pylist())
    return list(answer.json())


def test_each_table_holds_the_same_rows_in_each_format(judged: Service) -> None:
    for table in Table:
        text, columns, objects = (rows_of(judged, form, table) for form in ("csv", "parquet", "json"))
        assert len(text) == len(columns) == len(objects) > 0, table
        for one, other, third in zip(text, columns, objects, strict=True):
            assert list(one) == list(other) == list(third) == list(SOURCES[table].row._fields)
            assert {name for name, value in one.items() if value == ""} == {
                name for name, value in other.items() if value is None
            }
            for name, value in third.items():
                if isinstance(value, float):
                    assert float(one[name]) == other[name] == value


@pytest.mark.nightly
@pytest.mark.dialects
def test_what_the_rows_say(judged: Service) -> None:
    (alert,) = rows_of(judged, "json", "alerts")
    assert (alert["commit"], alert["state"], alert["muted"]) == (sha(0), "confirmed", False)
    (point,) = rows_of(judged, "json", "change-points")
    assert (point["commit"], point["low_commit"], point["ratio"]) == (sha(1), sha(0), 1.07)
    (cell,) = rows_of(judged, "csv", "experiments")
    assert (cell["kind"], cell["cell"], float(cell["ratio"])) == ("features", "without nat", 0.9)
    counts = rows_of(judged, "csv", "core-counts")
    assert [(one["chain"], one["lcores"], float(one["pps"])) for one in counts] == [
        ("nop", "1", 2.005e6),
        ("nop", "2", 3.71e6),
        ("nop", "4", 5.925e6),
    ]
    (load,) = rows_of(judged, "json", "queue-loads", host_class="vm-2")
    assert (load["table"], load["batch"], load["measured_batch"]) == ("nop", 64, 12.5)
    shares = rows_of(judged, "json", "flow-shares", scenario="acl_cache")
    assert [(one["design"], one["share"], one["left_out"]) for one in shares] == [
        ("cache", 0.01, 1),
        ("cache", 0.2, 1),
    ]
    (trial,) = rows_of(judged, "csv", "trials")
    assert (trial["expected"], trial["outcome"], trial["correct"]) == ("same", "regressed", "false")
    costliest = rows_of(judged, "parquet", "functions")[0]
    assert (costliest["stage"], costliest["function"], costliest["ipp"]) == ("nat", "flow_find", 280)
    assert (costliest["cpp"], costliest["cpp_error"]) == (None, None), "nothing was sampled"
    merge = [one for one in rows_of(judged, "json", "prices") if one["source"] == "merge"]
    assert [(one["feature"], one["commit"]) for one in merge] == [("dpi", sha(2))]
    assert merge[0]["cycles"] == pytest.approx(400, rel=0.05)
    ncpp = rows_of(judged, "parquet", "ncpp")
    assert [(one["commit"], one["ncpp"]) for one in ncpp] == [(sha(1), None), (sha(2), None)]
    assert all(one["missing"] for one in ncpp), "no experiment has told what features cost"


@pytest.mark.nightly
@pytest.mark.dialects
def test_filters_go_by_columns_and_a_table_without_one_says_so(judged: Service) -> None:
    for table in Table:
        if "scenario" in SOURCES[table].row._fields:
            assert rows_of(judged, "json", table, scenario="other") == []
        if table not in WITHOUT_TIME:
            assert rows_of(judged, "json", table, since="2030-01-01T00:00:00Z") == []
    for table, given in (("experiments", "scenario"), ("ncpp", "metric"), ("prices", "since")):
        value = "2030-01-01T00:00:00Z" if given == "since" else "sfc_a"
        answer = judged.client.get(PATH, params={"table": table, given: value})
        assert answer.status_code == 422
        assert f"Table {table} has no" in answer.json()["error"]["message"]


def test_openmetrics_is_for_series(judged: Service) -> None:
    answer = judged.client.get(PATH, params={"table": "alerts", "format": "openmetrics"})
    assert answer.status_code == 422
    assert "csv, json or parquet" in answer.json()["error"]["message"]
