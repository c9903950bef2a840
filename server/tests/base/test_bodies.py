# SPDX-License-Identifier: Apache-2.0
"""Request bodies have limits of bytes, values and memory, and times must exist in the calendar."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from nalm_server.base.body_limits import REQUEST_BYTES, REQUEST_VALUES
from nalm_server_access import TRIAL
from nalm_server_harness import Service
from nalm_server_process import running
from nalm_server_reports import body_of, make_report, sha

PATIENCE_SECONDS = 120
MEMORY_GROWTH = 300 << 20
"""Far below what any of these bodies takes when it is turned into objects, or its mistakes into messages."""


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite alone: none of this reaches the database."""
    return sqlite_url


def peak_bytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) << 10


def many_mistakes(number: int) -> bytes:
    document = {"schema": "nalm.run-report/2", "host": {"caches": {f"{one}": "x" for one in range(number)}}}
    return json.dumps(document).encode()


@pytest.mark.nightly
def test_a_small_upload_cannot_fill_the_memory(database_url: str, tmp_path: Path) -> None:
    uploads = [
        (b"[" + b"{}," * (20 << 20) + b"{}]", 413),
        (b"[" + b"{}," * (4 << 20) + b"{}]", 422),
        (many_mistakes(400_000), 422),
        (b'{"rounds":[' + b"{}," * 400_000 + b"{}]}", 422),
    ]
    with running(tmp_path / "served", "--no-agent", NALM_DATABASE_URL=database_url) as server:
        project = {"name": "demo", "repository": "/srv/demo.git"}
        client = httpx.Client(base_url=server.api, timeout=PATIENCE_SECONDS)
        made = client.post("/projects", json=project, headers=server.token()).raise_for_status()
        headers = {
            "Authorization": f"Bearer {made.json()['upload_token']}",
            "Content-Encoding": "gzip",
        }
        report = gzip.compress(body_of(make_report(1)))
        client.post("/reports", content=report, headers=headers).raise_for_status()
        before = peak_bytes(server.pid)
        for body, status in uploads:
            packed = gzip.compress(body)
            answer = client.post("/reports", content=packed, headers=headers)
            assert answer.status_code == status, answer.text
        assert peak_bytes(server.pid) - before < MEMORY_GROWTH


def test_a_large_report_is_reported_where_it_is_wrong(service: Service) -> None:
    document = json.loads(body_of(make_report(1)))
    document["notes"] = ["n"] * 60_000 + [1]
    error = service.upload(json.dumps(document).encode(), 422)["error"]
    assert [one["path"] for one in error["details"]] == ["$.notes[60000]"]


def test_a_large_report_that_is_right_is_taken(service: Service) -> None:
    document = json.loads(body_of(make_report(1)))
    document["notes"] = ["n"] * 60_000
    service.upload(json.dumps(document).encode(), 201)


@pytest.mark.parametrize("path", ["/session", "/agent/register", "/projects/demo/mutes"])
@pytest.mark.parametrize(
    "body", [b'{"name": "' + b"x" * REQUEST_BYTES + b'"}', b"[" + b"0," * REQUEST_VALUES + b"0]"]
)
@pytest.mark.parametrize("chunked", [False, True])
def test_other_requests_are_small(service: Service, path: str, body: bytes, chunked: bool) -> None:
    content: Any = (part for part in (body[:1000], body[1000:])) if chunked else body
    headers = {"Content-Type": "application/json"}
    answer = service.client.post(f"/api/v1{path}", content=content, headers=headers)
    assert (answer.status_code, answer.json()["error"]["name"]) == (413, "too_large")


NESTED = b"[" * 100_000
LONG, LONGER = b"9" * 400, b"9" * 5000
"""Too large for floating point; too long for Python to read as an integer."""


@pytest.mark.parametrize("body", [NESTED, b'{"trials": [' + NESTED + b"]}"])
@pytest.mark.parametrize("path", ["detection-quality/trials", "imports?format=google-benchmark", "links"])
def test_deep_nesting_is_refused_with_a_message(service: Service, path: str, body: bytes) -> None:
    error = refused(service, f"/projects/demo/{path}", body)
    assert error["message"]


@pytest.mark.parametrize("number", [LONG, LONGER, b"-" + LONG, b"1e999", b"NaN", b"null", b'"1"', b"true"])
def test_a_ratio_that_is_no_number_is_refused_with_its_place(service: Service, number: bytes) -> None:
    trial = json.dumps({"trials": [{**TRIAL, "ratio_cpp": 0}]}).encode()
    body = trial.replace(b'"ratio_cpp": 0', b'"ratio_cpp": ' + number)
    if number == b"null":
        headers = {**JSON, "Authorization": f"Bearer {service.tokens['upload']}"}
        assert service.client.post(f"/api/v1{TRIALS}", content=body, headers=headers).status_code == 201
    else:
        refused(service, TRIALS, body, "upload")


