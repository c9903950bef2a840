# SPDX-License-Identifier: Apache-2.0
"""Change points and segments as the API shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from nalm_core.changepoints.results import Kind
from nalm_core.changepoints.series_changes import is_large, is_relevant
from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.changepoints import looks_repository as looks
from nalm_server.changepoints import points_repository as repository
from nalm_server.changepoints import ports
from nalm_server.changepoints.margins import margin_of
from nalm_server.changepoints.points_repository import Point, PointFilter
from nalm_server.changepoints.schemas import ChangePoint, HostChange, PointState, Remeasured


def change_points(session: Session, project: ProjectRow, point_filter: PointFilter) -> list[ChangePoint]:
    """Newest commit first."""
    return _shown(session, project.id, repository.listed(session, project.id, point_filter))


def of_history(session: Session, project_id: int, series: Sequence[int]) -> list[ChangePoint]:
    """Along the first parent."""
    if not series:
        return []
    return _shown(session, project_id, repository.in_series(session, project_id, series))


def segments(session: Session, scenario_id: int, host_class: str) -> list[dict[str, Any]]:
    """schemas.Segment as plain values, along the first parent."""
    row = looks.find(session, scenario_id, host_class)
    return (row.cuts or []) if row is not None else []


def host_changes(session: Session, project: ProjectRow, scenario: str | None) -> list[HostChange]:
    """Of one scenario, or of all; along the first parent in each history."""
    found = [
        (name, row.host_class, step)
        for name, row in looks.host_steps(session, project.id, scenario)
        for step in row.host_steps or []
    ]
    names = repository.names(session, {step["series"] for _, _, step in found})
    hosts = repository.hosts(session, {step["host"] for _, _, step in found})
    shas = repository.shas(session, {step["commit"] for _, _, step in found})
    return [
        HostChange(
            host=hosts[step["host"]],
            sha=shas[step["commit"]],
            scenario=name,
            host_class=host_class,
            stage=names[step["series"]].stage,
            metric=names[step["series"]].metric,
            ratio=step["ratio"],
            large=is_large(
                step["ratio"], margin_of(names[step["series"]].metric, names[step["series"]].margin)
            ),
        )
        for name, host_class, step in found
        if step["host"] in hosts and step["series"] in names and step["commit"] in shas
    ]


def _shown(session: Session, project_id: int, points: Sequence[Point]) -> list[ChangePoint]:
    numbers = {
        n for one in points for n in (one.row.commit_id, one.row.low_commit_id, one.row.high_commit_id)
    }
    shas = repository.shas(session, numbers) if points else {}
    remeasured = ports.remeasured.call(session, project_id, points)
    return [_point(one, shas, remeasured.get(one.row.id)) for one in points]


def _point(one: Point, shas: dict[int, str], remeasured: Remeasured | None) -> ChangePoint:
    row = one.row
    return ChangePoint(
        id=row.id,
        kind=cast(Kind, row.kind),
        sha=shas[row.commit_id],
        low_sha=shas[row.low_commit_id],
        high_sha=shas[row.high_commit_id],
        scenario=one.scenario,
        host_class=one.host_class,
        stage=one.stage,
        metric=one.metric,
        ratio=row.ratio,
        direction=one.direction(row.ratio),
        probability=row.probability,
        chain_share=row.chain_share,
        significant=row.significant,
        large=is_large(row.ratio, margin_of(one.metric, one.margin)),
        relevant=is_relevant(row.chain_share),
        state=PointState(row.state),
        remeasured=remeasured,
        alert_id=row.alert_id,
        detected_at=row.detected_at,
        withdrawn_at=row.withdrawn_at,
    )
