# SPDX-License-Identifier: Apache-2.0
"""Runs and commits in the forms that CI reads."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """SQLite alone: nothing here depends on the database."""
    return sqlite_url


def test_every_form_of_a_run_and_of_a_commit(service: Service) -> None:
    service.upload(body_of(make_report(1, head_costs={"nat": 180.0})))
    service.upload(body_of(make_report(2, base=0, head=1, scenario="sfc_b")))
    for place, runs in ((f"/runs/{1:032x}", 1), (f"/projects/demo/commits/{sha(1)[:9]}", 2)):
        got = {form: service.client.get(f"/api/v1{place}/{form}") for form in ("junit", "sarif", "markdown")}
        assert {one.status_code for one in got.values()} == {200}
        assert len(list(ET.fromstring(got["junit"].text).iter("testsuite"))) == runs
        assert len(json.loads(got["sarif"].text)["runs"]) >= 1
        assert "regressed" in got["markdown"].text and f"/p/demo/runs/{1:032x}" in got["markdown"].text
        assert got["sarif"].headers["content-type"] == "application/sarif+json"


def test_what_is_not_there_says_so(service: Service) -> None:
    service.get(f"/runs/{7:032x}/junit", 404)
    service.get(f"/projects/demo/commits/{sha(7)}/junit", 404)
    service.get(f"/runs/{7:032x}/pdf", 422)
