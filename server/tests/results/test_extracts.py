# SPDX-License-Identifier: Apache-2.0
"""What pages show of a large report does not need the report itself."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_core.report.run_report import Check, RunReport
from nalm_core.verdict import checks
from nalm_server.base import answer_cache
from nalm_server.db.reports.store import path_of
from nalm_server.ops.retention import sweep
from nalm_server.results.extracts import service as extracts
from nalm_server.results.extracts.models import ReportExtractRow
from nalm_server.results.extracts.schemas import ExtractKind, RoundPoint, Rounds
from nalm_server_features import FEATURES, WITH_DPI, with_features
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report, sha
from sqlalchemy import func, select

REPORT = make_report(1, head_costs={"nat": 190.0}, functions={"nat": {"nat_process": 330}})
RUN = f"/api/v1/runs/{1:032x}"
COMPARE = "/api/v1/projects/demo/compare"
FUNCTION = {"stage": "nat", "function": "nat_process"}


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every report is a large one."""
    monkeypatch.setattr(extracts, "STORED_FROM", 0)


def pages(service: Service, status: int = 200) -> list[Any]:
    """As a process shows them that has shown nothing before."""
    answer_cache._caches.clear()
    pair = {"base": sha(0), "head": sha(1)}
    requests: list[tuple[str, dict[str, str]]] = [
        (COMPARE, pair),
        (f"{COMPARE}/code", pair),
        (RUN, {}),
        (f"{RUN}/code", {}),
        (f"{RUN}/counts", {}),
        (f"{RUN}/source", FUNCTION),
        (f"{COMPARE}/source", pair | FUNCTION),
    ]
    answers = [service.client.get(path, params=params) for path, params in requests]
    assert [one.status_code for one in answers] == [status] * len(requests)
    return [one.content for one in answers]


def stored(service: Service) -> int | None:
    with service.context.read_sessions() as session:
        return session.scalar(select(func.count()).select_from(ReportExtractRow))


@pytest.mark.dialects
@pytest.mark.usefixtures("large")
def test_pages_of_a_large_report_are_shown_without_it(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.upload(body_of(REPORT))
    shown = pages(service)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(extracts, "program", lambda: "of an older server")
        assert pages(service) == shown
    [kept] = service.context.reports.listed()
    (service.context.settings.state_dir / "reports" / path_of(kept.digest)).unlink()
    assert pages(service) == shown
    monkeypatch.setattr(extracts, "program", lambda: "of an older server")
    pages(service, 500)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    "report",
    [
        make_report(1, status="broken"),
        make_report(1, failed_check=True),
        with_features(
            1, base=(COSTS, FEATURES), head=(WITH_DPI, ["nat", "dpi", "l3fwd"]), head_as_base=COSTS
        ),
    ],
    ids=["broken", "invalid", "features"],
)
def test_reports_of_every_kind_have_an_extract(
    service: Service, report: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.upload(body_of(report))
    shown = pages(service)
    assert stored(service) == len(ExtractKind)
    monkeypatch.setattr(extracts, "program", lambda: "of an older server")
    assert pages(service) == shown


@pytest.mark.usefixtures("large")
def test_an_extract_ages_out_with_its_report(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    assert stored(service) == len(ExtractKind)
    service.clock.pass_seconds(366 * 86_400.0)
    sweep.drain(service.context)
    assert stored(service) == 0
    assert service.get("/projects/demo/compare", base=sha(0), head=sha(1))["rounds"]["head"] == []


def test_a_figure_without_bounds_is_shown(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [RoundPoint(launch=0, turn=0, cpp=float("inf"))]
    rounds = Rounds(base=points, head=[], head_as_base=[])
    monkeypatch.setattr(extracts, "kept", lambda _: rounds)
    service.upload(body_of(REPORT))
    shown = service.get("/projects/demo/compare", base=sha(0), head=sha(1))["rounds"]["base"]
    assert shown == [{"launch": 0, "turn": 0, "cpp": None}]


def test_a_small_report_has_no_extract(service: Service) -> None:
    service.upload(body_of(REPORT))
    pages(service)
    assert stored(service) == 0


@pytest.mark.usefixtures("large")
def test_import_of_a_large_report_makes_its_checks_once(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def noted(report: RunReport, *given: Any) -> list[Check]:
        made.append(report.run_id)
        return checks_of(report, *given)

    checks_of = checks.checks_of
    monkeypatch.setattr(checks, "checks_of", noted)
    service.upload(body_of(REPORT))
    assert made == [REPORT.run_id]
