# SPDX-License-Identifier: Apache-2.0
"""Weighs change points together; significant, large and relevant regressions become suspicions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

from nalm_core.changepoints.series_changes import is_large, is_relevant
from nalm_core.report.catalogue import SEARCHED_UNDER_LOAD
from nalm_core.report.defaults import HISTORY_FALSE_DISCOVERY_RATE
from nalm_core.stats.discovery import discoveries
from sqlalchemy.orm import Session

from nalm_server.alerts.findings import Moved, Suspicion, suspect
from nalm_server.auth.access import project_repository as projects
from nalm_server.changepoints import explanation, level_back, ports
from nalm_server.changepoints import looks_repository as looks
from nalm_server.changepoints import points_repository as repository
from nalm_server.changepoints.margins import margin_of
from nalm_server.changepoints.points_repository import Point
from nalm_server.changepoints.schemas import PointState
from nalm_server.db.context import Context
from nalm_server.results.series.entry import CHAIN

DECIDES = "cpp"
"""The metric that decides about cycles; instructions explain it."""
DECIDING = (DECIDES, *SEARCHED_UNDER_LOAD)
"""With own metrics that gate: metrics whose histories make alerts."""
NOT_COMPARED = ("build_seconds",)
"""Metrics of which a comparison has one value of each build, which decides nothing."""


def settle(context: Context, project_id: int) -> None:
    """Weighs what looks have found since the project was last settled."""
    with context.sessions() as session:
        projects.lock(session, project_id)
        new = repository.unweighed(session, project_id)
        for group in _groups(_involved(session, project_id, new)):
            _weigh(session, project_id, group)
            _tell(session, project_id, group, context.clock())
        level_back.look(session, project_id, context.clock())
        for one in new:
            one.row.state = PointState.STANDING
        _report_suspicions(session, project_id, context.clock())
        looks.settled(session, project_id)
        session.commit()


def _report_suspicions(session: Session, project_id: int, now: datetime) -> None:
    """What the newest commits alone show, for the worse and of a size that matters, is measured again."""
    suspected = repository.suspected(session, project_id, DECIDING)
    found = [one for one in suspected if one.metric not in NOT_COMPARED and _is_worse(one)]
    if found:
        ports.suspected(session, project_id, found, now)


def _involved(session: Session, project_id: int, new: Sequence[Point]) -> list[Point]:
    """The new points and all that may be the same change."""
    deciding = [one for one in new if one.metric in DECIDING or one.gates]
    if not deciding:
        return []
    first, last = min(one.low for one in deciding), max(one.high for one in deciding)
    return repository.between(session, project_id, DECIDING, first, last)


def _groups(points: Sequence[Point]) -> list[list[Point]]:
    """Points that may be one change: around the most certain one, all whose interval includes its place."""
    left = sorted(points, key=_surest)
    found = []
    while left:
        place = left[0].place
        found.append([one for one in left if one is left[0] or one.low < place <= one.high])
        taken = {one.row.id for one in found[-1]}
        left = [one for one in left if one.row.id not in taken]
    return found


def _surest(one: Point) -> tuple[float, ...]:
    return one.high - one.low, -one.row.probability, one.place, one.row.id


def _weigh(session: Session, project_id: int, group: Sequence[Point]) -> None:
    tests = repository.series_count(session, project_id, DECIDING)
    p_values = [one.row.p_value for one in group]
    found = discoveries(p_values, HISTORY_FALSE_DISCOVERY_RATE, max(tests, len(group)))
    for one, significant in zip(group, found, strict=True):
        one.row.significant = significant
    session.flush()


def _tell(session: Session, project_id: int, group: Sequence[Point], now: datetime) -> None:
    by_history: dict[tuple[str, str, str], list[Point]] = defaultdict(list)
    for one in group:
        if one.row.significant:
            by_history[one.scenario, one.host_class, one.metric].append(one)
    worse = [one for points in by_history.values() if _slower(points) for one in points if _is_worse(one)]
    if not any(one.row.state == PointState.NEW or one.row.alert_id is None for one in worse):
        return
    surest = min(worse, key=_surest)
    moved = [
        Moved(
            scenario=one.scenario,
            host_class=one.host_class,
            stage=one.stage,
            metric=one.metric,
            ratio=one.row.ratio,
            low=None,
            high=None,
            change_point_id=one.row.id,
        )
        for one in worse
    ]
    suspicion = Suspicion(
        project_id=project_id,
        commit_id=surest.row.commit_id,
        after_commit_id=surest.row.low_commit_id,
        source="history",
        kind="regression",
        moved=moved,
        drift_end_id=surest.row.high_commit_id if surest.row.kind == "drift" else None,
        explanation=explanation.explanation(session, [one for one in worse if one.metric == DECIDES]),
    )
    alert = suspect(session, suspicion, now)
    if alert is not None:
        for one in worse:
            one.row.alert_id = alert.id


def _is_worse(one: Point) -> bool:
    return (
        one.direction(one.row.ratio) == "worse"
        and is_large(one.row.ratio, margin_of(one.metric, one.margin))
        and is_relevant(one.row.chain_share)
        and one.row.state != PointState.PAST
    )


def _slower(points: Sequence[Point]) -> bool:
    """True if the scenario as a whole became worse by one metric, not only a stage that another outweighs."""
    moved = [one for one in points if one.stage == CHAIN] or points
    share = sum(one.row.chain_share or 0.0 for one in moved)
    return moved[0].direction(1 + share) == "worse" and is_relevant(share)
