# SPDX-License-Identifier: Apache-2.0
"""The committed OpenAPI document is the application's; test_openapi_random.py holds the application to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nalm_server.app import application
from nalm_server.app.api_reference import reference
from nalm_server.app.openapi import description, document
from nalm_server_harness import OPENAPI, Service

FOR_PEOPLE = Path(__file__).parents[3] / "docs" / "api-reference.md"


def test_committed_document_is_current() -> None:
    assert OPENAPI.read_text() == document(), (
        "run `python -m nalm_server.app.openapi > server/openapi.json`, and `npm run generate` in web/"
    )


def test_the_server_answers_with_it(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    made = description()  # once: it takes seconds
    monkeypatch.setattr(application, "described", lambda _app: made)
    assert service.client.get("/api/v1/openapi.json").json() == json.loads(OPENAPI.read_text())


def test_committed_reference_is_current() -> None:
    assert FOR_PEOPLE.read_text() == reference(), (
        "run `python -m nalm_server.app.api_reference > docs/api-reference.md`, or `make openapi`"
    )


def test_every_error_has_the_one_shape() -> None:
    error = {"$ref": "#/components/schemas/ErrorAnswer"}
    described = json.loads(document())
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            for status, named in operation["responses"].items():
                if int(status) >= 400:
                    name = named.get("$ref", "").removeprefix("#/components/responses/")
                    answer = described["components"]["responses"][name] if name else named
                    schema = answer["content"]["application/json"]["schema"]
                    assert schema == error, f"{method} {path} {status}"


def test_whatever_takes_a_body_can_find_it_too_large() -> None:
    for path, operations in json.loads(document())["paths"].items():
        for method, operation in operations.items():
            assert "requestBody" not in operation or "413" in operation["responses"], f"{method} {path}"
