# SPDX-License-Identifier: Apache-2.0
"""The history look, from stored runs to change points and segments, on both databases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from random import Random
from typing import Any

import pytest
from nalm_core.findings.expectation import Expectation
from nalm_server.alerts.models import AlertRow
from nalm_server.alerts.rules import expectations
from nalm_server.changepoints import tasks, triggers
from nalm_server.cli.main import app
from nalm_server.git.commits.order import record
from nalm_server.notify import alert_messages
from nalm_server_harness import Scenes, Service
from nalm_server_measured import Measured, store
from nalm_server_reports import COSTS, body_of, make_report, sha
from typer.testing import CliRunner

NOISE = 0.003
DEMO = 1
HISTORY = "/projects/demo/scenarios/sfc_a/history"


def levels(*parts: tuple[int, float], seed: int = 7) -> list[float]:
    """What nat costs at each commit: so many at a level, with noise."""
    noise = Random(seed)
    return [level * (1 + noise.gauss(0, NOISE)) for count, level in parts for _ in range(count)]


def line(nat: Sequence[float], first: int = 1, **what: Any) -> list[Measured]:
    """Commits whose pairs show nothing: what changes, changes between what was measured."""
    return [Measured(number, {"nat": cost}, **what) for number, cost in enumerate(nat, start=first)]


STEP = line(levels((14, 150.0), (8, 160.0)))
BEGUN = 13
"""Commits of STEP that many tests begin with."""
begun = pytest.mark.usefixtures("begun")


@pytest.fixture(name="begun")
def begin(service: Service, scenes: Scenes) -> None:
    """The first commits of STEP are measured."""
    scenes.begin(service, "begun", lambda new: store(new, STEP[:BEGUN]))


def judged(service: Service, measured: Sequence[Measured]) -> list[dict[str, Any]]:
    """All in, then one look: its change points of CPP."""
    store(service, measured)
    tasks.drain(service.context)
    return points(service)


def points(service: Service, **expected: Any) -> list[dict[str, Any]]:
    found = service.get("/projects/demo/change-points", **expected)
    return [one for one in found if one["metric"] == "cpp"]


def test_step_between_measured_commits(service: Service) -> None:
    for number, one in enumerate(STEP, start=1):
        # Every second commit is measured, against its parent: no pair spans the step.
        service.upload(body_of(make_report(2 * number, base_costs={**COSTS, **one.costs})))
    tasks.drain(service.context)
    found = points(service)
    assert {one["stage"] for one in found} == {"nat", "chain"}
    for one in found:
        assert one["sha"] == sha(30)
        assert one["low_sha"] == sha(28)
        assert (one["direction"], one["state"]) == ("worse", "standing")
        assert one["significant"] and one["large"] and one["relevant"]
        assert one["chain_share"] == pytest.approx(10 / 260, rel=0.1)
    (alert,) = {one["alert_id"] for one in found}
    why = service.get(f"/alerts/{alert}")["explanation"]
    assert (why["stage"], why["interleaved"]) == ("nat", False)
    cycles = next(one for one in why["evidence"] if one["name"] == "cpp")
    assert cycles["after"] / cycles["before"] == pytest.approx(160 / 150, rel=0.02)
    nat = next(one for one in found if one["stage"] == "nat")
    assert nat["ratio"] == pytest.approx(160 / 150, rel=0.01)
    shown = service.get(HISTORY, stage="nat")
    assert [one["sha"] for one in shown["change_points"]] == [sha(30)]
    assert shown["segments"] == []


@pytest.mark.nightly
def test_a_step_that_no_pair_shows_is_one_of_the_host(service: Service) -> None:
    for number, one in enumerate(STEP, start=1):
        service.upload(body_of(make_report(number, base_costs={**COSTS, **one.costs})))
    tasks.drain(service.context)
    assert points(service) == []


@pytest.mark.nightly
def test_a_step_too_small_for_a_pair_is_found_on_levels_whatever_the_host_does(service: Service) -> None:
    """The host slows down by 20 % at commit 8; nat grows by 3 % at commit 15."""
    for number in range(1, 23):
        host = 1.2 if number >= 8 else 1.0
        old, new = (150.0 * (1.03 if one >= 15 else 1.0) for one in (number - 1, number))
        base = {stage: cost * host for stage, cost in {**COSTS, "nat": old}.items()}
        service.upload(body_of(make_report(number, base_costs=base, head_costs={"nat": new * host})))
    tasks.drain(service.context)
    found = points(service)
    assert {(one["sha"], one["metric"]) for one in found} == {(sha(15), "cpp")}
    nat = next(one for one in found if one["stage"] == "nat")
    assert nat["ratio"] == pytest.approx(1.03, abs=0.002)


@pytest.mark.nightly
def test_a_drift_has_its_first_and_its_last_commit(service: Service) -> None:
    noise = Random(5)
    costs = [150.0 * (1 + 0.12 * min(max(n - 20, 0), 30) / 30) for n in range(1, 71)]
    found = judged(service, line([one * (1 + noise.gauss(0, NOISE)) for one in costs]))
    nat = next(one for one in found if one["stage"] == "nat")
    place = {sha(number): number for number in range(72)}
    assert nat["kind"] == "drift"
    assert place[nat["low_sha"]] == pytest.approx(20, abs=6)
    assert place[nat["high_sha"]] == pytest.approx(50, abs=6)
    assert nat["ratio"] == pytest.approx(1.12, abs=0.03)
    (shown,) = service.get(HISTORY, stage="nat")["change_points"]
    assert (shown["kind"], shown["low_sha"]) == ("drift", nat["low_sha"])
    (alert,) = service.get("/projects/demo/alerts")
    assert place[alert["after_sha"]] < place[alert["sha"]] < place[alert["drift_end_sha"]]
    drift = f"drift from {alert['after_sha'][:7]} to {alert['drift_end_sha'][:7]}"
    assert service.get(f"/alerts/{alert['id']}")["history"][0]["why"].endswith(f"series has a {drift}")
    with service.context.read_sessions() as session:
        row = session.get_one(AlertRow, alert["id"])
        message = alert_messages.message(session, row, "measured again", service.clock())
    assert f" in nat, {drift}; sfc_a; measured again" in message.text


@pytest.mark.nightly
def test_a_change_point_that_vanishes_counts_against_its_probability(service: Service) -> None:
    judged(service, line(levels((30, 150.0))))
    raised, back = levels((6, 156.0), seed=8), levels((20, 150.0), seed=9)
    judged(service, line(raised, first=31))
    quality = "/projects/demo/detection-quality"
    (before,) = service.get(quality)["calibration"]
    assert before["hits"] == before["trials"] >= 1
    assert before["least"] <= before["probability"] <= before["most"]
    judged(service, line(back[:1], first=36) + line(back[1:], first=37))
    held = {one["least"]: (one["hits"], one["trials"]) for one in service.get(quality)["calibration"]}
    assert sum(trials for _, trials in held.values()) >= before["trials"]
    assert held[before["least"]][0] < before["trials"], "the six values were no change that stayed"


def test_nothing_is_found_in_noise(service: Service) -> None:
    assert judged(service, line(levels((22, 150.0)))) == []


def test_improvement_is_recorded_and_no_suspicion(service: Service) -> None:
    found = judged(service, line(levels((14, 160.0), (8, 150.0))))
    assert {one["direction"] for one in found} == {"better"}
    assert {one["alert_id"] for one in found} == {None}


@pytest.mark.nightly
def test_order_of_arrival_does_not_matter(service: Service) -> None:
    measured = list(STEP)
    Random(3).shuffle(measured)
    judged(service, measured[:12])
    judged(service, measured[12:])
    of_b = [replace(one, scenario="sfc_b") for one in STEP]
    for some in (of_b[:16], of_b[16:17], of_b[17:18], of_b[18:]):
        judged(service, some)
    kept = ("sha", "low_sha", "high_sha", "stage", "ratio", "probability", "significant", "state")
    reported = [
        sorted([one[name] for name in kept] for one in points(service, scenario=scenario))
        for scenario in ("sfc_a", "sfc_b")
    ]
    assert len(reported[0]) == 2
    assert reported[0] == reported[1]


@begun
def test_another_kernel_begins_a_segment_and_is_no_change(service: Service) -> None:
    after = [replace(one, fingerprint={"kernel": "6.2"}) for one in STEP[14:]]
    assert judged(service, STEP[BEGUN:14] + after) == []
    segment = {"field": "kernel", "base": "6.1", "head": "6.2"}
    assert service.get(HISTORY)["segments"] == [{"sha": sha(15), "kind": "environment", "changes": [segment]}]


@begun
def test_another_load_begins_a_segment_and_is_no_change(service: Service) -> None:
    at_half = [replace(one, load="0.5MRR") for one in STEP[14:]]
    assert judged(service, STEP[BEGUN:14] + at_half) == []
    segment = {"field": "load", "base": "closed", "head": "0.5MRR"}
    assert service.get(HISTORY)["segments"] == [{"sha": sha(15), "kind": "load", "changes": [segment]}]
    points_shown = service.get(HISTORY, stage="nat")["points"]
    sources = [one["values"]["nat"]["source"] for one in points_shown]
    assert sources == ["tsc"] * 14 + ["tsc@0.5MRR"] * 8


@begun
def test_new_features_begin_a_segment(service: Service) -> None:
    with_dpi = replace(STEP[14], added=("dpi",))
    assert judged(service, [*STEP[BEGUN:14], with_dpi, *STEP[15:]]) == []
    assert [(one["sha"], one["kind"]) for one in service.get(HISTORY)["segments"]] == [(sha(15), "features")]


def expect(service: Service, number: int) -> None:
    """The commit declares that its scenarios come to cost up to a tenth more."""
    declaration = Expectation(scenario="sfc_*", metric="cpp", bound=1.1, reason="counts every byte")
    with service.context.sessions() as session:
        commit = record(session, DEMO, sha(number), sha(number - 1))
        expectations.declare(session, commit, declaration, "commit", "Mona", now=service.clock())
        session.commit()


@begun
def test_what_a_commit_declares_begins_a_segment(service: Service) -> None:
    store(service, STEP[BEGUN:])
    expect(service, 15)
    assert judged(service, []) == []
    (segment,) = service.get(HISTORY)["segments"]
    assert (segment["sha"], segment["kind"]) == (sha(15), "expected")
    assert segment["changes"] == [{"field": "expected", "base": "", "head": "counts every byte"}]


@begun
def test_what_a_commit_that_was_not_measured_declares_begins_a_segment_at_the_next(service: Service) -> None:
    store(service, STEP[14:])
    expect(service, 14)
    assert judged(service, []) == []
    assert [(one["sha"], one["kind"]) for one in service.get(HISTORY)["segments"]] == [(sha(15), "expected")]


@begun
def test_what_is_declared_later_keeps_the_alert_that_was_reported(service: Service) -> None:
    before = judged(service, STEP[BEGUN:])
    expect(service, 15)
    assert judged(service, line(levels((1, 160.0)), first=23)) == before


@begun
def test_runs_that_are_no_history_do_not_bend_it(service: Service) -> None:
    before = judged(service, STEP[BEGUN:])
    assert judged(service, [Measured(4, {"nat": 300.0}, outcome="invalid")]) == before


@begun
def test_looked_at_again_nothing_changes(service: Service) -> None:
    found = judged(service, STEP[BEGUN:])
    tasks.drain(service.context)
    with service.context.sessions() as session:
        assert triggers.project(session, DEMO, whole=True) == 1
        session.commit()
    tasks.drain(service.context)
    assert points(service) == found


@pytest.mark.nightly
def test_slow_drift(service: Service) -> None:
    noise = Random(11)
    ramp = [150.0 * (1 + 0.007 * min(max(n - 15, 0), 8)) for n in range(45)]
    measured = line([cost * (1 + noise.gauss(0, NOISE)) for cost in ramp])
    found = [one for one in judged(service, measured) if one["stage"] == "nat"]
    assert {one["direction"] for one in found} == {"worse"}
    assert prod(one["ratio"] for one in found) == pytest.approx(1.056, rel=0.015)
    assert {one["sha"] for one in found} <= {sha(number) for number in range(15, 27)}


@begun
def test_a_change_that_more_values_take_back_is_withdrawn_from_its_alert(service: Service) -> None:
    assert judged(service, STEP[BEGUN:20])
    again = line([150.0] * 6, first=15)  # measured again, twice: it was the host
    found = judged(service, again + again)
    assert {one["state"] for one in found} == {"withdrawn"}
    assert all(one["withdrawn_at"] for one in found)
    assert points(service, state="standing") == []


@pytest.mark.nightly
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
    found = judged(service, [replace(one, host=name) for one, name in zip(line(nat), names, strict=True)])
    assert service.get(HISTORY)["segments"] == []
    assert {one["sha"] for one in found if one["stage"] == "nat"} == ({sha(21)} if step > 1 else set())


@pytest.mark.nightly
def test_what_one_host_does_alone_is_shown_as_its_own(service: Service) -> None:
    """From commit 21 on one of two hosts is dearer: no commit did it, and nobody is told."""
    noise = Random(5)
    names = ["bench-a" if number % 2 else "bench-b" for number in range(1, 41)]
    nat = [
        150.0 * (1.06 if name == "bench-a" and number >= 21 else 1) * (1 + noise.gauss(0, NOISE))
        for number, name in enumerate(names, start=1)
    ]
    measured = [replace(one, host=name) for one, name in zip(line(nat), names, strict=True)]
    assert judged(service, measured) == []
    shown = service.get("/projects/demo/change-points/hosts", scenario="sfc_a")
    (found,) = [one for one in shown if one["stage"] == "nat"]
    assert (found["host"], found["sha"], found["large"]) == ("bench-a", sha(21), True)
    assert found["ratio"] == pytest.approx(1.06, rel=0.01)
    assert service.get("/projects/demo/change-points/hosts", scenario="sfc_b") == []
    store(service, [Measured(41, {"nat": 150.0}, host="bench-b")])
    tasks.drain(service.context)
    again = service.get("/projects/demo/change-points/hosts")
    assert [(one["stage"], one["sha"]) for one in again] == [(one["stage"], one["sha"]) for one in shown]


@begun
def test_command_looks_again_and_notifies_nobody(service: Service, tmp_path: Path) -> None:
    judged(service, STEP[BEGUN:])
    settings = service.context.settings
    environment = {"NALM_DATABASE_URL": settings.resolved_database_url}
    said = CliRunner().invoke(app, ["judge", "demo", "--whole", "--state", str(tmp_path)], env=environment)
    assert said.exit_code == 0, said.output
    assert {one["state"] for one in points(service)} == {"standing"}
    said = CliRunner().invoke(app, ["judge", "none", "--state", str(tmp_path)], env=environment)
    assert said.exit_code != 0
