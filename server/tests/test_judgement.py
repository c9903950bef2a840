# SPDX-License-Identifier: Apache-2.0
"""The history look, from stored runs to change points and segments, on both databases."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import pytest
from nalm_core.report import RunReport
from nalm_server.cli import app
from nalm_server.judgement import marking, work
from nalm_server.projects import repository as projects
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report, sha
from typer.testing import CliRunner

NOISE = 0.003
HISTORY = "/projects/demo/scenarios/sfc_a/history"


def levels(*parts: tuple[int, float], seed: int = 7) -> list[float]:
    """What nat costs at each commit: so many at a level, with noise."""
    noise = Random(seed)
    return [level * (1 + noise.gauss(0, NOISE)) for count, level in parts for _ in range(count)]


def runs(nat: Sequence[float], first: int = 1) -> list[RunReport]:
    """Commits whose pairs show nothing: what changes, changes between what was measured."""
    return [
        make_report(number, base_costs={**COSTS, "nat": cost}) for number, cost in enumerate(nat, start=first)
    ]


def on_host(report: RunReport, name: str, **host: Any) -> RunReport:
    return report.model_copy(update={"host": report.host.model_copy(update={"name": name, **host})})


def judged(service: Service, reports: Sequence[RunReport]) -> list[dict[str, Any]]:
    """All in, then one look: its change points of CPP."""
    for report in reports:
        service.upload(body_of(report))
        service.clock.pass_seconds(60)
    work.drain(service.context)
    return points(service)


def points(service: Service, **wanted: Any) -> list[dict[str, Any]]:
    found = service.get("/projects/demo/change-points", **wanted)
    return [one for one in found if one["metric"] == "cpp"]


def test_step_between_measured_commits(service: Service) -> None:
    found = judged(service, runs(levels((14, 150.0), (8, 160.0))))
    assert {one["stage"] for one in found} == {"nat", "chain"}
    for one in found:
        assert one["sha"] == sha(15)
        assert one["low_sha"] == sha(14)
        assert (one["direction"], one["state"]) == ("worse", "standing")
        assert one["significant"] and one["large"] and one["relevant"]
        assert one["chain_share"] == pytest.approx(10 / 260, rel=0.1)
    assert len({one["alert_id"] for one in found} - {None}) == 1
    nat = next(one for one in found if one["stage"] == "nat")
    assert nat["ratio"] == pytest.approx(160 / 150, rel=0.01)
    shown = service.get(HISTORY, stage="nat")
    assert [one["sha"] for one in shown["change_points"]] == [sha(15)]
    assert shown["segments"] == []


def test_nothing_is_found_in_noise(service: Service) -> None:
    assert judged(service, runs(levels((22, 150.0)))) == []


def test_improvement_is_recorded_and_no_suspicion(service: Service) -> None:
    found = judged(service, runs(levels((14, 160.0), (8, 150.0))))
    assert {one["direction"] for one in found} == {"better"}
    assert {one["alert_id"] for one in found} == {None}


def test_order_of_arrival_does_not_matter(service: Service) -> None:
    nat = levels((14, 150.0), (8, 160.0))
    reports = runs(nat)
    Random(3).shuffle(reports)
    judged(service, reports[:12])
    judged(service, reports[12:])
    for number, cost in enumerate(nat, start=1):
        costs = {**COSTS, "nat": cost}
        report = make_report(1000 + number, base=number - 1, head=number, base_costs=costs, scenario="sfc_b")
        service.upload(body_of(report))
        work.drain(service.context)
    kept = ("sha", "low_sha", "high_sha", "stage", "ratio", "probability", "significant", "state")
    told = [
        sorted([one[name] for name in kept] for one in points(service, scenario=scenario))
        for scenario in ("sfc_a", "sfc_b")
    ]
    assert len(told[0]) == 2
    assert told[0] == told[1]


def test_another_kernel_begins_a_segment_and_is_no_change(service: Service) -> None:
    reports = runs(levels((14, 150.0), (8, 160.0)))
    reports[14:] = [on_host(one, "bench-vm-2", kernel="6.2") for one in reports[14:]]
    assert judged(service, reports) == []
    segment = {"field": "kernel", "base": "6.1", "head": "6.2"}
    assert service.get(HISTORY)["segments"] == [{"sha": sha(15), "kind": "environment", "changes": [segment]}]


def test_new_features_begin_a_segment(service: Service) -> None:
    reports = runs(levels((14, 150.0), (8, 160.0)))
    head = reports[14].arms["head"]
    run = head.run.model_copy(update={"features": ["nat", "l3fwd", "dpi"]})
    arms = {**reports[14].arms, "head": head.model_copy(update={"run": run})}
    reports[14] = reports[14].model_copy(update={"arms": arms})
    assert judged(service, reports) == []
    assert [(one["sha"], one["kind"]) for one in service.get(HISTORY)["segments"]] == [(sha(15), "features")]


def test_runs_that_are_no_history_do_not_bend_it(service: Service) -> None:
    reports = runs(levels((14, 150.0), (8, 160.0)))
    judged(service, reports)
    before = points(service)
    service.upload(body_of(make_report(900, base=3, head=4, failed_check=True)))
    work.drain(service.context)
    assert points(service) == before


def test_looked_at_again_nothing_changes(service: Service) -> None:
    found = judged(service, runs(levels((14, 150.0), (8, 160.0))))
    work.drain(service.context)
    with service.context.sessions() as session:
        project = projects.find(session, "demo")
        assert project is not None
        assert marking.project(session, project.id, whole=True) == 1
        session.commit()
    work.drain(service.context)
    assert points(service) == found


def test_slow_drift(service: Service) -> None:
    noise = Random(11)
    ramp = [150.0 * (1 + 0.007 * min(max(n - 15, 0), 8)) for n in range(35)]
    reports = runs([cost * (1 + noise.gauss(0, NOISE)) for cost in ramp])
    found = [one for one in judged(service, reports) if one["stage"] == "nat"]
    assert {one["direction"] for one in found} == {"worse"}
    assert prod(one["ratio"] for one in found) == pytest.approx(1.056, rel=0.015)
    assert {one["sha"] for one in found} <= {sha(number) for number in range(15, 27)}


def test_a_change_that_more_values_take_back_is_withdrawn_from_its_alert(service: Service) -> None:
    nat = levels((14, 150.0), (6, 160.0))
    assert judged(service, runs(nat))
    for number in range(15, 21):  # measured again, twice: it was the host
        for again in (1, 2):
            costs = {**COSTS, "nat": 150.0}
            report = make_report(again * 1000 + number, base=number - 1, head=number, base_costs=costs)
            service.upload(body_of(report))
    work.drain(service.context)
    found = points(service)
    assert {one["state"] for one in found} == {"withdrawn"}
    assert all(one["withdrawn_at"] for one in found)
    assert points(service, state="standing") == []


@pytest.mark.parametrize("step", [1.0, 1.05])
def test_two_hosts_that_differ(service: Service, step: float) -> None:
    """One is dearer by 3 % and noisier: that is no commit's, and hides none."""
    noise = Random(5)
    names = ["bench-a" if noise.random() < 0.5 else "bench-b" for _ in range(36)]
    cost, spread = {"bench-a": 150.0, "bench-b": 154.5}, {"bench-a": NOISE, "bench-b": 2 * NOISE}
    nat = [
        cost[name] * (step if number >= 20 else 1) * (1 + noise.gauss(0, spread[name]))
        for number, name in enumerate(names)
    ]
    found = judged(service, [on_host(one, name) for one, name in zip(runs(nat), names, strict=True)])
    assert service.get(HISTORY)["segments"] == []
    assert {one["sha"] for one in found if one["stage"] == "nat"} == ({sha(21)} if step > 1 else set())


def test_command_looks_anew_and_tells_nobody(service: Service, tmp_path: Path) -> None:
    judged(service, runs(levels((14, 150.0), (8, 160.0))))
    settings = service.context.settings
    environment = {"NALM_DATABASE_URL": settings.resolved_database_url}
    said = CliRunner().invoke(app, ["judge", "demo", "--whole", "--state", str(tmp_path)], env=environment)
    assert said.exit_code == 0, said.output
    assert {one["state"] for one in points(service)} == {"standing"}
    said = CliRunner().invoke(app, ["judge", "none", "--state", str(tmp_path)], env=environment)
    assert said.exit_code != 0