@pytest.mark.parametrize("number", [LONG, LONGER, b"1e999", b"null", b'"x"'])
def test_an_imported_figure_that_is_no_number_is_refused(service: Service, number: bytes) -> None:
    document = {"context": {"date": "2026-11-20T12:00:00+00:00", "host_name": "bench-9"}, "benchmarks": []}
    row = b'{"name": "lookup/64", "run_type": "iteration", "items_per_second": ' + number + b"}"
    body = json.dumps(document).encode().replace(b"[]", b"[" + row + b"]")
    error = refused(service, "/projects/demo/imports?format=google-benchmark", body)
    assert len(error["message"]) < 600


def test_figures_of_a_hundred_digits_are_taken(service: Service) -> None:
    row = {"name": "lookup/64", "run_type": "iteration", "items_per_second": 1e101}
    document = {"context": {"date": "2026-11-20T12:00:00+00:00", "host_name": "bench-9"}, "benchmarks": [row]}
    path = f"/api/v1/projects/demo/imports?format=google-benchmark&commit={sha(1)}"
    headers = {"Authorization": f"Bearer {service.tokens['admin']}"}
    answer = service.client.post(path, content=json.dumps(document), headers=headers)
    assert answer.status_code == 201, answer.text


TRIALS = "/projects/demo/detection-quality/trials"
JSON = {"Content-Type": "application/json"}


def refused(service: Service, path: str, body: bytes, token: str = "admin") -> Any:
    """The error of a body that is not taken."""
    headers = {**JSON, "Authorization": f"Bearer {service.tokens[token]}"}
    answer = service.client.post(f"/api/v1{path}", content=body, headers=headers)
    assert answer.status_code in (400, 413, 422), answer.text
    return answer.json()["error"]


def test_an_import_has_a_limit_of_values(service: Service) -> None:
    answer = service.client.post(
        "/api/v1/projects/demo/imports?format=google-benchmark",
        content=gzip.compress(b"[" + b"{}," * 600_000 + b"{}]"),
        headers={"Content-Encoding": "gzip", "Authorization": f"Bearer {service.tokens['admin']}"},
    )
    assert (answer.status_code, answer.json()["error"]["name"]) == (413, "too_large")


EDGES = ["9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "3000-01-01T00:00:00Z"]


@pytest.mark.parametrize("time", EDGES)
@pytest.mark.parametrize("path", ["/overview", "/projects/demo/alerts", "/projects/demo/export"])
def test_times_at_the_edge_of_the_calendar_are_invalid(service: Service, path: str, time: str) -> None:
    assert service.get(path, 422, since=time)["error"]["name"] == "invalid"


@pytest.mark.parametrize("time", EDGES)
def test_so_they_are_in_bodies(service: Service, time: str) -> None:
    expected = {"scenario": "sfc_a", "why": "known", "until": time}
    details = service.post("/projects/demo/mutes", "admin", 422, expected)["error"]["details"]
    assert [one["path"] for one in details] == ["body.until"]
    assert not details[0]["message"].startswith("Value error")


@pytest.mark.parametrize("name", ["started_at", "finished_at"])
@pytest.mark.parametrize("time", ["9999-12-31T23:59:59-14:00", "2026-11-21T09:00:00"])
def test_so_they_are_in_reports(service: Service, name: str, time: str) -> None:
    document = json.loads(body_of(make_report(1)))
    document["started_at"] = document["finished_at"] = "2026-11-21T09:00:00Z"
    document[name] = time
    assert service.upload(json.dumps(document).encode(), 422)["error"]["name"] == "invalid"


def test_a_commit_of_another_calendar_is_taken_without_its_time(service: Service) -> None:
    commit = {"id": sha(1), "message": "m", "timestamp": EDGES[0]}
    body = {"ref": "refs/heads/main", "before": sha(0), "after": sha(1), "commits": [commit]}
    answer = service.hook(json.dumps(body).encode(), 202)
    assert answer["became"] != "failed", answer


def test_an_address_that_can_never_be_read_is_no_reason_to_try_again(service: Service) -> None:
    error = service.post("/projects/demo/backfills", "admin", 422, {"first": sha(1), "last": sha(2)})["error"]
    assert error["name"] == "repository_address"
