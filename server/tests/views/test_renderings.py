# SPDX-License-Identifier: Apache-2.0
"""Runs and commits in the forms that CI reads."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from nalm_core.render.junit import junit
from nalm_core.render.markdown import MAX_LISTED, markdown
from nalm_core.render.sarif import sarif
from nalm_core.verdict.judged import Judged
from nalm_core.verdict.verdict import judge
from nalm_server.git.commits import service as commits
from nalm_server.results import repository as run_rows
from nalm_server.results.extracts import service as extracts
from nalm_server.results.extracts.renderable import renderable
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


@pytest.mark.parametrize("stored_from", [0, extracts.STORED_FROM])
def test_of_many_runs_only_those_that_are_explained_have_their_rounds(
    service: Service, monkeypatch: pytest.MonkeyPatch, stored_from: int
) -> None:
    """And every form is what it is of whole reports. stored_from: 0 for reports that count as large."""
    monkeypatch.setattr(extracts, "STORED_FROM", stored_from)
    reports = [
        make_report(
            number, base=0, head=1, scenario=f"sfc_{number}", head_costs={"nat": 150.0 + 5 * (number % 7)}
        )
        for number in range(1, 9)
    ]
    for report in reports:
        service.upload(body_of(report))
    with service.context.read_sessions() as session:
        commit = commits.require(session, 1, sha(1))
        found = run_rows.of_commits(session, [commit.id], None)
        light = renderable(session, found, lambda run_id: f"/{run_id}", pytest.fail)
    whole = [Judged(report, judge(report), f"/{report.run_id}") for report in reports]
    assert sum(bool(one.report.rounds) for one in light) == MAX_LISTED
    for render in (markdown, junit, sarif):
        assert render(light) == render(whole), render


def test_what_is_not_there_says_so(service: Service) -> None:
    service.get(f"/runs/{7:032x}/junit", 404)
    service.get(f"/projects/demo/commits/{sha(7)}/junit", 404)
    service.get(f"/runs/{7:032x}/pdf", 422)
