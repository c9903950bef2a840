# SPDX-License-Identifier: Apache-2.0
"""Histories of own metrics are searched with their margin and direction, and make alerts if they gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from nalm_core.report.own_metrics import OwnMetric
from nalm_server.changepoints import measured_line_repository as lines
from nalm_server.changepoints import tasks
from nalm_server.results.series.models import ProjectMetricRow, SeriesRow
from nalm_server_findings import Rig
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha
from sqlalchemy import select, update

STEP = 15
LAST = STEP + 7


def build_seconds(value: float, *, gates: bool = True, margin: float = 0.1) -> OwnMetric:
    """base came from the store, as usual."""
    document: dict[str, Any] = {
        **{"name": "build_seconds", "unit": "s", "better": "lower", "every": "build", "exact": False},
        **{"source": "build", "margin": margin, "gates": gates, "values": {"head": [value]}},
        "missing": {"base": "the build came from the store"},
    }
    return OwnMetric.model_validate(document)


def sessions(value: float) -> OwnMetric:
    """Both builds have the same value: what changes, changes between what was measured."""
    document: dict[str, Any] = {
        **{"name": "sessions", "unit": "sessions/s", "better": "higher", "every": "build", "exact": True},
        **{"source": "command", "margin": 0.02, "gates": True},
        "values": {"base": [value], "head": [value]},
    }
    return OwnMetric.model_validate(document)


def with_step(before: float, after: float) -> list[float]:
    noise = Random(3)
    return [(before if n < STEP else after) * (1 + noise.gauss(0, 0.01)) for n in range(1, LAST + 1)]


def upload(service: Service, metrics: Sequence[OwnMetric], first: int = 1) -> None:
    for number, metric in enumerate(metrics, start=first):
        report = make_report(number)
        service.upload(body_of(report.model_copy(update={"own_metrics": [metric]})))


def rename(service: Service, old: str, new: str) -> None:
    with service.context.sessions() as session:
        session.execute(update(SeriesRow).where(SeriesRow.metric == old).values(metric=new))
        session.commit()


def points(service: Service) -> list[dict[str, Any]]:
    return list(service.get("/projects/demo/change-points"))


@pytest.mark.dialects
def test_a_build_that_takes_longer_is_an_alert_by_its_history(service: Service) -> None:
    rig = Rig(service, {})
    upload(service, [build_seconds(value) for value in with_step(60, 80)])
    tasks.drain(service.context)
    rig.drain()
    (point,) = points(service)
    assert (point["metric"], point["sha"], point["direction"]) == ("build_seconds", sha(STEP), "worse")
    assert point["large"] and point["significant"] and point["state"] == "standing"
    (alert,) = service.get("/projects/demo/alerts")
    assert (alert["metric"], alert["sha"], alert["state"]) == ("build_seconds", sha(STEP), "confirmed")
    assert alert["ratio"] == pytest.approx(80 / 60, rel=0.02)
    assert "judged beside" in service.get(f"/alerts/{alert['id']}")["history"][-1]["why"]
    assert service.get("/projects/demo/remeasurements") == []


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("of", "levels", "state"),
    [
        (build_seconds, (60, 80, 60), "fixed"),
        (build_seconds, (60, 80, 68), "partly_fixed"),
        (sessions, (100, 80, 100), "fixed"),
    ],
)
def test_a_history_that_is_back_at_its_level_fixes_its_alert(
    service: Service, of: Callable[[float], OwnMetric], levels: tuple[float, float, float], state: str
) -> None:
    rig, (before, after, back) = Rig(service, {}), levels
    upload(service, [of(value) for value in with_step(before, after)])
    tasks.drain(service.context)
    rig.drain()
    upload(service, [of(value) for value in with_step(after, back)], first=LAST + 1)
    tasks.drain(service.context)
    (alert,) = service.get("/projects/demo/alerts", state=["fixed", "partly_fixed"])
    assert (alert["state"], alert["fixed_by_sha"]) == (state, sha(LAST + STEP))
    (recovery,) = alert["recovery"]
    assert (recovery["metric"], recovery["fixes"]) == (alert["metric"], [sha(LAST + STEP)])
    assert recovery["remains"] == pytest.approx(max(back / before, before / back), rel=0.02)
    metric = alert["metric"]
    history = service.get("/projects/demo/scenarios/sfc_a/history", metric=metric)
    marked = [(one["sha"], one["direction"]) for one in history["change_points"] if one["significant"]]
    assert marked == [(sha(STEP), "worse"), (sha(LAST + STEP), "better")]


@pytest.mark.nightly
def test_a_shipped_metric_without_a_threshold_is_shown_only(service: Service) -> None:
    upload(service, [build_seconds(value, gates=False) for value in with_step(60, 80)])
    tasks.drain(service.context)
    (point,) = points(service)
    assert point["metric"] == "build_seconds" and not point["significant"]
    assert service.get("/projects/demo/alerts") == []


@pytest.mark.nightly
def test_a_change_within_its_margin_makes_no_alert(service: Service) -> None:
    upload(service, [build_seconds(value, margin=0.5) for value in with_step(60, 80)])
    tasks.drain(service.context)
    (point,) = points(service)
    assert point["significant"] and not point["large"]
    assert service.get("/projects/demo/alerts") == []


@pytest.mark.nightly
@pytest.mark.parametrize(("after", "direction"), [(90.0, "worse"), (110.0, "better")])
def test_the_direction_is_that_of_nalm_toml(service: Service, after: float, direction: str) -> None:
    upload(service, [sessions(value) for value in with_step(100, after)])
    tasks.drain(service.context)
    (point,) = points(service)
    assert (point["metric"], point["direction"]) == ("sessions", direction)
    assert len(service.get("/projects/demo/alerts")) == (direction == "worse")


@pytest.mark.nightly
@pytest.mark.parametrize(("before", "after"), [(5.0, 0.0), (0.0, 5.0), (-3.0, 4.0)])
def test_values_of_0_have_no_ratios_and_are_not_searched(
    service: Service, before: float, after: float
) -> None:
    """And what else the project has is."""
    took = with_step(60, 80)
    for number in range(1, LAST + 1):
        mine = [sessions(before if number < STEP else after), build_seconds(took[number - 1])]
        report = make_report(number)
        service.upload(body_of(report.model_copy(update={"own_metrics": mine})))
    tasks.drain(service.context)
    (point,) = points(service)
    assert (point["metric"], point["state"]) == ("build_seconds", "standing")
    (alert,) = service.get("/projects/demo/alerts")
    assert alert["metric"] == "build_seconds"


@pytest.mark.nightly
def test_a_history_from_before_is_searched_without_an_alert(service: Service) -> None:
    upload(service, [build_seconds(value) for value in with_step(60, 80)])
    rename(service, "build_seconds", "hidden")
    tasks.drain(service.context)
    assert points(service) == []
    rename(service, "hidden", "build_seconds")
    upload(service, [build_seconds(80)], first=LAST + 1)
    tasks.drain(service.context)
    (point,) = points(service)
    assert (point["sha"], point["state"]) == (sha(STEP), "past")
    assert service.get("/projects/demo/alerts") == []


@pytest.mark.dialects
def test_the_number_of_searched_own_metrics_is_bounded(service: Service) -> None:
    upload(service, [build_seconds(60.0)])
    names = [f"own_{number}" for number in range(lines.MOST_OWN + 6)]
    with service.context.sessions() as session:
        first = session.scalars(select(SeriesRow)).first()
        assert first is not None
        scenario, host_class = first.scenario_id, first.host_class
        for number, name in enumerate(names):
            metric = {"unit": "1", "better": "lower", "source": "command"}
            session.add(ProjectMetricRow(project_id=1, name=name, **metric))
            place = {"scenario_id": scenario, "host_class": host_class, "stage": "chain"}
            session.add(SeriesRow(**place, metric=name, source="command", gates=number >= 3))
        session.flush()
        own = [one.metric for one in lines.series(session, scenario, host_class).values() if one.own]
    assert len(own) == lines.MOST_OWN
    assert "build_seconds" in own and not {"own_0", "own_1", "own_2"} & set(own)
