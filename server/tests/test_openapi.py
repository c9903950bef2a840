# SPDX-License-Identifier: Apache-2.0
"""The committed OpenAPI document is the application's, and the application keeps to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from nalm_server.app import make_app
from nalm_server.openapi import document
from nalm_server.settings import Settings
from nalm_server_harness import Clock, Service, make_service
from nalm_server_reports import body_of, make_report
from schemathesis.specs.openapi.checks import positive_data_acceptance

COMMITTED = Path(__file__).parents[1] / "openapi.json"
APP = make_app(None)
"""Described before there is a database; `stored` gives it one."""
schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", APP)


def test_committed_document_is_current() -> None:
    assert COMMITTED.read_text() == document(), (
        "run `python -m nalm_server.openapi > server/openapi.json`, and `npm run generate` in web/"
    )


def test_every_error_has_the_one_shape() -> None:
    error = {"$ref": "#/components/schemas/ErrorAnswer"}
    for path, operations in json.loads(document())["paths"].items():
        for method, operation in operations.items():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    schema = answer["content"]["application/json"]["schema"]
                    assert schema == error, f"{method} {path} {status}"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Service]:
    """A service with a run and a job in it."""
    home = tmp_path_factory.mktemp("fuzz")
    (home / "nalm.db").write_bytes(sqlite_template.read_bytes())
    service = make_service(
        Settings(state_dir=home, database_url=f"sqlite:///{home / 'nalm.db'}", static_dir=home / "static"),
        Clock(),
    )
    service.upload(body_of(make_report(1)))
    push = {"ref": "refs/heads/main", "before": "0" * 39 + "1", "after": "0" * 39 + "2"}
    service.hook(json.dumps(push).encode(), 202)
    APP.state.context = service.context
    yield service
    service.context.engine.dispose()


@schema.parametrize()
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_whatever_is_sent_is_answered_as_documented(case: schemathesis.Case, stored: Service) -> None:
    """No 500, no undocumented status, no answer of another shape; called by someone who may do everything."""
    if case.operation.path == "/api/v1/agent/lease" and isinstance(case.body, dict):
        wait = case.body.get("wait_seconds")
        if isinstance(wait, int | float) and 0 < wait <= 60:
            case.body["wait_seconds"] = 0  # as valid, and the test need not wait
    scope = "admin" if case.operation.path == "/api/v1/projects" else "agent"
    case.call_and_validate(
        headers={"Authorization": f"Bearer {stored.tokens[scope]}"},
        # A report that fits the schema may contradict itself; parse_report then says where.
        excluded_checks=[positive_data_acceptance] if case.operation.path == "/api/v1/reports" else [],
    )
