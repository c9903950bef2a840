# SPDX-License-Identifier: Apache-2.0
"""Scenarios and the history of a metric."""

from __future__ import annotations

from typing import Any

from nalm_core.catalogue import METRICS
from sqlalchemy.orm import Session

from nalm_server.commits.service import SHORT
from nalm_server.errors import NotFoundError
from nalm_server.history import repository
from nalm_server.history.repository import HistoryRun, ImportedValue, StoredValue
from nalm_server.history.schemas import ImportedPoint, ScenarioSummary, Value
from nalm_server.projects.models import ProjectRow

CHAIN = "chain"


def list_scenarios(session: Session, project: ProjectRow) -> list[ScenarioSummary]:
    rows = repository.list_scenarios(session, project.id)
    classes = repository.host_classes(session, [row.id for row in rows])
    return [
        ScenarioSummary(
            name=row.name,
            stages=row.stages,
            model=row.model,
            lcores=row.lcores,
            traffic=row.traffic,
            load=row.load,
            host_classes=list(classes.get(row.id, {})),
            runs=sum(classes.get(row.id, {}).values()),
        )
        for row in rows
    ]


def history(
    session: Session, project: ProjectRow, scenario: str, *, metric: str, host_class: str | None, limit: int
) -> dict[str, Any]:
    """schemas.History as plain values: an object for each of ten thousand would take most of the time."""
    if metric not in METRICS:
        raise NotFoundError(f"There is no metric {metric!r}: there are {', '.join(METRICS)}.")
    row = repository.find_scenario(session, project.id, scenario)
    if row is None:
        raise NotFoundError(f"Project {project.name!r} has no run of a scenario {scenario!r}.")
    classes = list(repository.host_classes(session, [row.id]).get(row.id, {}))
    if host_class is not None and host_class not in classes:
        raise NotFoundError(f"Scenario {scenario!r} has no run on host class {host_class!r}.")
    shown = host_class or next(iter(classes), None)
    runs = repository.history_runs(session, row.id, shown, limit) if shown else []
    since = min((one.run_number for one in runs), default=0)
    values = repository.values(session, row.id, shown, metric, since) if shown and runs else {}
    seen = {value.stage for one in runs for value in values.get(one.run_number, [])}
    stages = [CHAIN, *row.stages, *sorted(seen - {CHAIN, *row.stages})]
    return {
        "metric": METRICS[metric],
        "scenario": row.name,
        "host_class": shown,
        "host_classes": classes,
        "stages": stages,
        "points": [_point(one, stages, values.get(one.run_number, [])) for one in runs],
        "imported": _imported(repository.imported(session, row.id, metric)),
    }


def _imported(found: list[ImportedValue]) -> list[ImportedPoint]:
    points: dict[int, ImportedPoint] = {}
    for one in found:
        point = points.setdefault(
            one.run_number,
            ImportedPoint(
                sha=one.sha, short_sha=one.sha[:SHORT], host_class=one.host_class, at=one.at, values={}
            ),
        )
        point.values[one.stage] = Value(value=one.value, low=one.low, high=one.high, source=one.source)
    return list(points.values())


def _point(one: HistoryRun, stages: list[str], values: list[StoredValue]) -> dict[str, Any]:
    found = {
        value.stage: {"value": value.value, "low": value.low, "high": value.high, "source": value.source}
        for value in values
    }
    return {
        "sha": one.sha,
        "short_sha": one.sha[:SHORT],
        "subject": one.subject,
        "committed_at": one.committed_at,
        "parent_sha": one.parent_sha,
        "base_sha": one.base_sha,
        "run_id": one.run_id,
        "display": one.display,
        "cause": one.cause,
        "culprit_stage": one.stage,
        "values": {stage: found.get(stage) for stage in stages},
    }
