# SPDX-License-Identifier: Apache-2.0
"""Series written out: each format read back by a reader of its own."""

from __future__ import annotations

import csv
import io
from datetime import datetime
from typing import Any

import pyarrow.parquet as pq
import pytest
from nalm_server.jobs.agents.models import HostRow
from nalm_server.views.exports.schemas import ExportRow
from nalm_server.views.exports.text import as_csv
from nalm_server_harness import Scenes, Service
from nalm_server_reports import STARTED, body_of, make_report, sha
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from sqlalchemy import update

pytestmark = pytest.mark.dialects

PATH = "/api/v1/projects/demo/export"


def make_stored(service: Service) -> None:
    for number in (2, 1):
        service.upload(body_of(make_report(number)))


@pytest.fixture
def stored(service: Service, scenes: Scenes) -> Service:
    scenes.begin(service, "stored", make_stored)
    return service


def fetched(service: Service, form: str, **given: Any) -> bytes:
    answer = service.client.get(PATH, params={"format": form, **given})
    assert answer.status_code == 200, answer.text
    return answer.content


def rows_of(service: Service, form: str) -> list[dict[str, Any]]:
    content = fetched(service, form)
    if form == "csv":
        return list(csv.DictReader(io.StringIO(content.decode())))
    if form == "parquet":
        return list(pq.read_table(io.BytesIO(content)).to_pylist())
    return list(service.client.get(PATH, params={"format": form}).json())


def test_formats_hold_the_same_rows_along_the_first_parent(stored: Service) -> None:
    text, table, objects = (rows_of(stored, form) for form in ("csv", "parquet", "json"))
    assert len(text) == len(table) == len(objects) > 20
    assert list(text[0]) == list(table[0]) == list(objects[0]) == list(ExportRow._fields)
    assert [row["commit"] for row in objects] == [sha(1)] * (len(objects) // 2) + [sha(2)] * (
        len(objects) // 2
    )
    for one, other, third in zip(text, table, objects, strict=True):
        assert float(one["value"]) == other["value"] == third["value"]
        assert datetime.fromisoformat(one["time"]) == other["time"] == datetime.fromisoformat(third["time"])
        assert one["stage"] == other["stage"] == third["stage"]
    chain = next(row for row in objects if row["stage"] == "chain" and row["metric"] == "cpp")
    assert (chain["n"], chain["unit"], chain["source"], chain["host"]) == (
        6,
        "cycles/packet",
        "tsc",
        "bench-vm-2",
    )


def test_without_pyarrow_parquet_is_refused_in_words(
    stored: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nalm_server.views.exports.service.find_spec", lambda name: None)
    answer = stored.client.get(PATH, params={"format": "parquet"})
    assert answer.status_code == 501
    error = answer.json()["error"]
    assert error["name"] == "not_installed" and "nalm-server[parquet]" in error["message"]
    assert stored.client.get(PATH, params={"format": "csv"}).status_code == 200


def test_openmetrics_has_the_newest_value_of_each_series_with_its_time(stored: Service) -> None:
    families = {
        one.name: one for one in text_string_to_metric_families(fetched(stored, "openmetrics").decode())
    }
    assert {"nalm_cpp", "nalm_ipp", "nalm_pps"} <= set(families)
    (chain,) = (one for one in families["nalm_cpp"].samples if one.labels["stage"] == "chain")
    assert float(chain.timestamp) == STARTED.timestamp() + 120
    assert chain.labels["project"] == "demo"
    assert chain.value == pytest.approx(260, rel=0.02)


def test_filters(stored: Service) -> None:
    few = stored.client.get(PATH, params={"format": "json", "metric": "pps"}).json()
    assert {row["metric"] for row in few} == {"pps"}
    late = stored.client.get(PATH, params={"format": "json", "since": "2026-11-20T12:02:00Z"}).json()
    assert {row["commit"] for row in late} == {sha(2)}
    none = stored.client.get(PATH, params={"format": "json", "scenario": "other"}).json()
    assert none == []
    assert pq.read_table(io.BytesIO(fetched(stored, "parquet", scenario="other"))).num_rows == 0


def test_cell_that_a_spreadsheet_would_run_is_text(stored: Service) -> None:
    with stored.context.sessions() as session:
        session.execute(update(HostRow).values(name="=cmd|'/c calc'!A1"))
        session.commit()
    assert {row["host"] for row in rows_of(stored, "csv")} == {"'=cmd|'/c calc'!A1"}


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_every_start_of_a_formula(start: str) -> None:
    row = ExportRow("c", STARTED, start + "x", "s", "m", "t", "h", "k", -1.0, None, None, None, "u")
    text = b"".join(as_csv(ExportRow, iter([row]))).decode()
    (read,) = csv.DictReader(io.StringIO(text, newline=""))
    assert read["scenario"] == f"'{start}x"
    assert read["value"] == "-1.0"  # a number is no text
