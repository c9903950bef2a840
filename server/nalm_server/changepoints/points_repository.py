# SPDX-License-Identifier: Apache-2.0
"""SQL of change points."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from nalm_core.report.catalogue import METRICS, Better, direction_of
from sqlalchemy import ColumnElement, Select, and_, func, or_, select
from sqlalchemy.orm import Session, aliased

from nalm_server.changepoints.models import ChangePointRow, ChangePointTrialRow
from nalm_server.changepoints.schemas import PointState
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.agents.models import HostRow
from nalm_server.results.series.models import ProjectMetricRow, ScenarioRow, SeriesRow

PointSelect = Select[ChangePointRow, str, str, str, str, float | None, bool, str | None, int, int, int]
"""Rows of points."""
STANDING = (PointState.NEW, PointState.STANDING, PointState.PAST)


@dataclass(frozen=True)
class PointFilter:
    """Conditions on a project's change points; None: any."""

    since: datetime | None
    scenario: str | None
    state: PointState | None
    limit: int


@dataclass(frozen=True)
class Point:
    """A change point with its series."""

    row: ChangePointRow
    scenario: str
    host_class: str
    stage: str
    metric: str
    margin: float | None
    """Of an own metric: the relative change that matters."""
    gates: bool
    """Of an own metric: a change for the worse makes an alert."""
    own_better: str | None
    """The direction of a metric of nalm.toml."""
    place: int
    low: int
    """Exclusive: a place of the old level."""
    high: int

    def direction(self, ratio: float) -> Literal["better", "worse", "neither"]:
        """What the change by this ratio is."""
        known = METRICS.get(self.metric)
        better: Better = "higher" if self.own_better == "higher" else "lower"
        return direction_of(better if known is None else known.better, ratio)


def of_series(session: Session, series: Collection[int]) -> list[ChangePointRow]:
    query = select(ChangePointRow).where(ChangePointRow.series_id.in_(series))
    return list(session.scalars(query.order_by(ChangePointRow.series_id, ChangePointRow.id)))


def points(project_id: int) -> PointSelect:
    low, high = aliased(CommitRow), aliased(CommitRow)
    return (
        select(
            ChangePointRow,
            ScenarioRow.name,
            SeriesRow.host_class,
            SeriesRow.stage,
            SeriesRow.metric,
            SeriesRow.margin,
            SeriesRow.gates,
            ProjectMetricRow.better,
            CommitRow.position,
            low.position,
            high.position,
        )
        .join(SeriesRow, SeriesRow.id == ChangePointRow.series_id)
        .join(ScenarioRow, ScenarioRow.id == SeriesRow.scenario_id)
        .outerjoin(
            ProjectMetricRow,
            and_(
                ProjectMetricRow.project_id == ScenarioRow.project_id,
                ProjectMetricRow.name == SeriesRow.metric,
            ),
        )
        .join(CommitRow, CommitRow.id == ChangePointRow.commit_id)
        .join(low, low.id == ChangePointRow.low_commit_id)
        .join(high, high.id == ChangePointRow.high_commit_id)
        .where(ScenarioRow.project_id == project_id)
        .order_by(CommitRow.position, ChangePointRow.id)
    )


def unweighed(session: Session, project_id: int) -> list[Point]:
    return _fetch(session, points(project_id).where(ChangePointRow.state == PointState.NEW))


def suspected(session: Session, project_id: int, metrics: Collection[str]) -> list[Point]:
    """What only the newest values of these metrics, and of own ones that gate, show."""
    query = points(project_id).where(ChangePointRow.state == PointState.SUSPECTED, _of(metrics))
    return _fetch(session, query)


def rows(session: Session, numbers: Collection[int]) -> list[ChangePointRow]:
    """Those of these change points that are still there."""
    return list(session.scalars(select(ChangePointRow).where(ChangePointRow.id.in_(numbers))))


def settle_suspicions(
    session: Session, numbers: Collection[int], state: PointState, alert_id: int | None
) -> None:
    """Gives those of these change points that are still suspected their state, and the alert."""
    for row in rows(session, numbers):
        if row.state == PointState.SUSPECTED:
            row.state, row.alert_id = state, alert_id


