# SPDX-License-Identifier: Apache-2.0
"""Versions with different feature sets on one scale, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_server.cli.main import app
from nalm_server.git.refs import repository as refs
from nalm_server.results.cost_models import fits
from nalm_server.results.cost_models.fits import Origin
from nalm_server_features import FEATURES, WITH_DPI, fitted, with_features
from nalm_server_harness import Scenes, Service
from nalm_server_reports import COSTS, body_of, make_report, sha
from typer.testing import CliRunner

DPI = ["nat", "dpi", "l3fwd"]


def make_history(service: Service) -> None:
    """Commit 1 as the reference, 2 slower by 10 %, 3 brings dpi at the old efficiency, 4 slows nat too."""
    slower = {**COSTS, "nat": 176.0}
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(2, head_costs=slower)))
    merge = with_features(3, base=(slower, FEATURES), head=(WITH_DPI, DPI), head_as_base=COSTS)
    service.upload(body_of(merge))
    slow = {**WITH_DPI, "nat": 216.0}
    service.upload(body_of(with_features(4, base=(WITH_DPI, DPI), head=(slow, DPI))))


@pytest.fixture
def history(service: Service, scenes: Scenes) -> Service:
    scenes.begin(service, "history", make_history)
    return service


def keep_model(service: Service, number: int = 1) -> None:
    with service.context.sessions() as session:
        fits.keep(session, Origin(1, sha(number), "vm-2"), fitted(), service.clock())
        session.commit()


def set_reference(service: Service, revision: str | None) -> dict[str, object]:
    answer = service.request("PATCH", "/projects/demo", "admin", json={"reference": revision})
    assert isinstance(answer, dict)
    return answer


def points(service: Service, **requested: object) -> list[dict[str, object]]:
    (line,) = service.get("/projects/demo/ncpp", **requested)["lines"]
    return list(line["points"])


def test_without_a_reference_or_a_model_it_is_said_what_to_do(history: Service) -> None:
    found = history.get("/projects/demo/ncpp")
    assert found["reference"] is None
    assert "nalm-server reference demo" in found["lines"][0]["missing"]
    assert [one["ncpp"] for one in found["lines"][0]["points"]] == [None] * 4
    assert set_reference(history, sha(1)[:8])["reference"] == sha(1)
    missing = history.get("/projects/demo/scenarios/sfc_a/history", metric="ncpp")["missing"]
    assert "No cost model of scenario 'sfc_a'" in missing and sha(1)[:7] in missing


def test_commits_of_all_feature_sets_stand_on_one_scale(history: Service) -> None:
    set_reference(history, sha(1))
    keep_model(history)
    first, second, merge, slow = points(history)
    assert first["ncpp"] == pytest.approx(1, abs=0.01)
    assert second["ncpp"] == pytest.approx(1.1, abs=0.01)
    assert first["low"] < first["ncpp"] < first["high"]  # type: ignore[operator]
    assert merge["ncpp"] == pytest.approx(1, abs=0.01) and merge["extended"] == ["dpi"]
    assert slow["ncpp"] == pytest.approx(1.1, abs=0.01)
    assert slow["features"] == DPI


def test_its_history_is_that_of_a_metric(history: Service) -> None:
    set_reference(history, sha(1))
    keep_model(history)
    path = "/projects/demo/scenarios/sfc_a/history"
    found = history.get(path, metric="ncpp")
    assert found["metric"]["better"] == "lower" and found["missing"] is None
    assert found["stages"] == ["chain"]
    values = [point["values"]["chain"]["value"] for point in found["points"]]
    assert values == pytest.approx([1, 1.1, 1, 1.1], abs=0.01)
    assert "no stage 'nat'" in history.get(path, 404, metric="ncpp", stage="nat")["error"]["message"]


def test_a_slower_host_does_not_move_the_scale(history: Service) -> None:
    """From commit 5 on, pairs run on another host, where all costs 20 % more; 6 undoes what 4 slowed down."""
    set_reference(history, sha(1))
    keep_model(history)
    fast, slow = ({**WITH_DPI, "nat": nat} for nat in (160.0, 216.0))
    there = {"name": "bench-vm-3", "cpu_model": "Another CPU"}
    for number, base, head in ((5, slow, slow), (6, slow, fast)):
        costs = [{stage: 1.2 * cost for stage, cost in of.items()} for of in (base, head)]
        report = with_features(number, base=(costs[0], DPI), head=(costs[1], DPI))
        host = report.host.model_copy(update=there)
        history.upload(body_of(report.model_copy(update={"host": host})))
    found = history.get("/projects/demo/scenarios/sfc_a/history", metric="ncpp")
    values = [point["values"]["chain"]["value"] for point in found["points"]]
    assert values == pytest.approx([1, 1.1, 1, 1.1, 1.1, 1.015], abs=0.01)
    assert found["linked"] == ["chain"]
    assert [one["sha"] for one in found["environments"]] == [sha(5)]
    table = points(history)
    assert [one["ncpp"] for one in table] == pytest.approx(values, rel=1e-6)
    assert all(one["linked"] for one in table)
    raw = history.get("/projects/demo/scenarios/sfc_a/history", metric="ncpp", values="measured")
    assert raw["points"][4]["values"]["chain"]["value"] == pytest.approx(1.32, abs=0.02)


def test_releases_and_branches_have_one_each(history: Service) -> None:
    set_reference(history, sha(1))
    keep_model(history)
    with history.context.sessions() as session:
        for name, number in (("v2", 4), ("v1", 1), ("unmeasured", 77)):
            refs.place_tag(session, 1, name, sha(number), history.clock())
        refs.place_branch(session, 1, "main", sha(4), history.clock())
        session.commit()
    releases = points(history, by="release")
    assert [one["name"] for one in releases] == ["v1", "v2"]
    assert [one["ncpp"] for one in releases] == pytest.approx([1, 1.1], abs=0.01)
    (branch,) = points(history, by="branch")
    assert branch["name"] == "main" and branch["ncpp"] == pytest.approx(1.1, abs=0.01)


def test_a_feature_nobody_priced_has_none(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.upload(body_of(with_features(2, base=(WITH_DPI, DPI), head=(WITH_DPI, DPI))))
    set_reference(service, sha(1))
    keep_model(service)
    unpriced = points(service)[-1]
    assert unpriced["ncpp"] is None and unpriced["missing"] == "the cost model has no price for dpi"


def test_the_reference_is_a_maintainers_and_audited(history: Service) -> None:
    assert set_reference(history, sha(2))["reference"] == sha(2)
    assert history.request("PATCH", "/projects/demo", "admin", json={})["reference"] == sha(2)
    assert set_reference(history, None)["reference"] is None
    log = history.request("GET", "/projects/demo/audit", "admin")
    moved = [one["detail"] for one in log if one["action"] == "project.reference"]
    assert moved == ["no reference", f"reference {sha(2)[:7]}"]
    history.request("PATCH", "/projects/demo", "admin", 404, json={"reference": "v99"})


def test_a_newer_fit_of_a_commit_takes_the_place_of_the_older(history: Service) -> None:
    set_reference(history, sha(1))
    keep_model(history)
    keep_model(history)
    refused = fitted().model_copy(update={"model": None, "refused": "too few"})
    with history.context.sessions() as session:
        fits.keep(session, Origin(1, sha(1), "vm-2"), refused, history.clock())
        session.commit()
    assert points(history)[0]["ncpp"] == pytest.approx(1, abs=0.01)


def test_the_command(history: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NALM_DATABASE_URL", str(history.context.settings.database_url))

    def said(*arguments: str) -> str:
        done = CliRunner().invoke(app, ["reference", "demo", *arguments, "--state", str(tmp_path / "state")])
        assert done.exit_code == 0, done.output
        return done.output

    assert "no reference" in said()
    assert sha(1)[:7] in said(sha(1)[:9])
    assert sha(1)[:7] in said()
    assert "no reference" in said("--clear")
