# SPDX-License-Identifier: Apache-2.0
"""The history look, from stored runs to change points and segments, on both databases."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from nalm_core.report import RunReport
from nalm_server.judgement import marking, work
from nalm_server.projects import repository as projects
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report, sha

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