def between(
    session: Session, project_id: int, metrics: Collection[str], first: int, last: int
) -> list[Point]:
    """Valid ones of these metrics, and of own ones that gate, whose most likely place is from first to
    last."""
    query = points(project_id).where(
        ChangePointRow.state.in_(STANDING),
        _of(metrics),
        CommitRow.position.between(first, last),
    )
    return _fetch(session, query)


def listed(session: Session, project_id: int, point_filter: PointFilter) -> list[Point]:
    """Newest first along the first parent."""
    query = points(project_id)
    if point_filter.since is not None:
        query = query.where(ChangePointRow.detected_at >= point_filter.since)
    if point_filter.scenario is not None:
        query = query.where(ScenarioRow.name == point_filter.scenario)
    if point_filter.state is not None:
        query = query.where(ChangePointRow.state == point_filter.state)
    newest = (CommitRow.position.desc(), ChangePointRow.id.desc())
    return _fetch(session, query.order_by(None).order_by(*newest).limit(point_filter.limit))


def in_series(session: Session, project_id: int, series: Collection[int]) -> list[Point]:
    return _fetch(session, points(project_id).where(ChangePointRow.series_id.in_(series)))


def series_count(session: Session, project_id: int, metrics: Collection[str]) -> int:
    """Number of measured series of these metrics, and of own ones that gate."""
    found = session.scalar(
        select(func.count())
        .select_from(SeriesRow)
        .join(ScenarioRow, ScenarioRow.id == SeriesRow.scenario_id)
        .where(
            ScenarioRow.project_id == project_id,
            _of(metrics),
            SeriesRow.source.not_like("imported:%"),
        )
    )
    return found or 0


def _of(metrics: Collection[str]) -> ColumnElement[bool]:
    return or_(SeriesRow.metric.in_(metrics), SeriesRow.gates)


def names(session: Session, numbers: Collection[int]) -> dict[int, SeriesRow]:
    found = session.scalars(select(SeriesRow).where(SeriesRow.id.in_(numbers)))
    return {row.id: row for row in found}


def hosts(session: Session, numbers: Collection[int]) -> dict[int, str]:
    found = session.execute(select(HostRow.id, HostRow.name).where(HostRow.id.in_(numbers)))
    return {row.id: row.name for row in found}


def shas(session: Session, numbers: Collection[int]) -> dict[int, str]:
    found = session.execute(select(CommitRow.id, CommitRow.sha).where(CommitRow.id.in_(numbers)))
    return {row.id: row.sha for row in found}


def _fetch(session: Session, query: PointSelect) -> list[Point]:
    return [Point(*row) for row in session.execute(query)]


def begin_trial(session: Session, series_id: int, probability: float, now: datetime) -> int:
    """The number of a new trial."""
    trial = ChangePointTrialRow(series_id=series_id, probability=probability, found_at=now)
    session.add(trial)
    session.flush()
    return trial.id


def end_trial(session: Session, number: int | None, gone_at: datetime | None) -> None:
    """Notes that the change point is gone, or, with None, that it is there again."""
    trial = session.get(ChangePointTrialRow, number) if number is not None else None
    if trial is not None:
        trial.gone_at = gone_at


def trials(session: Session, project_id: int, since: datetime) -> list[tuple[float, bool]]:
    """(probability when it was found, whether it is there) of change points found since then."""
    query = (
        select(ChangePointTrialRow.probability, ChangePointTrialRow.gone_at)
        .join(SeriesRow, SeriesRow.id == ChangePointTrialRow.series_id)
        .join(ScenarioRow, ScenarioRow.id == SeriesRow.scenario_id)
        .where(ScenarioRow.project_id == project_id, ChangePointTrialRow.found_at >= since)
    )
    return [(probability, gone_at is None) for probability, gone_at in session.execute(query)]


def assign(session: Session, numbers: Sequence[int], alert_id: int | None) -> None:
    """Assigns the change points to the alert, or to none."""
    for row in session.scalars(select(ChangePointRow).where(ChangePointRow.id.in_(numbers))):
        row.alert_id = alert_id


def add(session: Session, row: ChangePointRow) -> None:
    session.add(row)


def remove(session: Session, row: ChangePointRow) -> None:
    session.delete(row)
