# SPDX-License-Identifier: Apache-2.0
"""Histories of several scenarios, stages and branches over common commits, in columns, on both databases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from nalm_core.report.catalogue import Metric
from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.commits.order import record
from nalm_server.git.refs import repository as refs
from nalm_server.views.history import chart_lines
from nalm_server.views.history import service as histories
from nalm_server.views.history.service import FoundLine, HistoryRequest, Shown, Target
from nalm_server_harness import Scenes, Service, counted
from nalm_server_measured import Measured, store
from nalm_server_reports import COSTS, sha
from sqlalchemy import update
from sqlalchemy.orm import Session

LINES = "/projects/demo/lines"
FORK = 900


def make_measured(service: Service) -> None:
    """sfc_a at commits 1 to 4, sfc_b at 2 and 4; a branch leaves at 2 with one commit; 3 is a release."""
    store(service, [Measured(number, {"nat": 100.0 + number}) for number in (1, 2, 3, 4)])
    store(service, [Measured(number, {"nat": 200.0 + number}, scenario="sfc_b") for number in (2, 4)])
    with service.context.sessions() as session:
        record(session, 1, sha(FORK), sha(2))
        session.commit()
    store(service, [Measured(FORK, {"nat": 300.0})])
    with service.context.sessions() as session:
        session.execute(update(CommitRow).where(CommitRow.sha == sha(FORK)).values(listed=False))
        refs.place_tag(session, 1, "v1.0", sha(3), service.clock())
        refs.place_branch(session, 1, "main", sha(4), service.clock())
        refs.place_branch(session, 1, "faster", sha(FORK), service.clock())
        session.commit()


@pytest.fixture
def measured(service: Service, scenes: Scenes) -> Service:
    scenes.begin(service, "measured", make_measured)
    return service


def shown(service: Service, **requested: Any) -> dict[str, dict[str, float]]:
    """By scenario and branch: nat's cost by commit."""
    found = service.get(LINES, **requested)
    shas = found["commits"]["sha"]
    chart_lines = {}
    for line in found["lines"]:
        (nat,) = (one for one in line["stages"] if one["stage"] == "nat")
        name = " ".join(filter(None, (line["scenario"], line["branch"])))
        chart_lines[name] = {shas[at]: value for at, value in zip(line["at"], nat["value"], strict=True)}
    return chart_lines


def test_scenarios_share_their_commits(measured: Service) -> None:
    found = shown(measured, scenario=["sfc_a", "sfc_b"], branch="main")
    assert found["sfc_a main"] == {sha(number): 100.0 + number for number in (1, 2, 3, 4)}
    assert found["sfc_b main"] == {sha(number): 200.0 + number for number in (2, 4)}


def test_branches_part_where_they_parted(measured: Service) -> None:
    found = shown(measured, scenario="sfc_a", branch=["main", "faster"])
    assert found["sfc_a main"] == {sha(number): 100.0 + number for number in (1, 2, 3, 4)}
    assert found["sfc_a faster"] == {sha(1): 101.0, sha(2): 102.0, sha(FORK): 300.0}


def test_without_a_branch_it_is_the_default_one(measured: Service) -> None:
    assert shown(measured, scenario="sfc_a") == {
        "sfc_a": {sha(number): 100.0 + number for number in (1, 2, 3, 4)}
    }
    points = measured.get("/projects/demo/scenarios/sfc_a/history", metric="cpp")["points"]
    assert [one["sha"] for one in points] == [sha(number) for number in (1, 2, 3, 4)]


def test_commits_stand_in_their_order_with_their_releases(measured: Service) -> None:
    found = measured.get(LINES, scenario=["sfc_b", "sfc_a"], branch="main")
    shas = found["commits"]["sha"]
    assert shas == [sha(number) for number in (1, 2, 3, 4)]
    assert found["releases"] == [{"name": "v1.0", "at": 2}]
    assert [line["at"] for line in found["lines"]] == [[1, 3], [0, 1, 2, 3]]
    assert len(found["lines"][0]["run_id"]) == len(found["lines"][0]["display"]) == 2


def test_the_newest_are_shown_and_the_stages_requested(measured: Service) -> None:
    found = measured.get(LINES, scenario="sfc_a", branch="main", limit=2, stage="chain")
    assert found["commits"]["sha"] == [sha(3), sha(4)]
    (chain,) = found["lines"][0]["stages"]
    assert chain["stage"] == "chain"
    assert chain["value"] == pytest.approx([sum(COSTS.values()) - COSTS["nat"] + 100 + n for n in (3, 4)])


def test_the_same_figures_as_the_history(measured: Service) -> None:
    line = measured.get(LINES, scenario="sfc_a")["lines"][0]
    history = measured.get("/projects/demo/scenarios/sfc_a/history")
    assert line["run_id"] == [point["run_id"] for point in history["points"]]
    for one in line["stages"]:
        values = [point["values"][one["stage"]] for point in history["points"]]
        assert one["value"] == [value and value["value"] for value in values]


@pytest.mark.parametrize(
    ("requested", "reported"),
    [
        ({"branch": "none"}, "no watched branch 'none'"),
        ({"metric": "speed"}, "no metric 'speed'"),
        ({"scenario": "sfc_z"}, "no run of a scenario 'sfc_z'"),
    ],
)
def test_what_is_not_there_is_named(measured: Service, requested: dict[str, str], reported: str) -> None:
    answer = measured.get(LINES, 404, **{"scenario": "sfc_a", **requested})
    assert reported in answer["error"]["message"]


def test_too_much_is_refused_with_what_to_do(measured: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chart_lines, "MOST_FIGURES", 10)
    with counted(measured) as statements:
        answer = measured.get(LINES, 422, scenario="sfc_a")
    assert "choose fewer scenarios, stages or branches" in answer["error"]["message"]
    assert not any(
        "series_values" in one or "history_points" in one for one in statements
    )  # nothing long was read


def test_a_scenario_is_read_once_whatever_number_of_branches(
    measured: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def lines_of(
        session: Session,
        project: ProjectRow,
        targets: Sequence[Target],
        expected: HistoryRequest,
        metrics: Sequence[Metric],
        *,
        shown: Shown | None,
    ) -> list[list[FoundLine]]:
        read.extend(target.scenario.name for target in targets)
        return histories.lines_of(session, project, targets, expected, metrics, shown=shown)

    monkeypatch.setattr(chart_lines, "lines_of", lines_of)
    found = measured.get(LINES, scenario=["sfc_a", "sfc_b"], branch=["main", "faster"])
    assert len(found["lines"]) == 4
    assert read == ["sfc_a", "sfc_b"]
