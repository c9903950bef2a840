# SPDX-License-Identifier: Apache-2.0
"""The server refuses invalid requests, and its answers name the reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite alone: none of this reaches the database."""
    return sqlite_url


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"schema": "nalm.run-report/9"}, "$.schema"),
        ({"rounds": [{"launch": -1}]}, "$.rounds[0]"),
        ({"surprise": 1}, "$.surprise"),
        ({"scenario": {"name": "x", "lcores": 10**30, "traffic": "t"}}, "$.scenario.lcores"),
        ({"scenario": {"name": "x", "lcores": 1, "traffic": "t" * 300}}, "$.scenario.traffic"),
    ],
)
def test_invalid_report_is_reported_where(service: Service, change: dict[str, Any], path: str) -> None:
    document = {**json.loads(body_of(make_report(1))), **change}
    error = service.upload(json.dumps(document).encode(), 422)["error"]
    assert error["name"] == ("report_newer" if path in ("$.schema", "$.surprise") else "invalid")
    assert any(detail["path"].startswith(path) for detail in error["details"]), error["details"]


def test_texts_are_stored_without_what_no_database_takes(service: Service) -> None:
    document = {**json.loads(body_of(make_report(1))), "notes": ["nul \0, escape \x1b[2J"]}
    run = service.upload(json.dumps(document).encode())["run_id"]
    stored = service.client.get(
        f"/api/v1/runs/{run}/report", headers={"Authorization": f"Bearer {service.tokens['admin']}"}
    )
    assert "\\u0000" not in stored.text
    assert "\\u001b" not in stored.text


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"a": 1e999}', b"\xff\xfe", b"[" * 200_000])
def test_nonsense_is_refused(service: Service, body: bytes) -> None:
    assert service.upload(body, 422)["error"]["name"] == "invalid"


def test_working_tree_is_no_commit(service: Service) -> None:
    error = service.upload(body_of(make_report(1, dirty=True)), 422)["error"]
    assert error["details"][0]["path"] == "$.arms.head.build.dirty"


@pytest.mark.parametrize(
    "path",
    [
        "/projects/nobody",
        "/projects/nobody/commits",
        "/projects/demo/commits/abcdef0",
        "/projects/demo/scenarios/none/history",
        "/projects/demo/scenarios/sfc_a/history?metric=speed",
        "/projects/demo/scenarios/sfc_a/history?host_class=none",
        f"/projects/demo/compare?base={sha(1)}&head={sha(77)}",
    ],
)
def test_unknown_things_are_404_with_a_message(service: Service, path: str) -> None:
    service.upload(body_of(make_report(1)))
    answer = service.client.get(f"/api/v1{path}")
    assert answer.status_code == 404
    assert answer.json()["error"]["name"] == "not_found"


def test_known_commits_in_an_unknown_scenario_are_not_measured(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    requested = {"base": sha(0), "head": sha(1), "scenario": "none"}
    assert service.get("/projects/demo/compare", 404, **requested)["error"]["name"] == "not_measured"


@pytest.mark.parametrize(
    ("method", "path", "status", "allowed"),
    [
        ("GET", "/api/v1/jobs/1/cancel", 405, "POST"),
        ("PUT", "/api/v1/projects/demo", 405, "GET, PATCH"),
        ("GET", "/api/v1/nothing", 404, None),
        ("POST", "/api/v1/nothing", 404, None),
    ],
)
def test_other_methods_and_paths_of_the_api_are_refused(
    service: Service, method: str, path: str, status: int, allowed: str | None
) -> None:
    answer = service.client.request(method, path)
    assert (answer.status_code, answer.headers.get("Allow")) == (status, allowed)
    assert answer.json()["error"]["name"] == {404: "not_found", 405: "method_not_allowed"}[status]


@pytest.mark.parametrize("since", ["0", "1700000000", "true"])
def test_a_number_is_no_time(service: Service, since: str) -> None:
    assert service.client.get(f"/api/v1/projects/demo/export?since={since}").status_code == 422
